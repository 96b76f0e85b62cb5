// Throttle: of the events of a group, the first few in a window pass; the others end here, with everything behind them.
// The count is kept by the database, so this step asks first: it answers a claim, and runs again with the verdict.
import { detail } from "../rules/details.ts";
import { groupKeyOf } from "../rules/group-key.ts";
import { readThrottle } from "../rules/throttle.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import { waitRequest } from "./wait.ts";

export function runThrottle(input: StepInput): StepResult {
  const { run, job, facts, now } = input;
  const settings = readThrottle(waitRequest(input));
  // A message too many is the lesser evil: a throttle that cannot be read lets everything pass, and says so.
  if ("fault" in settings) {
    const name = settings.fault === "past" ? "throttle_past" : "throttle_invalid";
    return { kind: "done", details: [detail(name, now, { raw: { reason: settings.reason } })] };
  }
  const { threshold, until } = settings;
  const verdict = facts.verdicts.get(job.id);
  if (verdict?.kind !== "granted" && verdict?.kind !== "denied") {
    const groupKey = groupKeyOf(run.event.payload, job.step.controlValues.throttleKey);
    return { kind: "claim", claim: { kind: "throttle", jobId: job.id, groupKey, threshold, until } };
  }
  const output = {
    throttled: verdict.kind === "denied",
    executionCount: verdict.executionCount,
    threshold,
    throttledUntil: verdict.until.toISOString(),
  };
  if (verdict.kind === "granted") return { kind: "done", output, details: [detail("throttle_passed", now)] };
  return {
    kind: "skipped",
    stopsChain: true,
    output,
    details: [detail("throttled", now, { raw: output })],
  };
}
