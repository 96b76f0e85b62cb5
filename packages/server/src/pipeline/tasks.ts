// The data of tasks in the queue: small, typed, ids only. Everything else is read from the store when the task is run.
import type { JsonObject } from "../lib/json.ts";
import type { RowKey } from "../store/keys.ts";
import type { Task, TaskKind } from "../store/queue/queue.ts";

/** Which tasks go first, for what comes from a workflow (attention/message-class.ts); absent: normal. */
export type Ranked = { priority?: "high" | "low" };

/**
 * Accepted events whose recipients are to be notified. `isOrdered`: events of one request that may reach the same
 * subscriber; each starts when the one before it has started for all its recipients.
 */
export type TriggerTask = Ranked & { eventIds: string[]; isOrdered?: true };

/** A slice of one event's recipients, when an event or a batch has too many for one transaction. */
export type SliceTask = Ranked & { eventId: string; from: number; to: number };

/**
 * A page of one event's audience: the members after `after`, in order of their internal id. The transaction that
 * creates the notifications of a page enqueues the next page, so an interrupted walk continues where it stopped.
 * `until` is fixed by the first page: subscribers created later are not in the audience, so the walk ends. The members
 * after the first page are divided into a few ranges, which are walked in parallel.
 */
export type PageTask = Ranked & { eventId: string; after: string | null; until: string | null };

/** An event to audiences starts: its people are fixed as pages. */
export type FreezeTask = Ranked & { eventId: string; isFreeze: true };

/**
 * A page of people that were fixed. `lane`: the walk that continues after it; null for a part of a page that failed as
 * a whole. `turn`: how often the broadcast had been resumed.
 */
export type FixedPageTask = Ranked & { eventId: string; page: number; lane: number | null; turn: number };

/**
 * One of the walks through an event's audience has ended. `isFixed`: through pages that were fixed. `lost`: the channel
 * whose last integration was switched off, for which the broadcast pauses.
 */
export type WalkEndTask = Ranked & { environmentId: string; eventId: string; isFixed?: true; lost?: string };

export type FanoutTask = SliceTask | PageTask | FreezeTask | FixedPageTask | WalkEndTask;

/** Runs to continue: their wait is over, or their message has been delivered. */
export type WakeTask = Ranked & { notificationIds: string[] };

/** A step of a run that asks the bridge of its workflow, or makes an HTTP request. */
export type AskTask = Ranked & { notificationId: string; jobId: string };

/** Messages to send to their provider, which leave the task one by one as their results are written. */
export type DeliverTask = Ranked & {
  messageIds: string[];
  /** The integration whose open circuit breaker they wait for. */
  heldBy?: string;
  /** The circuit has closed since: they wait for a slot, or for the pace of the integration. */
  isReleased?: boolean;
};

/** A snoozed message that is due. */
export type UnsnoozeTask = { messageId: string };

/** A test clock to move, or to remove. */
export type ClockMoveTask = { environmentId: string };

/** One event to send to one webhook. */
export type WebhookTask = { deliveryId: string };

/** The next page of a replay of dead letters. */
export type ReplayTask = { replayId: string; turn: number };

/** The next of the messages that an integration held. `until`: those held later are not part of it (ms). */
export type ReleaseTask = { integrationId: string; until?: number };

/** A page of lines of an import. The transaction that finishes it enqueues the next one. */
export type ImportTask = { importId: string; page: number };

/** A pass over all alert rules, or a message of such a pass. */
export type AlertTask = { name: "pass" } | { messageId: string };

/** The next batch of an erasure. The transaction that finishes it enqueues the next one. */
export type EraseTask = { erasureId: string; turn: number };

/** The next page of a retraction. The transaction that finishes it enqueues the next one. */
export type RetractTask = { retractionId: string };

/** The next page of the check of a draft. `checkId`: a check that was replaced ends. */
export type CheckTask = { broadcastId: string; checkId: string };

/** The next page of people of a backtest. */
export type BacktestTask = { backtestId: string } & Ranked;

/** Messages to retract where their provider can do it. `tries`: calls that failed so far. */
export type UnsendTask = { messageIds: string[]; tries?: number };

/** A call by SQL that was refused and is tried again; a type and not an id, as its row has left the outbox. */
export type RelayTask = { sourceId: string; transactionId: string; kind: string; body: JsonObject };

export type HousekeepingTask = {
  name:
    | "background"
    | "partitions"
    | "idempotency"
    | "environments"
    | "groups"
    | "webhooks"
    | "alerts"
    | "assets"
    | "receipts"
    | "expired"
    | "captured"
    | "retention"
    | "imports"
    | "people"
    | "statistics";
};

/** The keys of the rows that the tasks name. */
export function keysIn<T>(tasks: Task<T>[], idsOf: (data: T) => string[]): RowKey[] {
  return tasks.flatMap((task) => idsOf(task.data).map((id) => ({ environment_id: environmentOf(task), id })));
}

/** The priority that the data of a task carry, which whatever follows from the task has too. */
export const rankIn = (data: object): Ranked => {
  const { priority } = data as Ranked;
  return priority === undefined ? {} : { priority };
};

/** Every task but those of the whole installation is enqueued with its environment. */
export function environmentOf({ id, environmentId }: Task<unknown>): string {
  if (environmentId === undefined) throw new Error(`task ${id} has no environment`);
  return environmentId;
}

/** Recipients in one transaction: enough to share its queries, few enough to keep memory small and locks short. */
export const recipientsPerBatch = 500;

/** Recipients in one `trigger` task, of which several make a batch. An event with more is its own task. */
export const recipientsPerTask = 100;

/** Members of an audience on one page. Several walks run in parallel, so that larger pages would not be faster. */
export const membersPerPage = 500;

/**
 * Messages in one `deliver` task. A task of one message is 4 rows of the queue and some 20 index entries over its life,
 * more than the message and its attempt; a large task is a coarse turn in the order between environments.
 */
export const messagesPerTask = 10;

/** Runs of a retraction in one transaction. */
export const runsPerRetractPage = 500;

/** People of a draft that are simulated at once. */
export const peoplePerCheckPage = 500;

/** People whose period is replayed at once. */
export const peoplePerBacktestPage = 200;

/** Lines of an import in one transaction. */
export const linesPerPage = 500;

/** The cost of a call to a provider or a webhook, in recipients of an in-app message (bench/results.md). */
export const callCost = 4;

/**
 * The cost of a task, in recipients. A trigger task does not contain their number: its enqueuer passes the cost itself.
 */
export function costOf(kind: TaskKind, data: object): number {
  if (kind === "deliver" || kind === "unsend") return callCost * (data as UnsendTask).messageIds.length;
  if (kind === "retract") return runsPerRetractPage;
  if (kind === "check") return peoplePerCheckPage;
  if (kind === "backtest") return peoplePerBacktestPage;
  if (kind === "webhook" || kind === "bridge" || kind === "request") return callCost;
  if (kind === "import") return linesPerPage;
  if (kind === "wake") return (data as WakeTask).notificationIds.length;
  if (kind === "trigger") return (data as TriggerTask).eventIds.length;
  if (kind !== "fanout" || "environmentId" in data) return 1;
  return "from" in data ? (data as SliceTask).to - (data as SliceTask).from : membersPerPage;
}
