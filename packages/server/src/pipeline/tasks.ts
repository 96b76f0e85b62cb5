// What travels through the queue: small, typed, ids only. Everything else is read from the store when the task is worked.

import type { TaskKind } from "../store/queue/queue.ts";
/** Accepted events whose recipients are to be notified, one task per request. */
export type TriggerTask = { eventIds: string[] };

/** A slice of one event's recipients, when an event or a batch has too many for one transaction. */
export type SliceTask = { eventId: string; from: number; to: number };

/**
 * A page of one event's audience: members behind `after`, in order of their internal id. The transaction that makes
 * the page's notifications enqueues the next page, so a walk that is interrupted goes on where it stopped. `until` is
 * fixed by the first page: who becomes a subscriber later is not in the audience, and the walk has an end. What is left
 * behind the first page is cut into a few ranges, which are walked at the same time.
 */
export type PageTask = { eventId: string; after: string | null; until: string | null };

/** One of the walks through an event's audience has come to its end. */
export type WalkEndTask = { environmentId: string; eventId: string };

export type FanoutTask = SliceTask | PageTask | WalkEndTask;

/** Runs to take further: their wait is over, or what they waited for has been delivered. */
export type WakeTask = { notificationIds: string[] };

/** A message to hand to its provider. */
export type DeliverTask = { messageId: string };

/** A snoozed message whose time has come. */
export type UnsnoozeTask = { messageId: string };

/** A test clock that is to be moved, or the end of one. */
export type ClockMoveTask = { environmentId: string };

/** An event to tell a webhook. */
export type WebhookTask = { deliveryId: string };

export type HousekeepingTask = {
  name:
    | "partitions"
    | "idempotency"
    | "environments"
    | "groups"
    | "webhooks"
    | "receipts"
    | "captured"
    | "deadLetters"
    | "seals";
};

/** Recipients handled in one transaction: large enough to be set-based, small enough to keep memory and locks short. */
export const recipientsPerBatch = 500;

/** Recipients in one `trigger` task, of which several make a batch. An event with more is a task of its own. */
export const recipientsPerTask = 100;

/** Members of an audience on one page. Several walks are under way at once, so that a smaller page is as fast, and lighter. */
export const membersPerPage = 500;

/** What a message to a provider or a webhook costs beside a recipient of an in-app message (bench/results.md). */
const callCost = 4;

/** What a task costs, in recipients. A trigger task does not say how many it has: whoever enqueues it knows. */
export function costOf(kind: TaskKind, data: object): number {
  if (kind === "deliver" || kind === "webhook") return callCost;
  if (kind === "wake") return (data as WakeTask).notificationIds.length;
  if (kind === "trigger") return (data as TriggerTask).eventIds.length;
  if (kind !== "fanout" || "environmentId" in data) return 1;
  const task = data as SliceTask | PageTask;
  return "from" in task ? task.to - task.from : membersPerPage;
}
