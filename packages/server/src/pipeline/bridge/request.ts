// What the service sends to a bridge about a step: the event, the control values, and the results of the steps before
// it.
import type { JsonObject } from "../../lib/json.ts";
import { rootsOf } from "../rules/scope.ts";
import type { Facts, JobState, Run } from "../run/run.ts";
import { findEntry } from "../steps/catalogue.ts";
import { allDetails } from "../steps/handler.ts";
import { stepHandlers } from "../steps/registry.gen.ts";

type StepState = { stepId: string; outputs: JsonObject; state: { status: string; error?: string } };

/** The body of `execute` and `preview`. */
export type StepRequest = {
  payload: JsonObject;
  controls: JsonObject;
  state: StepState[];
  subscriber: JsonObject;
  actor?: JsonObject;
  context: JsonObject;
  env: JsonObject;
};

export function stepRequest(run: Run, job: JobState, facts: Facts): StepRequest {
  const { payload, subscriber, actor, context, env } = rootsOf(run, facts);
  return {
    payload,
    controls: job.step.controlValues,
    state: run.jobs
      .filter(({ stepIndex }) => stepIndex < job.stepIndex)
      .map((earlier) => ({
        stepId: earlier.step.stepId,
        outputs: resultOf(run, earlier, facts),
        state: statusOf(earlier),
      })),
    subscriber: subscriber ?? {},
    ...(actor ? { actor } : {}),
    context,
    env,
  };
}

function statusOf(job: JobState): StepState["state"] {
  if (job.status !== "failed") return { status: job.status };
  const last = allDetails(job).at(-1);
  return { status: "failed", error: last ? (findEntry(last)?.text ?? last.d) : "The step failed" };
}

/** The result of a step in the shape that the framework checks. A skipped step needs one as well. */
const resultOf = (run: Run, job: JobState, facts: Facts): JsonObject =>
  stepHandlers[job.step.type].bridgeResult?.(run, job, facts) ?? job.output ?? {};
