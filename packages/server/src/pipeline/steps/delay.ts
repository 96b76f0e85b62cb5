// Delay: the chain waits for a length of time, until the next match of a cron expression, or until a time the event
// names.
import { detailOf, entry } from "../rules/details.ts";
import type { JobState, StepInput, StepResult } from "../run/run.ts";
import { allDetails, type StepHandler } from "./handler.ts";
import { failedWait, readStepWait } from "./waiting.ts";

const details = {
  step_delayed: entry("Step delayed", "Pending", {
    by: "delay",
    isWait: true,
    waiting: (until) => `Waiting until ${until}`,
  }),
  delay_finished: entry("Delay finished", "Success"),
  delay_invalid: entry("Delay settings are not valid", "Failed", { source: "Payload", by: "delay" }),
};
const detail = detailOf(details);

export default {
  run: runDelay,
  wake: finishDelay,
  details,
  bridgeResult: (_run, job) => ({ duration: durationMs(job) }),
} satisfies StepHandler;

function runDelay(input: StepInput): StepResult {
  const { now } = input;
  const wait = readStepWait(input);
  if ("fault" in wait) return failedWait(wait, now, (raw) => detail("delay_invalid", now, { raw }));
  const raw = { until: wait.until.toISOString() };
  return { kind: "waiting", until: wait.until, details: [...wait.extended, detail("step_delayed", now, { raw })] };
}

function finishDelay({ now }: StepInput): StepResult {
  return {
    kind: "done",
    details: [detail("delay_finished", now)],
  };
}

/** How long the delay lasted, in ms; 0 for one that was skipped. */
function durationMs(job: JobState): number {
  const stored = allDetails(job);
  const from = stored.find(({ d }) => d === "step_delayed")?.t;
  const to = stored.findLast(({ d }) => d === "delay_finished")?.t;
  return from === undefined || to === undefined ? 0 : Math.max(0, to - from);
}
