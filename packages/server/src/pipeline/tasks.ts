// What travels through the queue: small, typed, ids only. Everything else is read from the store when the task is worked.

/** Accepted events whose recipients are to be notified, one task per request. */
export type TriggerTask = { eventIds: string[] };

/** A slice of one event's recipients, when an event or a batch has too many for one transaction. */
export type SliceTask = { eventId: string; from: number; to: number };

/**
 * A page of one event's audience: members behind `after`, in order of their internal id. The transaction that makes
 * the page's notifications enqueues the next page, so a walk that is interrupted goes on where it stopped. `until` is
 * fixed by the first page: who becomes a subscriber later is not in the audience, and the walk has an end.
 */
export type PageTask = { eventId: string; after: string | null; until: string | null };

export type FanoutTask = SliceTask | PageTask;

/** Runs to take further: their wait is over, or what they waited for has been delivered. */
export type WakeTask = { notificationIds: string[] };

/** A message to hand to its provider. */
export type DeliverTask = { messageId: string };

export type HousekeepingTask = { name: "partitions" | "idempotency" | "environments" };

/** Recipients handled in one transaction: large enough to be set-based, small enough to keep memory and locks short. */
export const recipientsPerBatch = 1_000;
