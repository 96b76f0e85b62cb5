// Integrations: the credentials of an environment for a provider, and which integration of a channel is primary. What
// is checked before one is written is integration-checks.ts.
import type { Input, Integration, IntegrationPatch, Output } from "@tidings/contract";
import { findProvider } from "@tidings/providers";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { randomText } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import { enqueueReleases } from "../../pipeline/deliver/release.ts";
import { deleteChannelsOf } from "../../store/integrations/channel-owners.ts";
import { closeCircuit, recordFailedCheck } from "../../store/integrations/health.ts";
import {
  demotePrimary,
  findHealth,
  findIntegration,
  type IntegrationRow,
  insertIntegration,
  listIntegrations,
  listShownIntegrations,
  lockIntegrations,
  markIntegrationDeleted,
  nextPriority,
  updateIntegration,
} from "../../store/integrations/integrations.ts";
import { refuseDuplicate } from "../identifiers.ts";
import { keepMasked, maskConfigurations, maskCredentials, seal, unseal } from "./credentials.ts";
import {
  checkCredentials,
  checkEnvironment,
  checkPatch,
  checkWithProvider,
  readConditions,
  readNewCredentials,
  readNextCredentials,
} from "./integration-checks.ts";
import { type HealthFacts, loadHealth, toHealthView } from "./integration-health.ts";

const hasPrimary = (channel: string): boolean => channel === "email" || channel === "sms";

/** A change of one of these may remove the cause of failures, so it closes the circuit breaker of the integration. */
const resetsHealth = ["credentials", "configurations", "active", "check"] as const;

export const toIntegration = (
  ctx: Ctx,
  caller: Caller,
  row: IntegrationRow,
  health: HealthFacts = {},
): Integration => ({
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
  health: toHealthView(health),
});

export async function list(ctx: Ctx, caller: Caller): Promise<Output<"integrations.list">> {
  const rows = await listShownIntegrations(ctx.db, caller.environmentId);
  const health = await loadHealth(
    ctx,
    caller,
    rows.map((row) => row.id),
  );
  return rows.map((row) => toIntegration(ctx, caller, row, health.get(row.id)));
}

export async function listActive(ctx: Ctx, caller: Caller): Promise<Output<"integrations.listActive">> {
  return (await list(ctx, caller)).filter((integration) => integration.active);
}

/** With `check`, the provider verifies the credentials: before the transaction, so that no lock is held meanwhile. */
export async function checkNew(ctx: NetworkCtx, caller: Caller, { body }: Input<"integrations.create">): Promise<void> {
  if (!body.check) return;
  const credentials = readNewCredentials(body);
  readConditions(ctx, body.conditions);
  await checkEnvironment(ctx, caller, body._environmentId);
  const fault = await checkWithProvider(ctx, caller, body.providerId, credentials);
  if (fault) throw fault.failure;
}

export async function create(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"integrations.create">,
): Promise<Output<"integrations.create">> {
  const provider = findProvider(body.providerId)!;
  const active = body.active ?? false;
  const credentials = readNewCredentials(body);
  const conditions = readConditions(ctx, body.conditions) ?? [];
  await checkEnvironment(ctx, caller, body._environmentId);

  // The lock makes requests take turns: a channel has one primary, and an environment one in-app integration.
  await lockIntegrations(ctx.db, caller.environmentId);
  const existing = await listIntegrations(ctx.db, caller.environmentId);
  if (body.channel === "in_app" && existing.some((row) => row.channel === "in_app")) {
    throw failure("IN_APP_INTEGRATION_EXISTS", {});
  }

  const now = ctx.now();
  const canBePrimary = active && hasPrimary(body.channel) && conditions.length === 0 && !provider.capture;
  const isPrimary =
    canBePrimary && !existing.some((row) => row.channel === body.channel && row.is_primary && !isCapture(row));
  const top = await nextPriority(ctx.db, caller.environmentId, body.channel);
  // A capture provider is primary only until the channel gets a real provider.
  if (isPrimary) await demotePrimary(ctx.db, caller.environmentId, { channel: body.channel, priority: top, now });
  const identifier = body.identifier ?? `${body.providerId}-${randomText(8)}`;
  return refuseTakenIdentifier(identifier, async () => {
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
    if (body.check) await closeCircuit(ctx.db, caller.environmentId, { integrationId: row.id, cause: "answered", now });
    // What waits for another integration of the channel may go through this one.
    if (active) await enqueueReleases(ctx, [{ environmentId: caller.environmentId, id: row.id }]);
    return toIntegration(ctx, caller, row, await healthOf(ctx, caller, row.id));
  });
}

const refuseTakenIdentifier = <T>(identifier: string, write: () => Promise<T>): Promise<T> =>
  refuseDuplicate(write, failure("INTEGRATION_IDENTIFIER_TAKEN", { identifier }), "integrations_identifier");

const isCapture = (row: IntegrationRow): boolean => findProvider(row.provider_id)?.capture === true;

export async function checkChange(
  ctx: NetworkCtx,
  caller: Caller,
  { params, body }: Input<"integrations.update">,
): Promise<void> {
  if (!body.check) return;
  await checkPatch(ctx, caller, body);
  const row = await requireIntegration(ctx, caller, params.integrationId);
  const fault = await checkWithProvider(ctx, caller, row.provider_id, readNextCredentials(ctx, row, body));
  if (!fault) return;
  // A check of what is stored shows the state of the integration. Outside of the transaction, which the failure undoes.
  if (!body.credentials)
    await recordFailedCheck(ctx.db, caller.environmentId, { integrationId: row.id, error: fault, now: ctx.now() });
  throw fault.failure;
}

export async function update(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"integrations.update">,
): Promise<Output<"integrations.update">> {
  await checkPatch(ctx, caller, body);
  await lockIntegrations(ctx.db, caller.environmentId);
  const row = await requireIntegration(ctx, caller, params.integrationId);
  const credentials = readNextCredentials(ctx, row, body);
  const next = { ...row, ...(await changesOf(ctx, row, body, credentials)) };
  await changeHealth(ctx, row, next, body);
  const health = await healthOf(ctx, caller, row.id);
  return refuseTakenIdentifier(next.identifier, async () =>
    toIntegration(ctx, caller, await updateIntegration(ctx.db, next), health),
  );
}

const healthOf = async (ctx: Ctx, caller: Caller, id: string): Promise<HealthFacts | undefined> =>
  (await loadHealth(ctx, caller, [id])).get(id);

/** Closes the circuit when the change may have removed its cause; what it held goes out at once. */
async function changeHealth(
  ctx: Ctx,
  { id, environment_id: environmentId, active }: IntegrationRow,
  next: IntegrationRow,
  body: IntegrationPatch,
): Promise<void> {
  if (resetsHealth.every((name) => body[name] === undefined)) return;
  const before = await findHealth(ctx.db, environmentId, id);
  const cause = body.check ? "answered" : body.credentials ? "changed" : "reset";
  await closeCircuit(ctx.db, environmentId, { integrationId: id, cause, now: ctx.now() });
  const wasOpen = before !== undefined && before.state !== "closed";
  if (wasOpen || next.active !== active) await enqueueReleases(ctx, [{ environmentId, id }]);
}

async function changesOf(
  ctx: Ctx,
  row: IntegrationRow,
  body: IntegrationPatch,
  credentials: JsonObject,
): Promise<Partial<IntegrationRow>> {
  const active = body.active ?? row.active;
  const conditions = readConditions(ctx, body.conditions) ?? row.conditions;
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
    // A primary integration is active and has no conditions.
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
  await markIntegrationDeleted(ctx.db, caller.environmentId, { id: row.id, by: caller.userId, now: ctx.now() });
  await closeCircuit(ctx.db, caller.environmentId, { integrationId: row.id, cause: "reset", now: ctx.now() });
  await enqueueReleases(ctx, [{ environmentId: caller.environmentId, id: row.id }]);
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
  const health = await healthOf(ctx, caller, row.id);
  if (row.is_primary) return toIntegration(ctx, caller, row, health);
  checkCredentials(row.provider_id, unseal(ctx.secrets, row.credentials), true);

  const now = ctx.now();
  const top = await nextPriority(ctx.db, environmentId, channel);
  await demotePrimary(ctx.db, environmentId, { channel, priority: top, now });
  if (!row.active) await enqueueReleases(ctx, [{ environmentId, id: row.id }]);
  const changes = { is_primary: true, active: true, conditions: [], priority: top + 1, updated_at: now };
  return toIntegration(ctx, caller, await updateIntegration(ctx.db, { ...row, ...changes }), health);
}

export async function requireIntegration(ctx: Ctx, caller: Caller, integrationId: string): Promise<IntegrationRow> {
  const row = await findIntegration(ctx.db, caller.environmentId, integrationId);
  if (!row) throw failure("INTEGRATION_NOT_FOUND", { integrationId });
  return row;
}
