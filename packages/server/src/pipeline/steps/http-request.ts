// HTTP request: the run stops, the stage `request` makes the call and stores its result, and the run continues with the
// next step. What is sent, and what a response means, is in ../requests.
import type { JsonObject } from "../../lib/json.ts";
import { detailOf, entry } from "../rules/details.ts";
import type { StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";

const reasonOf = ({ reason, isAssumed }: JsonObject): string =>
  isAssumed ? `no request is sent here, and ${reason}` : String(reason);

const details = {
  request_queued: entry("HTTP request queued", "Pending", { by: "step", reason: () => "its request is on its way" }),
  request_succeeded: entry("HTTP request succeeded", "Success", {
    by: "step",
    reason: ({ status }) => `its request returned ${status}`,
  }),
  request_assumed: entry("No HTTP request sent, the sample response of the step was used", "Success", {
    by: "step",
    reason: ({ status }, { be }) =>
      `no request ${be} sent here: the sample response of the step ${be} used, with the status ${status}`,
  }),
  request_retry: entry("HTTP request failed, will be repeated", "Warning", {
    by: "step",
    reason: (raw) => `its request failed and will be repeated: ${reasonOf(raw)}`,
  }),
  request_failed: entry("HTTP request failed", "Failed", { by: "step", reason: (raw) => reasonOf(raw) }),
};
export const requestDetail = detailOf(details);

/** Whether the run continues after a failed request. */
export const continuesOnFailure = ({ continueOnFailure }: JsonObject): boolean => continueOnFailure === true;

export default { run, continuesOnFailure, details } satisfies StepHandler;

function run({ now }: StepInput): StepResult {
  return { kind: "asking", details: [requestDetail("request_queued", now)] };
}
