// The webhooks of an environment. Which events they get is pipeline/webhooks/events.ts, how these are delivered
// pipeline/webhooks/stage.ts; listing and replaying deliveries is webhook-deliveries.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { countedDeliveries, type Input, type Output, type Webhook, webhooksPerEnvironment } from "@tidings/contract";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { newWebhookSecret } from "../../lib/standard-webhooks.ts";
import { AddressRefusedError } from "../../lib/url-guard.ts";
import { invalidateWebhookCache } from "../../pipeline/webhooks/events.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import {
  countDeliveries,
  type DeliveryFigures,
  findWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type WebhookRow,
} from "../../store/webhooks/webhooks.ts";

/** After a rotation deliveries are signed with the previous secret too, for this long. */
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

function healthOf(row: WebhookRow, figures: DeliveryFigures | undefined): NonNullable<Webhook["health"]> {
  const { last_success_at = null, pending = 0 } = figures ?? {};
  return {
    state: row.failures > 0 ? "failing" : last_success_at ? "healthy" : "idle",
    failures: row.failures,
    failingSince: row.failing_since?.toISOString(),
    lastSuccessAt: last_success_at?.toISOString(),
    lastFailureAt: row.last_failure_at?.toISOString(),
    lastError: row.last_error ?? undefined,
    pending,
  };
}

async function withHealth({ db }: Ctx, { environmentId }: Caller, rows: WebhookRow[]): Promise<Webhook[]> {
  const ids = rows.map(({ id }) => id);
  const figures = new Map(
    (await countDeliveries(db, environmentId, ids, countedDeliveries)).map((one) => [one.id, one]),
  );
  return rows.map((row) => ({ ...toWebhook(row), health: healthOf(row, figures.get(row.id)) }));
}

const view = async (ctx: Ctx, caller: Caller, row: WebhookRow): Promise<Webhook> =>
  (await withHealth(ctx, caller, [row]))[0]!;

export async function requireWebhook(ctx: Ctx, caller: Caller, webhookId: string, options: { lock?: boolean } = {}) {
  const row = await findWebhook(ctx.db, caller.environmentId, webhookId, options);
  if (!row) throw failure("WEBHOOK_NOT_FOUND", { webhookId });
  return row;
}

export async function list(ctx: Ctx, caller: Caller): Promise<Output<"webhooks.list">> {
  return withHealth(ctx, caller, await listWebhooks(ctx.db, caller.environmentId));
}

/** A slower name server does not hold up the request: each delivery checks the address again. */
const resolveMs = 2_000;

/**
 * Why the service may not send to this address, or null. A host may resolve to another address later, so every call
 * checks it again. `field`: its name in the request.
 */
export async function findUrlFault(
  ctx: NetworkCtx,
  caller: Caller,
  { field, text }: { field: string; text: string },
): Promise<string | null> {
  const url = URL.parse(text);
  if (!url) return `${field} must be a URL, such as https://example.com/webhooks`;
  const isDevelopment = caller.environmentType === "dev";
  if (url.protocol !== "https:" && !(isDevelopment && url.protocol === "http:")) {
    return isDevelopment ? `${field} must start with https:// or http://` : `${field} must start with https://`;
  }
  if (url.username || url.password) return `${field} must not contain a user name or password`;
  const fault = await findHostFault(ctx, url.hostname);
  return fault && `${field} must not point to a private or local address: ${fault}`;
}

/** 422 when the webhook may not point there. */
async function checkUrl(ctx: NetworkCtx, caller: Caller, text: string): Promise<void> {
  const fault = await findUrlFault(ctx, caller, { field: "url", text });
  if (fault) throw invalid({ url: { messages: [fault], value: text } });
}

export const findHostFault = (ctx: NetworkCtx, host: string): Promise<string | null> =>
  Promise.race([addressFault(ctx, host), sleep(resolveMs, null, { ref: false })]);

/** Why the host may not be connected to. A host that does not resolve is accepted: its DNS record may follow. */
async function addressFault(ctx: NetworkCtx, host: string): Promise<string | null> {
  try {
    await ctx.resolveHost(host);
    return null;
  } catch (error) {
    return error instanceof AddressRefusedError ? error.message : null;
  }
}

export const checkNew = (ctx: NetworkCtx, caller: Caller, { body }: Input<"webhooks.create">): Promise<void> =>
  checkUrl(ctx, caller, body.url);

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
    failures: 0,
    last_failure_at: null,
    last_error: null,
    disabled_at: null,
    disabled_reason: null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  });
  invalidateWebhookCache(ctx.webhookTargets);
  return { ...(await view(ctx, caller, row)), secret };
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"webhooks.retrieve">,
): Promise<Output<"webhooks.retrieve">> {
  return view(ctx, caller, await requireWebhook(ctx, caller, params.webhookId));
}

export async function checkChange(
  ctx: NetworkCtx,
  caller: Caller,
  { params, body }: Input<"webhooks.update">,
): Promise<void> {
  if (body.url === undefined) return;
  const { url } = await requireWebhook(ctx, caller, params.webhookId);
  if (body.url !== url) await checkUrl(ctx, caller, body.url);
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"webhooks.update">,
): Promise<Output<"webhooks.update">> {
  const row = await requireWebhook(ctx, caller, params.webhookId, { lock: true });
  // Setting `active` either way clears the reason why the service disabled the webhook.
  const reset = { disabled_at: null, disabled_reason: null, failing_since: null, failures: 0 };
  const saved = await updateWebhook(ctx.db, caller.environmentId, row.id, {
    url: body.url ?? row.url,
    event_types: body.eventTypes ? [...new Set(body.eventTypes)] : row.event_types,
    active: body.active ?? row.active,
    ...(body.active === undefined ? {} : reset),
    updated_at: ctx.now(),
  });
  invalidateWebhookCache(ctx.webhookTargets);
  return view(ctx, caller, saved);
}

/** The row stays until the retention of its deliveries ends; its secrets are removed at once. */
export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"webhooks.delete">,
): Promise<Output<"webhooks.delete">> {
  const row = await requireWebhook(ctx, caller, params.webhookId, { lock: true });
  const now = ctx.now();
  const deleted = { active: false, secret: "", previous_secret: null, deleted_at: now, updated_at: now };
  await updateWebhook(ctx.db, caller.environmentId, row.id, deleted);
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
  return { ...(await view(ctx, caller, saved)), secret };
}
