// What webhooks are told, written in the transaction of the change it reports: both are there or neither is. An
// environment without webhooks pays nothing for this: which webhooks there are is remembered (store/webhooks/webhooks.ts), the
// database announces every change of them, and what nobody hears is not even described.
import type { MessageEventType, WebhookEvent, WebhookEventType } from "@tidings/contract";
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

/** A backstop for announcements that were missed while the listener was away. */
const rememberMs = 30_000;
/** A change made here counts from the moment its request was answered, whenever the announcement arrives. */
const graceMs = 5_000;

/** Messages described at once: with their contents this is a few megabytes. */
const messagesPerRound = 200;

/** How long what a webhook misses is kept after the service has switched it off: as long as deliveries are kept. */
const missedMs = 30 * 24 * 3_600_000;

export type EventData = WebhookEvent["data"];

/** Announced by the database: what was read before counts for nothing any more. */
export function forgetWebhooks(targets: WebhookTargets): void {
  targets.changedAt = Math.max(targets.changedAt, performance.now());
}

/** To be called by whoever changes a webhook, in its transaction. For a moment nothing is remembered at all. */
export function distrustWebhooks(targets: WebhookTargets): void {
  targets.changedAt = performance.now() + graceMs;
}

/** The webhooks of these environments: no query while they are remembered, else one for all of them. */
async function targetsOf(ctx: Ctx, environmentIds: Set<string>): Promise<Map<string, WebhookTarget[]>> {
  const { byEnvironment, changedAt } = ctx.webhookTargets;
  const readAt = performance.now();
  const found = new Map<string, WebhookTarget[]>();
  for (const environmentId of environmentIds) {
    const known = byEnvironment.get(environmentId);
    if (known && known.readAt > changedAt && readAt - known.readAt < rememberMs)
      found.set(environmentId, known.targets);
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

const hears = (type: WebhookEventType) => (target: WebhookTarget) =>
  target.eventTypes.length === 0 || target.eventTypes.includes(type);

/** Reports events of one type; `describe` is asked only when somebody hears of them. */
export async function emit(
  ctx: Ctx,
  environmentId: string,
  type: WebhookEventType,
  at: Date,
  describe: () => EventData[] | Promise<EventData[]>,
): Promise<void> {
  const targets = (await targetsOf(ctx, new Set([environmentId]))).get(environmentId)!.filter(hears(type));
  if (targets.length === 0) return;
  const events = await describe();
  await write(
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

/** Reports what happened to messages, as they are now. Those that are gone are left out. */
export async function emitMessages(ctx: Ctx, changes: MessageChange[]): Promise<void> {
  if (changes.length === 0) return;
  const targets = await targetsOf(ctx, new Set(changes.map((change) => change.environmentId)));
  if ([...targets.values()].every((webhooks) => webhooks.length === 0)) return;
  const heard = changes.flatMap((change) => {
    const listeners = targets.get(change.environmentId)!.filter(hears(change.type));
    return listeners.length > 0 ? [{ ...change, targets: listeners }] : [];
  });
  for (let from = 0; from < heard.length; from += messagesPerRound) {
    const round = heard.slice(from, from + messagesPerRound);
    const rows = await findMessagesToReport(ctx.db, [...new Set(round.map((change) => change.messageId))]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const happened = round.flatMap(({ messageId, error, ...event }) => {
      const row = byId.get(messageId);
      if (!row) return [];
      return [
        { ...event, data: { ...messageData(ctx, row, event.targets[0]!.organizationId), ...(error && { error }) } },
      ];
    });
    await write(ctx, happened);
  }
}

/** Reports messages that are no more, as they were. */
export async function emitDeleted(
  ctx: Ctx,
  environmentId: string,
  rows: ListedMessage[],
  organizationId: string,
  at: Date,
): Promise<void> {
  await emit(ctx, environmentId, "message.deleted", at, () => rows.map((row) => messageData(ctx, row, organizationId)));
}

/** The subscriber's device tokens and webhook addresses are nobody's business but the provider's. */
function messageData({ secrets }: Ctx, row: ListedMessage, organizationId: string): EventData {
  // Not even opened, since they are left out.
  const told = { ...row, subscriber: row.subscriber && { ...row.subscriber, channels: [] } };
  const { subscriber, payload, ...message } = toMessage(secrets, { organizationId }, told);
  const { channels, ...person } = subscriber ?? {};
  return {
    object: { ...message, ...(payload && { payload }), ...(subscriber && { subscriber: person }) },
    ...(row.subscriber ? { subscriberId: row.subscriber.subscriber_id } : {}),
  };
}

type Happened = {
  environmentId: string;
  type: WebhookEventType;
  at: Date;
  data: EventData;
  targets: WebhookTarget[];
};

/** The id of an event as receivers see it. */
export const publicEventId = (id: string): string => `evt_${id.replaceAll("-", "")}`;

export function webhookTask(environmentId: string, webhookId: string, deliveryId: string): NewTask {
  const data: WebhookTask = { deliveryId };
  return { data, environmentId, lane: webhookId, cost: costOf("webhook", data) };
}

async function write(ctx: Ctx, happened: Happened[]): Promise<void> {
  if (happened.length === 0) return;
  const events: WebhookEventRow[] = [];
  const deliveries: NewDelivery[] = [];
  for (const { environmentId, type, at, data, targets } of happened) {
    const id = ctx.newId();
    const object = type.slice(0, type.indexOf(".")) as WebhookEvent["object"];
    const event: WebhookEvent = {
      id: publicEventId(id),
      type,
      object,
      data,
      timestamp: at.toISOString(),
      environmentId,
    };
    events.push({
      id,
      environment_id: environmentId,
      type,
      body: sealText(ctx.secrets, JSON.stringify(event)),
      created_at: at,
    });
    for (const { id: webhook_id, isOff } of targets) {
      deliveries.push({ id: ctx.newId(), environment_id: environmentId, webhook_id, event_id: id, isOff });
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
