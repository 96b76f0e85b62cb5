// What a replay takes from the jobs of the past, and the jobs that it begins with. Pure.
import { jobIdOf } from "../../lib/ids.ts";
import type { StoredDetail } from "../../store/tables.ts";
import type { StoredStep } from "../../store/workflows/workflows.ts";
import { supersedeReason } from "../retract/words.ts";
import type { JobState } from "../run/run.ts";
import type { PastRun, PersonHistory } from "./history.ts";
import { startOf } from "./pace.ts";

/** `stepId`: the first step that it reached. */
export type PastCancel = { stepId: string; happened: StoredDetail };

/** When the run was canceled by hand, by a retraction or with its event; not by a step that failed. */
export function cancelOf({ steps }: PastRun): PastCancel | undefined {
  for (const [stepId, { job }] of steps) {
    const happened = job.details.find(({ d }) => d === "step_canceled");
    if (happened && !/^step \S+ failed$|^the message was /.test(String(happened.r?.reason)))
      return { stepId, happened };
  }
  return undefined;
}

/** The run that canceled this one then, by its supersede key. Undefined: something else did, or none of these runs. */
export function supersederOf({ runs }: PersonHistory, { event }: PastRun, { t, r }: StoredDetail): PastRun | undefined {
  if (event.supersedeKey === null || r?.reason !== supersedeReason) return undefined;
  const apart = (one: PastRun) => Math.abs(startOf(one) - t);
  return runs
    .filter((one) => one.event.supersedeKey === event.supersedeKey && one.event.id > event.id)
    .toSorted((a, b) => apart(a) - apart(b))[0];
}

type ClosedEarly = { jobId: string; stepId: string; happened: StoredDetail; at: number };

/** Digests that were closed before their time. `at`: when the service did it (ms). */
export const closedEarlyIn = ({ steps }: PastRun): ClosedEarly[] =>
  [...steps].flatMap(([stepId, { job }]) => {
    const index = job.details.findIndex(({ d }) => d === "digest_closed_early");
    const happened = job.details[index];
    return happened ? [{ jobId: job.id, stepId, happened, at: job.details[index + 1]?.t ?? happened.t }] : [];
  });

export const newJob = (notificationId: string, step: StoredStep, stepIndex: number): JobState => ({
  id: jobIdOf(notificationId, stepIndex),
  stepIndex,
  step,
  status: "pending",
  providerId: null,
  details: [],
  newDetails: [],
  output: null,
  digest: null,
  bridge: null,
  mergedInto: null,
  wakeAt: null,
});
