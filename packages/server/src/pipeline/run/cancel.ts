// Canceling runs. A job or delivery that a worker has begun finishes; the other jobs of the runs are canceled, and
// messages that wait for their provider are withdrawn. A digest that one of the runs leads, open or closed, is handed
// over to the oldest event that was merged into it. Items are taken out of roll-ups that wait.
import { withdrawItems } from "../../store/attention/roll-ups.ts";
import {
  type CanceledJob,
  type CanceledRuns,
  cancelJobsOfRuns,
  deleteWindows,
  findNextLeaders,
  handOverWindows,
  isOfRuns,
  lockHandovers,
  lockRuns,
  noteCanceledMembers,
  withdrawMessages,
} from "../../store/events/event-cancel.ts";
import { deleteWaits } from "../../store/signals/signals.ts";
import type { Batch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { detail } from "../rules/details.ts";
import { digestDetail } from "../steps/digest.ts";
import { findHandovers, findSharedJobs, handOver } from "./hand-over.ts";

/** `hasToSettle`: messages that are with their provider are retracted when the result of the call is known. */
type Cancellation = { runs: CanceledRuns; versionIds: string[]; reason: string; hasToSettle?: boolean };

/**
 * `withdrawn`: messages that are not sent; `inFlight`: those among them whose provider is being called; `uncertain`:
 * those that an earlier call may have sent; `shared`: jobs behind a digest that also has other events.
 */
export type Canceled = {
  jobs: CanceledJob[];
  withdrawn: Set<string>;
  inFlight: Set<string>;
  uncertain: Set<string>;
  shared: Set<string>;
};

export async function cancelRuns(
  batch: Batch,
  environmentId: string,
  { runs, versionIds, reason, hasToSettle = false }: Cancellation,
): Promise<Canceled> {
  const { db, clock } = batch;
  const now = clock.now(environmentId);
  const hasDigests = await lockHandovers(db, environmentId, versionIds);
  const windows = await lockRuns(db, environmentId, runs);
  const handovers = hasDigests ? await findHandovers(batch, environmentId, runs) : [];
  // Messages before jobs: settling a delivery locks them in this order, and another order could deadlock.
  const withdrawal = { runs, reason: `Canceled: ${reason}`, now, hasToSettle };
  const { withdrawn, inFlight, uncertain } = await withdrawMessages(db, environmentId, withdrawal);
  const stepCanceled = detail("step_canceled", now, { raw: { reason } });
  const jobs = await cancelJobsOfRuns(db, environmentId, {
    runs,
    openLeaders: windows.map((window) => window.leader_job_id),
    canceled: stepCanceled,
    now,
  });
  if (hasDigests) await noteCanceledMembers(db, environmentId, { runs, canceled: stepCanceled, now });
  const isOwn = isOfRuns("j.notification_id", environmentId, runs);
  jobs.push(...(await withdrawItems(db, environmentId, { isOfRuns: isOwn, canceled: stepCanceled, now })));
  const canceled = new Set(jobs.map(({ id }) => id));
  await deleteWaits(db, environmentId, [...canceled]);
  const left = handovers.filter((handover) => handover.jobs.some((job) => canceled.has(job.id)));
  const moved = await handOver(batch, environmentId, left);
  const orphaned = windows.filter(({ leader_job_id: id }) => canceled.has(id) && !moved.has(id));
  await handOverDigests(batch, environmentId, orphaned);
  return {
    jobs,
    withdrawn: new Set(withdrawn),
    inFlight: new Set(inFlight),
    uncertain: new Set(uncertain),
    shared: findSharedJobs(handovers),
  };
}

type DigestWindows = Awaited<ReturnType<typeof lockRuns>>;

/** Windows whose leader was canceled get a new leader; those without another event are removed. */
async function handOverDigests(batch: Batch, environmentId: string, orphaned: DigestWindows): Promise<void> {
  const { db, clock } = batch;
  const now = clock.now(environmentId);
  const heirs = await findNextLeaders(db, environmentId, orphaned);
  const promoted = digestDetail("step_digested", now, {
    raw: { reason: "the event that led this digest was canceled" },
  });
  await handOverWindows(db, environmentId, { leaders: heirs, taken: promoted, now });
  const inherited = new Set(heirs.map((heir) => heir.old_leader_id));
  const empty = orphaned.map((window) => window.leader_job_id).filter((id) => !inherited.has(id));
  await deleteWindows(db, environmentId, empty);
  const wakes = heirs.map(({ notification_id: id, due_at: at }) => ({
    environmentId,
    data: { notificationIds: [id] },
    at,
  }));
  await enqueueTimed(batch, "wake", wakes);
}
