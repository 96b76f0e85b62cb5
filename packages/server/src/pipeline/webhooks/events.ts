// Events for webhooks, written in the transaction of the change they report: both are committed or neither is. An
// environment without webhooks costs no query: the webhooks of each environment are cached
// (store/webhooks/webhooks.ts), PostgreSQL notifies every process of a change, and an event without a webhook is not
// even built.
import type { MessageEventType, SentEventType, WebhookEvent, WebhookEventType } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { sealText } from "../../lib/sealed.ts";
import { findMessagesToReport } from "../../store/messages/messages.batch.ts";
import type { ListedMessage } from "../../store/messages/messages.ts";
import type { NewTask } from "../../store/queue/queue.ts";
import {
  insertWebhookEvents,
  type NewDelivery,
  type WebhookEventRow,
} from "../../store/webhooks/webhook-deliveries.ts";
import { findWebhookTargets } from "../../store/webhooks/webhooks.batch.ts";
import type { WebhookTarget, WebhookTargets } from "../../store/webhooks/webhooks.ts";
import { costOf, type WebhookTask } from "../tasks.ts";
import { toMessage } from "../views.ts";

/** Cached webhooks expire after this time, in case a notification was missed while the connection was down. */
const cacheMs = 30_000;
/** How long this process does not use its cache after it changed a webhook: the notification may arrive later. */
const graceMs = 5_000;

/** Messages read at once: with their contents this is a few megabytes. */
const messagesPerRound = 200;

/** How long the events of a disabled webhook are kept for a replay: as long as deliveries are kept. */
const missedMs = 30 * 24 * 3_600_000;

export type EventData = WebhookEvent["data"];

/** A notification of the database: cached webhooks that were read before are stale. */
export function expireWebhookCache(targets: WebhookTargets): void {
  targets.changedAt = Math.max(targets.changedAt, performance.now());
}

/** Called in the transaction that changes a webhook. The cache is not used for the next 5 s. */
export function invalidateWebhookCache(targets: WebhookTargets): void {
  targets.changedAt = performance.now() + graceMs;
}

/** The webhooks of these environments: from the cache, or with one query for all that are missing in it. */
async function findTargets(ctx: Ctx, environmentIds: Set<string>): Promise<Map<string, WebhookTarget[]>> {
  const { byEnvironment, changedAt } = ctx.webhookTargets;
  const readAt = performance.now();
  const found = new Map<string, WebhookTarget[]>();
  for (const environmentId of environmentIds) {
    const known = byEnvironment.get(environmentId);
    if (known && known.readAt > changedAt && readAt - known.readAt < cacheMs) found.set(environmentId, known.targets);
  }
  const missing = [...environmentIds].filter((environmentId) => !found.has(environmentId));
  if (missing.length === 0) return found;
  const offSince = new Date(ctx.now().getTime() - missedMs);
  for (const [environmentId, targets] of await findWebhookTargets(ctx.db, missing, offSince)) {
    byEnvironment.set(environmentId, { readAt, targets });
    found.set(environmentId, targets);
  }
  return found;
}

const isSubscribedTo = (type: WebhookEventType) => (target: WebhookTarget) =>
  target.eventTypes.length === 0 || target.eventTypes.includes(type);

/** Emits events of one type; `build` is called only when a webhook is subscribed to them. */
export async function emit(
  ctx: Ctx,
  { environmentId, type, at }: { environmentId: string; type: WebhookEventType; at: Date },
  build: (organizationId: string) => EventData[] | Promise<EventData[]>,
): Promise<void> {
  const targets = (await findTargets(ctx, new Set([environmentId]))).get(environmentId)!.filter(isSubscribedTo(type));
  const [first] = targets;
  if (!first) return;
  const events = await build(first.organizationId);
  await writeEvents(
    ctx,
    events.map((data) => ({ environmentId, type, at, data, targets })),
  );
}

export type MessageChange = {
  environmentId: string;
  messageId: string;
  type: MessageEventType;
  at: Date;
  error?: EventData["error"];
};

/** Emits changes of messages, with the current messages. Deleted messages emit no event. */
export async function emitMessages(ctx: Ctx, changes: MessageChange[]): Promise<void> {
  if (changes.length === 0) return;
  const targets = await findTargets(ctx, new Set(changes.map((change) => change.environmentId)));
  if ([...targets.values()].every((webhooks) => webhooks.length === 0)) return;
  const wanted = changes.flatMap((change) => {
    const subscribed = targets.get(change.environmentId)!.filter(isSubscribedTo(change.type));
    return subscribed.length > 0 ? [{ ...change, targets: subscribed }] : [];
  });
  for (let from = 0; from < wanted.length; from += messagesPerRound) {
    const round = wanted.slice(from, from + messagesPerRound);
    const rows = await findMessagesToReport(
      ctx.db,
      round.map(({ environmentId, messageId }) => ({ environment_id: environmentId, id: messageId })),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const events = round.flatMap(({ messageId, error, ...event }) => {
      const row = byId.get(messageId);
      if (!row) return [];
      const data = { ...messageData(ctx, row, event.targets[0]!.organizationId), ...(error && { error }) };
      return [{ ...event, data, trace: row.trace_context }];
    });
    await writeEvents(ctx, events);
  }
}

/** Emits the deletion of messages, with the deleted messages. */
export async function emitDeleted(
  ctx: Ctx,
  rows: ListedMessage[],
  { environmentId, at }: { environmentId: string; at: Date },
): Promise<void> {
  const event = { environmentId, type: "message.deleted", at } as const;
  await emit(ctx, event, (organizationId) => rows.map((row) => messageData(ctx, row, organizationId)));
}

/** Without the subscriber's device tokens and chat addresses, which only providers need. */
function messageData({ secrets }: Ctx, row: ListedMessage, organizationId: string): EventData {
  // They are not even decrypted.
  const withoutChannels = { ...row, subscriber: row.subscriber && { ...row.subscriber, channels: [] } };
  const { subscriber, payload, ...message } = toMessage(secrets, { organizationId }, withoutChannels);
  const { channels, ...profile } = subscriber ?? {};
  return {
    object: { ...message, ...(payload && { payload }), ...(subscriber && { subscriber: profile }) },
    ...(row.subscriber ? { subscriberId: row.subscriber.subscriber_id } : {}),
  };
}

type NewEvent = {
  environmentId: string;
  type: WebhookEventType;
  at: Date;
  data: EventData;
  trace?: string | null;
  targets: WebhookTarget[];
};

/** The id of an event as receivers see it. */
export const publicEventId = (id: string): string => `evt_${id.replaceAll("-", "")}`;

export function webhookTask(environmentId: string, webhookId: string, deliveryId: string): NewTask {
  const data: WebhookTask = { deliveryId };
  return { data, environmentId, lane: webhookId, cost: costOf("webhook", data) };
}

type EventParts = { environmentId: string; type: SentEventType; at: Date; data: EventData; trace?: string | null };

/** An event with the text that is sent and signed. */
export function toEventRow(ctx: Ctx, { environmentId, type, at, data, trace = null }: EventParts): WebhookEventRow {
  const id = ctx.newId();
  const object = type.slice(0, type.indexOf(".")) as WebhookEvent["object"];
  const event: WebhookEvent = { id: publicEventId(id), type, object, data, timestamp: at.toISOString(), environmentId };
  const body = sealText(ctx.secrets, JSON.stringify(event));
  return { id, environment_id: environmentId, type, body, trace_context: trace, created_at: at };
}

async function writeEvents(ctx: Ctx, newEvents: NewEvent[]): Promise<void> {
  if (newEvents.length === 0) return;
  const events: WebhookEventRow[] = [];
  const deliveries: NewDelivery[] = [];
  for (const { targets, ...parts } of newEvents) {
    const { environmentId } = parts;
    const event = toEventRow(ctx, parts);
    events.push(event);
    for (const { id: webhook_id, isOff } of targets) {
      deliveries.push({ id: ctx.newId(), environment_id: environmentId, webhook_id, event_id: event.id, isOff });
    }
  }
  await insertWebhookEvents(ctx.db, events, deliveries);
  await ctx.queue.enqueue(
    ctx.db,
    "webhook",
    deliveries.flatMap(({ id, environment_id, webhook_id, isOff }) =>
      isOff ? [] : webhookTask(environment_id, webhook_id, id),
    ),
  );
}
