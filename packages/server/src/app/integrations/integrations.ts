// Integrations: provider credentials per channel, which one is primary, and whether they are fit to send.
import type { Input, Integration, IntegrationPatch, Output } from "@tidings/contract";
import { findProvider } from "@tidings/providers";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure, faultCollector, invalid } from "../../failure.ts";
import { randomText } from "../../lib/ids.ts";
import { isUniqueViolation } from "../../store/db.ts";
import { findEnvironment } from "../../store/environments/environments.ts";
import { deleteChannelsOf } from "../../store/integrations/channel-owners.ts";
import {
  demotePrimary,
  findHealth,
  findIntegration,
  type HealthRow,
  type IntegrationRow,
  insertIntegration,
  listHealth,
  listIntegrations,
  listShownIntegrations,
  lockIntegrations,
  markIntegrationDeleted,
  nextPriority,
  resetHealth,
  updateIntegration,
} from "../../store/integrations/integrations.ts";
import { keepMasked, maskConfigurations, maskCredentials, readCredentials, seal, unseal } from "./credentials.ts";
import { readFilters } from "./filters.ts";
import { addCredentialFaults, askProvider, checkCredentials } from "./integration-checks.ts";

type JsonObject = Record<string, unknown>;

const hasPrimary = (channel: string): boolean => channel === "email" || channel === "sms";

/** What changes may end the trouble an integration had: it is used again as if nothing had happened. */
const healing = ["credentials", "configurations", "active", "check"] as const;

export const toIntegration = (ctx: Ctx, caller: Caller, row: IntegrationRow, health?: HealthRow): Integration => ({
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
  health: {
    state: health?.state ?? "closed",
    failures: health?.failures ?? 0,
    openedAt: health?.opened_at?.toISOString(),
    nextProbeAt: health?.next_probe_at?.toISOString(),
  },
});

export async function list(ctx: Ctx, caller: Caller): Promise<Output<"integrations.list">> {
  const rows = await listShownIntegrations(ctx.db, caller.environmentId);
  const health = new Map((await listHealth(ctx.db, caller.environmentId)).map((one) => [one.integration_id, one]));
  return rows.map((row) => toIntegration(ctx, caller, row, health.get(row.id)));
}

export async function listActive(ctx: Ctx, caller: Caller): Promise<Output<"integrations.listActive">> {
  return (await list(ctx, caller)).filter((integration) => integration.active);
}

/** What the provider says about a new integration, asked before anything is locked. */
export async function checkNew(ctx: NetworkCtx, caller: Caller, { body }: Input<"integrations.create">): Promise<void> {
  if (!body.check) return;
  const credentials = newCredentials(body);
  readConditions(body.conditions);
  await checkEnvironment(ctx, caller, body._environmentId);
  await askProvider(ctx, caller, body.providerId, credentials);
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"integrations.create">,
): Promise<Output<"integrations.create">> {
  const provider = findProvider(body.providerId)!;
  const active = body.active ?? false;
  const credentials = newCredentials(body);
  const conditions = readConditions(body.conditions) ?? [];
  await checkEnvironment(ctx, caller, body._environmentId);

  // Who is primary, and that there is one in-app integration, is decided by one request at a time.
  await lockIntegrations(ctx.db, caller.environmentId);
  const existing = await listIntegrations(ctx.db, caller.environmentId);
  if (body.channel === "in_app" && existing.some((row) => row.channel === "in_app")) {
    throw failure("IN_APP_INTEGRATION_EXISTS", {});
  }

  const now = ctx.now();
  const isFirst = active && hasPrimary(body.channel) && conditions.length === 0 && !provider.capture;
  const isPrimary =
    isFirst && !existing.some((row) => row.channel === body.channel && row.is_primary && !isCapture(row));
  const top = await nextPriority(ctx.db, caller.environmentId, body.channel);
  // A capture provider holds the place of the primary until a real one comes.
  if (isPrimary) await demotePrimary(ctx.db, caller.environmentId, body.channel, top, now);
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
      priority: !active ? 0 : isPrimary ? top + 1 : top,
      is_hidden: false,
      created_at: now,
      updated_at: now,
    });
    return toIntegration(ctx, caller, row);
  });
}

/** The conditions given, whole; 422 when one of their templates does not parse. */
function readConditions(given: IntegrationPatch["conditions"]): IntegrationRow["conditions"] | undefined {
  if (!given) return undefined;
  const { filters, faults } = readFilters(given, "conditions");
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return filters;
}

function newCredentials(body: Input<"integrations.create">["body"]): JsonObject {
  const { channel } = findProvider(body.providerId)!;
  const faults = faultCollector();
  if (channel !== body.channel) {
    faults.add("channel", `channel must be ${channel} for provider ${body.providerId}`, body.channel);
  }
  const credentials = readCredentials(body.providerId, (body.credentials ?? {}) as JsonObject, {});
  addCredentialFaults(faults, body.providerId, credentials, body.active ?? false);
  faults.throwIfAny();
  return credentials;
}

const isCapture = (row: IntegrationRow): boolean => findProvider(row.provider_id)?.capture === true;

export async function checkChange(
  ctx: NetworkCtx,
  caller: Caller,
  { params, body }: Input<"integrations.update">,
): Promise<void> {
  if (!body.check) return;
  await checkPatch(ctx, caller, body);
  const row = await requireIntegration(ctx, caller, params.integrationId);
  await askProvider(ctx, caller, row.provider_id, nextCredentials(ctx, row, body));
}

/** What is wrong whatever the provider is told before anything is looked up. */
async function checkPatch(ctx: Ctx, caller: Caller, body: IntegrationPatch): Promise<void> {
  if (body.credentials) checkCredentials("", body.credentials as JsonObject, false);
  readConditions(body.conditions);
  await checkEnvironment(ctx, caller, body._environmentId);
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"integrations.update">,
): Promise<Output<"integrations.update">> {
  await checkPatch(ctx, caller, body);
  await lockIntegrations(ctx.db, caller.environmentId);
  const row = await requireIntegration(ctx, caller, params.integrationId);
  const credentials = nextCredentials(ctx, row, body);
  const next = { ...row, ...(await changesOf(ctx, row, body, credentials)) };
  if (healing.some((name) => body[name] !== undefined)) await resetHealth(ctx.db, caller.environmentId, row.id);
  const health = await findHealth(ctx.db, caller.environmentId, row.id);
  return saving(next.identifier, async () => toIntegration(ctx, caller, await updateIntegration(ctx.db, next), health));
}

/** What the integration will have, checked as far as the change asks for it. */
function nextCredentials(ctx: Ctx, row: IntegrationRow, body: IntegrationPatch): JsonObject {
  const stored = unseal(ctx.secrets, row.credentials);
  const given = body.credentials as JsonObject | undefined;
  const credentials = given ? readCredentials(row.provider_id, given, stored) : stored;
  if (body.credentials || body.active) checkCredentials(row.provider_id, credentials, body.active ?? row.active);
  return credentials;
}

async function changesOf(
  ctx: Ctx,
  row: IntegrationRow,
  body: IntegrationPatch,
  credentials: JsonObject,
): Promise<Partial<IntegrationRow>> {
  const active = body.active ?? row.active;
  const conditions = readConditions(body.conditions) ?? row.conditions;
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
    is_hidden: false,
    updated_at: Object.keys(body).length > 0 ? ctx.now() : row.updated_at,
  };
}

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"integrations.delete">,
): Promise<Output<"integrations.delete">> {
  await lockIntegrations(ctx.db, caller.environmentId);
  const row = await requireIntegration(ctx, caller, params.integrationId);
  await markIntegrationDeleted(ctx.db, caller.environmentId, row.id, caller.userId, ctx.now());
  await resetHealth(ctx.db, caller.environmentId, row.id);
  await deleteChannelsOf(ctx.db, caller.environmentId, row.id, ctx.now());
  return list(ctx, caller);
}

export async function setPrimary(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"integrations.setPrimary">,
): Promise<Output<"integrations.setPrimary">> {
  const { environmentId } = caller;
  await lockIntegrations(ctx.db, environmentId);
  const row = await requireIntegration(ctx, caller, params.integrationId);
  const { channel } = row;
  if (!hasPrimary(channel)) throw failure("PRIMARY_NOT_SUPPORTED", { channel });
  const health = await findHealth(ctx.db, caller.environmentId, row.id);
  if (row.is_primary) return toIntegration(ctx, caller, row, health);
  checkCredentials(row.provider_id, unseal(ctx.secrets, row.credentials), true);

  const now = ctx.now();
  const top = await nextPriority(ctx.db, environmentId, channel);
  await demotePrimary(ctx.db, environmentId, channel, top, now);
  const changes = { is_primary: true, active: true, conditions: [], priority: top + 1, updated_at: now };
  return toIntegration(ctx, caller, await updateIntegration(ctx.db, { ...row, ...changes }), health);
}

export async function requireIntegration(ctx: Ctx, caller: Caller, integrationId: string): Promise<IntegrationRow> {
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

async function saving<T>(identifier: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, "integrations_identifier"))
      throw failure("INTEGRATION_IDENTIFIER_TAKEN", { identifier });
    throw error;
  }
}
