// Canceling an event. A job or delivery that a worker has begun finishes; the other jobs of the event are canceled, and
// messages that wait for their provider are withdrawn. A digest that the event leads, open or closed, is handed over to
// the oldest event that was merged into it.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { type Clock, enqueueTimed } from "../../pipeline/clock/clock.ts";
import { detail } from "../../pipeline/rules/details.ts";
import { findHandovers, handOver } from "../../pipeline/run/hand-over.ts";
import { digestDetail } from "../../pipeline/steps/digest.ts";
import { releaseHeldEvents } from "../../pipeline/trigger/batch-plan.ts";
import {
  cancelJobsOfEvent,
  deleteWindows,
  findNextLeaders,
  handOverWindows,
  lockHandovers,
  lockRuns,
  withdrawMessages,
} from "../../store/events/event-cancel.ts";
import { lockEventForCancel, markEventCanceled } from "../../store/events/events.ts";
import { deleteWaits } from "../../store/signals/signals.ts";
import { environmentClock } from "../environments/clock.ts";

export const cancelReason = "the event was canceled";

export async function cancel(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"events.cancel">,
): Promise<Output<"events.cancel">> {
  const { db } = ctx;
  const { environmentId } = caller;
  const event = await lockEventForCancel(db, environmentId, params.transactionId);
  if (!event) return false;
  const clock = await environmentClock(ctx, caller);
  const now = clock.now(environmentId);
  const hasDigests = await lockHandovers(db, environmentId, event.workflow_version_id);
  const windows = await lockRuns(db, environmentId, event.id);
  const handovers = hasDigests ? await findHandovers(ctx, environmentId, event.id) : [];
  // Messages before jobs: settling a delivery locks them in this order, and another order could deadlock.
  await withdrawMessages(db, environmentId, { eventId: event.id, reason: `Canceled: ${cancelReason}`, now });
  const leaders = windows.map((window) => window.leader_job_id);
  const stepCanceled = detail("step_canceled", now, { raw: { reason: cancelReason } });
  const canceled = new Set(
    await cancelJobsOfEvent(db, environmentId, {
      eventId: event.id,
      openLeaders: leaders,
      canceled: stepCanceled,
      now,
    }),
  );
  await deleteWaits(db, environmentId, [...canceled]);
  const left = handovers.filter(({ jobs }) => jobs.some((job) => canceled.has(job.id)));
  const moved = await handOver({ ...ctx, clock }, environmentId, event.id, left);
  const orphaned = windows.filter(({ leader_job_id: id }) => canceled.has(id) && !moved.has(id));
  await handOverDigests(ctx, environmentId, orphaned, clock);

  if (event.is_open) {
    await markEventCanceled(db, environmentId, event.id, now);
    await releaseHeldEvents({ ...ctx, clock }, environmentId, { eventId: event.id });
  }
  return event.is_open || canceled.size > 0;
}

type DigestWindows = Awaited<ReturnType<typeof lockRuns>>;

/** Windows whose leader was canceled get a new leader; those without another event are removed. */
async function handOverDigests(ctx: Ctx, environmentId: string, orphaned: DigestWindows, clock: Clock): Promise<void> {
  const { db } = ctx;
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
  await enqueueTimed({ ...ctx, clock }, "wake", wakes);
}
