// Throttle: the first events of a group in a window pass; for the others this step and all later ones are skipped. The
// database counts them: this step returns a claim, and runs again with its result.
import { detailOf, entry } from "../rules/details.ts";
import { groupKeyOfRun, readThrottle } from "../rules/grouping.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";
import { waitRequest } from "./waiting.ts";

const details = {
  throttle_passed: entry("Throttle passed", "Success"),
  throttled: entry("Throttle limit reached", "Success", {
    by: "throttle",
    reason: ({ threshold, throttledUntil }) =>
      `the throttle let ${threshold} through in the window that ends at ${throttledUntil}`,
  }),
  throttle_past: entry("Throttle window lies in the past", "Warning", { by: "throttle" }),
  throttle_invalid: entry("Throttle settings are not valid, the event was let through", "Warning", {
    source: "Payload",
    by: "throttle",
  }),
};
const detail = detailOf(details);

export default {
  run: runThrottle,
  details,
  bridgeResult: (_run, { output }) => ({ throttled: false, ...output }),
} satisfies StepHandler;

function runThrottle(input: StepInput): StepResult {
  const { run, job, facts, now } = input;
  const settings = readThrottle(waitRequest(input));
  // A message too many is better than a lost one: invalid settings let every event pass, with a warning in the details.
  if ("fault" in settings) {
    const name = settings.fault === "past" ? "throttle_past" : "throttle_invalid";
    const output = { throttled: false };
    return { kind: "done", output, details: [detail(name, now, { raw: { reason: settings.reason } })] };
  }
  const { threshold, until } = settings;
  const claimed = facts.claimResults.get(job.id);
  if (claimed?.kind !== "granted" && claimed?.kind !== "denied") {
    const groupKey = groupKeyOfRun(run, job.step.controlValues.throttleKey);
    return { kind: "claim", claim: { kind: "throttle", jobId: job.id, groupKey, threshold, until } };
  }
  const output = {
    throttled: claimed.kind === "denied",
    executionCount: claimed.executionCount,
    threshold,
    throttledUntil: claimed.until.toISOString(),
  };
  if (claimed.kind === "granted") return { kind: "done", output, details: [detail("throttle_passed", now)] };
  return {
    kind: "skipped",
    stopsChain: true,
    output,
    details: [detail("throttled", now, { raw: output })],
  };
}
