// What a replay takes from the jobs of the past, and the jobs that it begins with. Pure.
import { jobIdOf } from "../../lib/ids.ts";
import type { StoredDetail } from "../../store/tables.ts";
import type { StoredStep } from "../../store/workflows/workflows.ts";
import type { JobState } from "../run/run.ts";
import type { PastRun, PastStep, PersonHistory } from "./history.ts";

/** When the run was canceled by hand, by a retraction or with its event; not by a step that failed. */
export function cancelOf({ steps }: PastRun): StoredDetail | undefined {
  for (const { job } of steps.values()) {
    const canceled = job.details.find(({ d }) => d === "step_canceled");
    if (canceled && !/^step \S+ failed$|^the message was /.test(String(canceled.r?.reason))) return canceled;
  }
  return undefined;
}

/** Longer ones have other reasons, such as a provider that failed. */
const maxLateMs = 3_600_000;

/**
 * How long after its end the wait of this step was noticed then: events that came meanwhile joined a digest that was
 * due.
 */
export function latenessOf({ job }: PastStep, lastMember = 0): number {
  const { details } = job;
  const begun = details.findIndex(({ r }) => typeof r?.until === "string");
  const next = begun < 0 ? undefined : details[begun + 1];
  const until = next ? Date.parse(String(details[begun]!.r!.until)) : 0;
  // What is due comes before what is new at the same moment.
  const late = next ? Math.max(next.t, lastMember + 1) - until : 0;
  return late > 0 && late < maxLateMs ? late : 0;
}

const mergedJobs = ({ runs }: PersonHistory) =>
  runs.flatMap(({ notification, steps }) =>
    [...steps.values()].flatMap(({ job }) =>
      job.status === "merged" && job.merged_into !== null
        ? [{ id: job.id, leader: job.merged_into, at: notification.created_at.getTime() }]
        : [],
    ),
  );

/** By job that was merged into a digest: the job that led it. */
export const leadersOf = (history: PersonHistory): Map<string, string> =>
  new Map(mergedJobs(history).map(({ id, leader }) => [id, leader]));

/** By job that led a digest: when the last event came that was merged into it. */
export function lastMembersOf(history: PersonHistory): Map<string, number> {
  const last = new Map<string, number>();
  for (const { leader, at } of mergedJobs(history)) last.set(leader, Math.max(at, last.get(leader) ?? 0));
  return last;
}

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
