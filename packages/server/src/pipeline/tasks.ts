// What travels through the queue: small, typed, ids only. Everything else is read from the store when the task is worked.

/** Accepted events whose recipients are to be notified, one task per request. */
export type TriggerTask = { eventIds: string[] };

/** A slice of one event's recipients, when an event or a batch has too many for one transaction. */
export type FanoutTask = { eventId: string; from: number; to: number };

/** Runs to take further: their wait is over, or what they waited for has been delivered. */
export type WakeTask = { notificationIds: string[] };

/** A message to hand to its provider. */
export type DeliverTask = { messageId: string };

export type HousekeepingTask = { name: "partitions" | "idempotency" };

/** Recipients handled in one transaction: large enough to be set-based, small enough to keep memory and locks short. */
export const recipientsPerBatch = 1_000;
