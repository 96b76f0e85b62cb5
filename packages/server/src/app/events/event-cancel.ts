// Canceling an event: nothing of it begins any more. What a worker holds this moment finishes; the rest of its jobs are
// canceled, messages that wait for their provider are withdrawn, and a digest that it led goes to the oldest event that
// was merged into it.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { enqueueTimed } from "../../pipeline/clock/clock.ts";
import { detail } from "../../pipeline/rules/details.ts";
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
import { environmentClock } from "../environments/clock.ts";

const reason = "the event was canceled";

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
  await lockHandovers(db, environmentId, event.workflow_version_id);
  const windows = await lockRuns(db, environmentId, event.id);
  // Before the jobs: settling a delivery takes message and job in this order.
  await withdrawMessages(db, environmentId, event.id, `Canceled: ${reason}`, now);
  const leaders = windows.map((window) => window.leader_job_id);
  const canceled = new Set(
    await cancelJobsOfEvent(
      db,
      environmentId,
      event.id,
      leaders,
      detail("step_canceled", now, { raw: { reason } }),
      now,
    ),
  );

  const orphaned = windows.filter((window) => canceled.has(window.leader_job_id));
  const heirs = await findNextLeaders(db, environmentId, orphaned);
  const taken = detail("step_digested", now, { raw: { reason: "the event that led this digest was canceled" } });
  await handOverWindows(db, environmentId, heirs, taken, now);
  const inherited = new Set(heirs.map((heir) => heir.old_leader_id));
  const empty = orphaned.map((window) => window.leader_job_id).filter((id) => !inherited.has(id));
  await deleteWindows(db, environmentId, empty);
  const wakes = heirs.map(({ notification_id: id, due_at: at }) => ({
    environmentId,
    data: { notificationIds: [id] },
    at,
  }));
  await enqueueTimed({ ...ctx, clock }, "wake", wakes);

  if (event.is_open) await markEventCanceled(db, environmentId, event.id, now);
  return event.is_open || canceled.size > 0;
}
