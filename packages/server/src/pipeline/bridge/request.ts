// What the service sends to a bridge about a step: the event, the control values, and the results of the steps before it.
import { isChannel } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { findEntry } from "../rules/details.ts";
import { digestResult } from "../rules/grouping.ts";
import { rootsOf } from "../rules/scope.ts";
import { channelResult } from "../rules/step-results.ts";
import type { Facts, JobState, Run } from "../run/run.ts";

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
  const { payload, subscriber, actor, context } = rootsOf(run, facts);
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
    env: {},
  };
}

const detailsOf = ({ details, newDetails }: JobState): StoredDetail[] => [...details, ...newDetails];

function statusOf(job: JobState): StepState["state"] {
  if (job.status !== "failed") return { status: job.status };
  const last = detailsOf(job).at(-1);
  return { status: "failed", error: last ? (findEntry(last)?.text ?? last.d) : "The step failed" };
}

/** The result of a step in the shape that the framework checks. A step that was skipped needs one as well. */
function resultOf(run: Run, job: JobState, facts: Facts): JsonObject {
  const { step, output } = job;
  if (step.type === "in_app") {
    const result = channelResult({ ...job, details: detailsOf(job) }, facts.marks.get(job.id));
    const { seen = false, read = false, lastSeenDate = null, lastReadDate = null } = result ?? {};
    return { seen, read, lastSeenDate, lastReadDate };
  }
  if (isChannel(step.type)) return {};
  if (step.type === "digest") {
    const { events, eventCount } = digestResult(run, job, facts) ?? { events: [], eventCount: 0 };
    return { events, eventCount };
  }
  if (step.type === "delay") return { duration: delayMs(job) };
  if (step.type === "throttle") return { throttled: false, ...output };
  return output ?? {};
}

/** How long the delay lasted, in ms; 0 for one that was skipped. */
function delayMs(job: JobState): number {
  const details = detailsOf(job);
  const from = details.find(({ d }) => d === "step_delayed")?.t;
  const to = details.findLast(({ d }) => d === "delay_finished")?.t;
  return from === undefined || to === undefined ? 0 : Math.max(0, to - from);
}
