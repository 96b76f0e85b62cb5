// Integrations: provider credentials per channel, which one is primary, and whether they are fit to send.
import type { Input, Integration, IntegrationPatch, Output } from "@tidings/contract";
import { check as checkProvider, findProvider, validateCredentials } from "@tidings/providers";
import type { Caller, Ctx } from "../context.ts";
import { failure, faultCollector } from "../failure.ts";
import { randomText } from "../lib/ids.ts";
import { isUniqueViolation } from "../store/db.ts";
import { findEnvironment } from "../store/environments.ts";
import {
  findIntegration,
  type IntegrationRow,
  insertIntegration,
  listIntegrations,
  lockIntegrations,
  markIntegrationDeleted,
  nextPriority,
  updateIntegration,
} from "../store/integrations.ts";
import { keepMasked, maskConfigurations, maskCredentials, seal, unseal } from "./credentials.ts";

type JsonObject = Record<string, unknown>;

const hasPrimary = (channel: string): boolean => channel === "email" || channel === "sms";

const toIntegration = (ctx: Ctx, caller: Caller, row: IntegrationRow): Integration => ({
  _id: row.id,
  _environmentId: row.environment_id,
  _organizationId: caller.organizationId,
  name: row.name,
  identifier: row.identifier,
  providerId: row.provider_id,
  channel: row.channel,
  credentials: maskCredentials(row.provider_id, unseal(ctx.secrets, row.credentials)),
  configurations: row.configurations ? maskConfigurations(unseal(ctx.secrets, row.configurations)) : undefined,
  active: row.active,
  deleted: row.deleted_at !== null,
  primary: row.is_primary,
  conditions: row.conditions,
});

export async function list(ctx: Ctx, caller: Caller): Promise<Output<"integrations.list">> {
  const rows = await listIntegrations(ctx.db, caller.environmentId);
  return rows.map((row) => toIntegration(ctx, caller, row));
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"integrations.create">,
): Promise<Output<"integrations.create">> {
  const provider = findProvider(body.providerId)!;
  const faults = faultCollector();
  if (provider.channel !== body.channel) {
    faults.add("channel", `channel must be ${provider.channel} for provider ${body.providerId}`, body.channel);
  }
  const credentials = keepMasked((body.credentials ?? {}) as JsonObject, {});
  const active = body.active ?? false;
  addCredentialFaults(faults, body.providerId, credentials, active);
  faults.throwIfAny();
  await checkEnvironment(ctx, caller, body._environmentId);
  if (body.check) await askProvider(ctx, body.providerId, credentials);

  // Who is primary, and that there is one in-app integration, is decided by one request at a time.
  await lockIntegrations(ctx.db, caller.environmentId);
  const existing = await listIntegrations(ctx.db, caller.environmentId);
  if (body.channel === "in_app" && existing.some((row) => row.channel === "in_app")) {
    throw failure("IN_APP_INTEGRATION_EXISTS", {});
  }

  const conditions = body.conditions ?? [];
  const now = ctx.now();
  const isFirst = active && hasPrimary(body.channel) && conditions.length === 0 && !provider.capture;
  const isPrimary =
    isFirst && !existing.some((row) => row.channel === body.channel && row.is_primary && !isCapture(row));
  // A capture provider holds the place of the primary until a real one comes.
  if (isPrimary) await demotePrimary(ctx, existing, body.channel);
  const identifier = body.identifier ?? `${body.providerId}-${randomText(8)}`;
  return saving(identifier, async () => {
    const row = await insertIntegration(ctx.db, {
      id: ctx.newId(),
      environment_id: caller.environmentId,
      identifier,
      name: body.name ?? provider.name,
      provider_id: body.providerId,
      channel: body.channel,
      credentials: seal(ctx.secrets, credentials),
      configurations: body.configurations ? seal(ctx.secrets, keepMasked(body.configurations, {})) : null,
      conditions,
      active,
      is_primary: isPrimary,
      priority: active ? await nextPriority(ctx.db, caller.environmentId, body.channel) : 0,
      created_at: now,
      updated_at: now,
    });
    return toIntegration(ctx, caller, row);
  });
}

const isCapture = (row: IntegrationRow): boolean => findProvider(row.provider_id)?.capture === true;

async function demotePrimary(ctx: Ctx, rows: IntegrationRow[], channel: string): Promise<void> {
  const primary = rows.find((row) => row.channel === channel && row.is_primary);
  if (primary) await updateIntegration(ctx.db, { ...primary, is_primary: false, updated_at: ctx.now() });
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"integrations.update">,
): Promise<Output<"integrations.update">> {
  // What is wrong whatever the provider is told before anything is looked up.
  if (body.credentials) checkCredentials("", body.credentials as JsonObject, false);
  await checkEnvironment(ctx, caller, body._environmentId);
  const row = await requireIntegration(ctx, caller, params.integrationId);
  const stored = unseal(ctx.secrets, row.credentials);
  const credentials = body.credentials ? keepMasked(body.credentials as JsonObject, stored) : stored;
  const active = body.active ?? row.active;
  if (body.credentials || body.active) checkCredentials(row.provider_id, credentials, active);
  if (body.check) await askProvider(ctx, row.provider_id, credentials);

  const next = { ...row, ...(await changesOf(ctx, row, body, credentials)) };
  return saving(next.identifier, async () => toIntegration(ctx, caller, await updateIntegration(ctx.db, next)));
}

async function changesOf(
  ctx: Ctx,
  row: IntegrationRow,
  body: IntegrationPatch,
  credentials: JsonObject,
): Promise<Partial<IntegrationRow>> {
  const active = body.active ?? row.active;
  const conditions = body.conditions ?? row.conditions;
  const configurations = body.configurations
    ? seal(ctx.secrets, keepMasked(body.configurations, unseal(ctx.secrets, row.configurations)))
    : row.configurations;
  const becomesActive = active && !row.active;
  return {
    name: body.name ?? row.name,
    identifier: body.identifier ?? row.identifier,
    credentials: body.credentials ? seal(ctx.secrets, credentials) : row.credentials,
    configurations,
    conditions,
    active,
    // A primary has to be active and unconditional.
    is_primary: row.is_primary && active && conditions.length === 0,
    priority: becomesActive ? await nextPriority(ctx.db, row.environment_id, row.channel) : active ? row.priority : 0,
    updated_at: Object.keys(body).length > 0 ? ctx.now() : row.updated_at,
  };
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"integrations.delete">,
): Promise<Output<"integrations.delete">> {
  const row = await requireIntegration(ctx, caller, params.integrationId);
  await markIntegrationDeleted(ctx.db, caller.environmentId, row.id, caller.userId, ctx.now());
  return list(ctx, caller);
}

async function requireIntegration(ctx: Ctx, caller: Caller, integrationId: string): Promise<IntegrationRow> {
  const row = await findIntegration(ctx.db, caller.environmentId, integrationId);
  if (!row) throw failure("INTEGRATION_NOT_FOUND", { integrationId });
  return row;
}

/** `_environmentId` cannot move an integration: it may only name the environment of the key. */
async function checkEnvironment(ctx: Ctx, caller: Caller, environmentId: string | undefined): Promise<void> {
  if (environmentId === undefined || environmentId === caller.environmentId) return;
  const environment = await findEnvironment(ctx.db, caller.organizationId, environmentId);
  if (!environment) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId });
  if (environment.id !== caller.environmentId) throw failure("FORBIDDEN", {});
}

function checkCredentials(providerId: string, credentials: JsonObject, requireAll: boolean): void {
  const faults = faultCollector();
  addCredentialFaults(faults, providerId, credentials, requireAll);
  faults.throwIfAny();
}

function addCredentialFaults(
  faults: ReturnType<typeof faultCollector>,
  providerId: string,
  credentials: JsonObject,
  requireAll: boolean,
): void {
  for (const { field, message } of validateCredentials(providerId, credentials, { requireAll })) {
    faults.add(`credentials.${field}`, `credentials.${message}`);
  }
}

const checkTimeoutMs = 10_000;

async function askProvider(ctx: Ctx, providerId: string, credentials: JsonObject): Promise<void> {
  const timeout = new Promise<{ ok: false; reason: string; unresolvedHost?: string }>((resolve) => {
    setTimeout(() => resolve({ ok: false, reason: "no answer within 10 seconds" }), checkTimeoutMs).unref();
  });
  const result = await Promise.race([checkProvider(providerId, credentials, ctx.io), timeout]);
  if (result.ok) return;
  if (result.unresolvedHost) throw failure("PROVIDER_HOST_UNRESOLVED", { host: result.unresolvedHost });
  throw failure("PROVIDER_CHECK_FAILED", { reason: result.reason });
}

async function saving<T>(identifier: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, "integrations_identifier"))
      throw failure("INTEGRATION_IDENTIFIER_TAKEN", { identifier });
    throw error;
  }
}
