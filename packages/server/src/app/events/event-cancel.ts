// Canceling an event: what waits of it (pipeline/run/cancel.ts), and its recipients who have not been notified yet.
import type { Input, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { cancelRuns } from "../../pipeline/run/cancel.ts";
import { closeEvent } from "../../pipeline/trigger/close-event.ts";
import { lockEventForCancel } from "../../store/events/events.ts";
import { environmentClock } from "../environments/clock.ts";

export const cancelReason = "the event was canceled";

export async function cancel(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"events.cancel">,
): Promise<Output<"events.cancel">> {
  const { environmentId } = caller;
  const event = await lockEventForCancel(ctx.db, environmentId, params.transactionId);
  if (!event) return false;
  const batch = { ...ctx, clock: await environmentClock(ctx, caller) };
  const runs = { eventId: event.id };
  const { jobs } = await cancelRuns(batch, environmentId, {
    runs,
    versionIds: [event.workflow_version_id],
    reason: cancelReason,
  });
  await closeEvent(batch, environmentId, event);
  return event.is_open || jobs.length > 0;
}
