// Canceling an event: what waits of it (cancel.ts), and its recipients who have not been notified yet.
import { lockEventForCancel } from "../../store/events/events.ts";
import type { Batch } from "../batch.ts";
import { closeEvent } from "../trigger/close-event.ts";
import { cancelRuns } from "./cancel.ts";

export const cancelReason = "the event was canceled";

/** Returns whether anything was left to cancel. */
export async function cancelEvent(batch: Batch, environmentId: string, transactionId: string): Promise<boolean> {
  const event = await lockEventForCancel(batch.db, environmentId, transactionId);
  if (!event) return false;
  const { jobs } = await cancelRuns(batch, environmentId, {
    runs: { eventId: event.id },
    versionIds: [event.workflow_version_id],
    reason: cancelReason,
  });
  await closeEvent(batch, environmentId, event);
  return event.is_open || jobs.length > 0;
}
