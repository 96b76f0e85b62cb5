// No more recipients of an event are notified.
import { stopBroadcastOf } from "../../store/broadcasts/broadcasts.ts";
import { type CancelableEvent, markEventCanceled } from "../../store/events/events.ts";
import type { Batch } from "../batch.ts";
import { releaseHeldEvents } from "./batch-plan.ts";

/** `event` is locked. Nothing changes if all its recipients have been notified. */
export async function closeEvent(batch: Batch, environmentId: string, event: CancelableEvent): Promise<void> {
  if (!event.is_open) return;
  const now = batch.clock.now(environmentId);
  await markEventCanceled(batch.db, environmentId, event.id, now);
  await stopBroadcastOf(batch.db, environmentId, event.id, now);
  await releaseHeldEvents(batch, environmentId, { eventId: event.id });
}
