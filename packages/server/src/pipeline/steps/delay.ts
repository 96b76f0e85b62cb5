// Delay: the chain waits for a length of time, until the next match of a cron expression, or until a time the event names.
import { detail } from "../rules/details.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import { failedWait, readStepWait } from "./wait.ts";

export function runDelay(input: StepInput): StepResult {
  const { now } = input;
  const wait = readStepWait(input);
  if ("fault" in wait) return failedWait(wait, "delay_invalid", now);
  const raw = { until: wait.until.toISOString() };
  return { kind: "waiting", until: wait.until, details: [...wait.extended, detail("step_delayed", now, { raw })] };
}

export function finishDelay({ now }: StepInput): StepResult {
  return {
    kind: "done",
    details: [detail("delay_finished", now)],
  };
}
