// The deliveries of a webhook: one event on its way to one address, with its attempts and the last response.
import { type Input, type Output, replayLimit, type WebhookDelivery } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { openText } from "../../lib/sealed.ts";
import { contentHeaders } from "../../pipeline/webhooks/call.ts";
import { publicEventId, webhookTask } from "../../pipeline/webhooks/events.ts";
import {
  findDelivery,
  findDeliveryIds,
  hasFailedSince,
  type ListedDelivery,
  listDeliveries,
  restartDeliveries,
} from "../../store/webhooks/webhook-deliveries.ts";
import { pageRange, toPage } from "../paging.ts";
import { requireWebhook } from "./webhooks.ts";

export const toDelivery = (row: ListedDelivery): WebhookDelivery => ({
  id: row.id,
  eventId: publicEventId(row.event_id),
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.next_at?.toISOString(),
  lastAttemptAt: row.last_at?.toISOString(),
  responseStatus: row.response_status ?? undefined,
  response: row.response ?? undefined,
  createdAt: row.created_at.toISOString(),
});

export async function list(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"webhooks.listDeliveries">,
): Promise<Output<"webhooks.listDeliveries">> {
  const { id } = await requireWebhook(ctx, caller, params.webhookId);
  const page = await listDeliveries(ctx.db, caller.environmentId, {
    webhookId: id,
    status: query.status,
    page: pageRange(query),
  });
  return { totalCount: page.totalCount, ...toPage(page.rows, query, toDelivery) };
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"webhooks.retrieveDelivery">,
): Promise<Output<"webhooks.retrieveDelivery">> {
  const webhook = await requireWebhook(ctx, caller, params.webhookId);
  const row = await findDelivery(ctx.db, caller.environmentId, webhook.id, params.deliveryId);
  if (!row) throw failure("WEBHOOK_DELIVERY_NOT_FOUND", { ids: params.deliveryId });
  const delivery = toDelivery(row);
  const headers = { ...contentHeaders, "webhook-id": delivery.eventId };
  return { ...delivery, request: { url: webhook.url, headers, body: openText(ctx.secrets, row.body) } };
}

export async function replay(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"webhooks.replay">,
): Promise<Output<"webhooks.replay">> {
  const { ids } = body;
  const since = readSince(body);
  const webhook = await requireWebhook(ctx, caller, params.webhookId);
  if (!webhook.active) throw failure("WEBHOOK_INACTIVE", { webhookId: webhook.id });
  if (ids) {
    const found = await findDeliveryIds(ctx.db, caller.environmentId, webhook.id, ids);
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0) throw failure("WEBHOOK_DELIVERY_NOT_FOUND", { ids: missing.slice(0, 20).join(", ") });
  }
  const target = ids ? { ids } : { failedSince: since! };
  const restarted = await restartDeliveries(ctx.db, caller.environmentId, {
    webhookId: webhook.id,
    target,
    limit: replayLimit,
  });
  await ctx.queue.enqueue(
    ctx.db,
    "webhook",
    restarted.map((deliveryId) => webhookTask(caller.environmentId, webhook.id, deliveryId)),
  );
  const isFull = restarted.length === replayLimit;
  const hasMore = isFull && !!since && (await hasFailedSince(ctx.db, caller.environmentId, webhook.id, since));
  return { replayed: restarted.length, hasMore };
}

function readSince({ ids, since }: Input<"webhooks.replay">["body"]): Date | null {
  if ((ids === undefined) === (since === undefined)) {
    throw invalid({ general: { messages: ["Either ids or since is required, not both"] } });
  }
  // Deliveries are compared by the time in their id, which begins in 1970.
  return since === undefined ? null : new Date(Math.max(0, Date.parse(since)));
}
