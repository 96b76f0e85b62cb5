// Webhooks of an environment: made, changed, looked at, replayed. What they are told is pipeline/webhooks/events.ts, how
// it reaches them pipeline/webhooks/stage.ts.
import {
  type Input,
  type Output,
  replayLimit,
  type Webhook,
  type WebhookDelivery,
  webhooksPerEnvironment,
} from "@tidings/contract";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { newWebhookSecret } from "../../lib/standard-webhooks.ts";
import { invalidateWebhookCache, publicEventId, webhookTask } from "../../pipeline/webhooks/events.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import {
  findDeliveryIds,
  hasFailedSince,
  type ListedDelivery,
  listDeliveries as listDeliveryRows,
  restartDeliveries,
} from "../../store/webhooks/webhook-deliveries.ts";
import {
  findWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type WebhookRow,
} from "../../store/webhooks/webhooks.ts";
import { pageRange, toPage } from "../paging.ts";
import { checkWebhookUrl } from "./webhook-url.ts";

/** How long the secret before a rotation goes on signing. */
const doubleSigningMs = 24 * 3_600_000;

const toWebhook = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  eventTypes: row.event_types,
  active: row.active,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  disabledAt: row.disabled_at?.toISOString(),
  disabledReason: row.disabled_reason ?? undefined,
});

async function requireWebhook(ctx: Ctx, caller: Caller, webhookId: string, options: { lock?: boolean } = {}) {
  const row = await findWebhook(ctx.db, caller.environmentId, webhookId, options);
  if (!row) throw failure("WEBHOOK_NOT_FOUND", { webhookId });
  return row;
}

export async function list(ctx: Ctx, caller: Caller): Promise<Output<"webhooks.list">> {
  return (await listWebhooks(ctx.db, caller.environmentId)).map(toWebhook);
}

export const checkNew = (ctx: NetworkCtx, caller: Caller, { body }: Input<"webhooks.create">): Promise<void> =>
  checkWebhookUrl(ctx, caller, body.url);

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"webhooks.create">,
): Promise<Output<"webhooks.create">> {
  await lockEnvironment(ctx.db, caller.environmentId);
  const others = await listWebhooks(ctx.db, caller.environmentId);
  if (others.length >= webhooksPerEnvironment)
    throw failure("WEBHOOK_LIMIT", { limit: String(webhooksPerEnvironment) });
  const now = ctx.now();
  const secret = newWebhookSecret();
  const row = await insertWebhook(ctx.db, {
    id: ctx.newId(),
    environment_id: caller.environmentId,
    url: body.url,
    event_types: [...new Set(body.eventTypes)],
    active: body.active ?? true,
    secret: ctx.secrets.encrypt(secret),
    previous_secret: null,
    previous_secret_until: null,
    failing_since: null,
    disabled_at: null,
    disabled_reason: null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  });
  invalidateWebhookCache(ctx.webhookTargets);
  return { ...toWebhook(row), secret };
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"webhooks.retrieve">,
): Promise<Output<"webhooks.retrieve">> {
  return toWebhook(await requireWebhook(ctx, caller, params.webhookId));
}

export async function checkChange(
  ctx: NetworkCtx,
  caller: Caller,
  { params, body }: Input<"webhooks.update">,
): Promise<void> {
  if (body.url === undefined) return;
  const { url } = await requireWebhook(ctx, caller, params.webhookId);
  if (body.url !== url) await checkWebhookUrl(ctx, caller, body.url);
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"webhooks.update">,
): Promise<Output<"webhooks.update">> {
  const row = await requireWebhook(ctx, caller, params.webhookId, { lock: true });
  // Whoever says on or off has seen why the service switched it off.
  const decided = { disabled_at: null, disabled_reason: null, failing_since: null };
  const saved = await updateWebhook(ctx.db, caller.environmentId, row.id, {
    url: body.url ?? row.url,
    event_types: body.eventTypes ? [...new Set(body.eventTypes)] : row.event_types,
    active: body.active ?? row.active,
    ...(body.active === undefined ? {} : decided),
    updated_at: ctx.now(),
  });
  invalidateWebhookCache(ctx.webhookTargets);
  return toWebhook(saved);
}

/** The row stays until its deliveries have aged out; its secrets go at once. */
export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"webhooks.delete">,
): Promise<Output<"webhooks.delete">> {
  const row = await requireWebhook(ctx, caller, params.webhookId, { lock: true });
  const now = ctx.now();
  const gone = { active: false, secret: "", previous_secret: null, deleted_at: now, updated_at: now };
  await updateWebhook(ctx.db, caller.environmentId, row.id, gone);
  invalidateWebhookCache(ctx.webhookTargets);
}

export async function rotateSecret(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"webhooks.rotateSecret">,
): Promise<Output<"webhooks.rotateSecret">> {
  const row = await requireWebhook(ctx, caller, params.webhookId, { lock: true });
  const now = ctx.now();
  const secret = newWebhookSecret();
  const saved = await updateWebhook(ctx.db, caller.environmentId, row.id, {
    secret: ctx.secrets.encrypt(secret),
    previous_secret: row.secret,
    previous_secret_until: new Date(now.getTime() + doubleSigningMs),
    updated_at: now,
  });
  return { ...toWebhook(saved), secret };
}

const toDelivery = (row: ListedDelivery): WebhookDelivery => ({
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

export async function listDeliveries(
  ctx: Ctx,
  caller: Caller,
  { params, query }: Input<"webhooks.listDeliveries">,
): Promise<Output<"webhooks.listDeliveries">> {
  const { id } = await requireWebhook(ctx, caller, params.webhookId);
  const page = await listDeliveryRows(ctx.db, caller.environmentId, id, query.status, pageRange(query));
  return { totalCount: page.totalCount, ...toPage(page.rows, query, toDelivery) };
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
  const restarted = await restartDeliveries(ctx.db, caller.environmentId, webhook.id, target, replayLimit);
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
  // 1970 is the smallest time an id can have.
  return since === undefined ? null : new Date(Math.max(0, Date.parse(since)));
}
