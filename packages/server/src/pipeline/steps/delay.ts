// Delay: the chain waits for a fixed length of time.
import { detail } from "../rules/details.ts";
import { readWait } from "../rules/waits.ts";
import type { StepInput, StepResult } from "../run.ts";

export function runDelay({ job, facts, now }: StepInput): StepResult {
  const wait = readWait(job.step.controlValues, now, facts.maxWaitDays);
  if ("fault" in wait) {
    const name = wait.fault === "too_long" ? "wait_too_long" : "delay_invalid";
    // Later steps rely on the wait, so a delay that cannot be read always stops the chain.
    return { kind: "failed", stopsChain: true, details: [detail(name, now)] };
  }
  const raw = { until: wait.until.toISOString() };
  return { kind: "waiting", until: wait.until, details: [detail("step_delayed", now, { raw })] };
}

export const finishDelay = ({ now }: StepInput): StepResult => ({
  kind: "done",
  details: [detail("delay_finished", now)],
});
