// The API keys of an environment: created, changed and revoked by owners, and by keys with at least the same rights.
import type { ApiKeyChange, Input, KeyScope, NewApiKey, Output } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { type FieldFaults, failure, invalid } from "../../failure.ts";
import { normalizeNetwork } from "../../lib/networks/client-networks.ts";
import { newApiKey } from "../../lib/secrets.ts";
import { suggestName } from "../../lib/text/nearest.ts";
import { readTime } from "../../pipeline/rules/waits.ts";
import {
  type ApiKeyRow,
  insertApiKey,
  type KeyChanges,
  type LiveKey,
  listLiveKeys,
  revokeApiKey as revokeKey,
  updateApiKey as updateKey,
} from "../../store/environments/api-keys.ts";
import { lockEnvironment } from "../../store/environments/environments.ts";
import { fullRights, keyOperations, missingRight, toApiKey } from "./api-key-rights.ts";
import { apiKeyRow } from "./environment-setup.ts";
import { requireOwn } from "./environments.ts";

const maxLiveKeys = 20;

export async function createApiKey(
  ctx: Ctx,
  caller: Caller,
  { params, body = {} }: Input<"environments.createApiKey">,
): Promise<Output<"environments.createApiKey">> {
  const { environmentId } = params;
  const row = await requireOwn(ctx, caller, environmentId);
  const changes = readChanges(ctx, body, {
    ...{ name: null, owner: caller.member?.name ?? null, may_raise_priority: false },
    ...{ scope: "full", operations: null, expires_at: null, allowed_networks: null },
  });
  refuseMoreRights(caller, changes, "create this key");
  await lockEnvironment(ctx.db, row.id);
  const live = await listLiveKeys(ctx.db, row.id);
  if (live.length >= maxLiveKeys) throw failure("API_KEY_LIMIT", { environmentId, limit: String(maxLiveKeys) });
  const clear = newApiKey();
  const key = apiKeyRow(ctx, { environmentId: row.id, userId: caller.userId, clear }, changes);
  await insertApiKey(ctx.db, key);
  return toApiKey(key, clear);
}

export async function updateApiKey(
  ctx: Ctx,
  caller: Caller,
  { params, body }: Input<"environments.updateApiKey">,
): Promise<Output<"environments.updateApiKey">> {
  const { key, others } = await holdKey(ctx, caller, params);
  refuseMoreRights(caller, key, "change this key");
  const changes = readChanges(ctx, body, key);
  refuseMoreRights(caller, changes, "give this key these rights");
  if (isUsable(ctx, key) && !isUsable(ctx, changes) && !others.some((one) => isUsable(ctx, one))) {
    throw failure("LAST_API_KEY", {});
  }
  await updateKey(ctx.db, caller.environmentId, key.id, changes);
  return toApiKey({ ...key, ...changes }, ctx.secrets.decrypt(key.secret));
}

export async function revokeApiKey(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"environments.revokeApiKey">,
): Promise<undefined> {
  const { key, others } = await holdKey(ctx, caller, params);
  refuseMoreRights(caller, key, "revoke this key");
  if (others.length === 0 || (isUsable(ctx, key) && !others.some((one) => isUsable(ctx, one)))) {
    throw failure("LAST_API_KEY", {});
  }
  await revokeKey(ctx.db, caller.environmentId, key.id, ctx.now());
}

/** Changes of the keys of an environment take turns, so that their limits hold. */
async function holdKey(
  ctx: Ctx,
  caller: Caller,
  { environmentId, keyId }: { environmentId: string; keyId: string },
): Promise<{ key: LiveKey; others: LiveKey[] }> {
  const row = await requireOwn(ctx, caller, environmentId);
  await lockEnvironment(ctx.db, row.id);
  const live = await listLiveKeys(ctx.db, row.id);
  const key = live.find(({ id }) => id === keyId);
  if (!key) throw failure("KEY_NOT_FOUND", { keyId });
  return { key, others: live.filter((one) => one !== key) };
}

/** Whether programs can manage the environment with the key. */
const isUsable = ({ now }: Ctx, { scope, expires_at }: Pick<ApiKeyRow, "scope" | "expires_at">): boolean =>
  scope === "full" && (expires_at === null || expires_at > now());

function refuseMoreRights(caller: Caller, key: Parameters<typeof fullRights>[0], what: string): void {
  const reason = missingRight(caller, fullRights(key));
  if (reason) throw failure("API_KEY_RIGHTS", { what, reason });
}

/** The fields of a key after the change; throws for those that cannot be. */
function readChanges({ now }: Ctx, body: NewApiKey | ApiKeyChange, before: KeyChanges): KeyChanges {
  const faults: FieldFaults = {};
  const scope = body.scope ?? before.scope;
  const expires = readExpiry(body.expiresAt, before.expires_at, now(), faults);
  const changes: KeyChanges = {
    name: readText(body.name, before.name, "name", faults),
    owner: readText(body.owner, before.owner, "owner", faults),
    scope,
    operations: readOperations(scope, body.operations, before.operations, faults),
    expires_at: expires,
    allowed_networks: readNetworks(body.allowedNetworks, before.allowed_networks, faults),
    may_raise_priority: "mayRaisePriority" in body ? (body.mayRaisePriority ?? false) : before.may_raise_priority,
  };
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return changes;
}

function readText(
  given: string | null | undefined,
  before: string | null,
  field: string,
  faults: FieldFaults,
): string | null {
  if (given === undefined) return before;
  const text = given?.trim() ?? null;
  if (text === "") faults[field] = { messages: [`${field} must not be empty`], value: given };
  return text;
}

function readOperations(
  scope: KeyScope,
  given: string[] | undefined,
  before: string[] | null,
  faults: FieldFaults,
): string[] | null {
  if (scope !== "operations") {
    const messages = [`operations is only for the scope operations, and the scope is ${scope}: leave it out`];
    if (given) faults.operations = { messages };
    return null;
  }
  const ids = given ?? before;
  if (!ids) {
    faults.operations = { messages: ["operations is required for the scope operations: name at least one"] };
    return null;
  }
  for (const [index, id] of ids.entries()) {
    if (keyOperations.has(id) || !given) continue;
    const meant = suggestName(id, [...keyOperations.keys()]);
    const fix = meant ? `; did you mean ${meant}?` : "; docs/openapi.json lists them";
    faults[`operations.${index}`] = {
      messages: [`${id} is no operation that is called with an API key${fix}`],
      value: id,
    };
  }
  return ids;
}

function readExpiry(
  given: string | null | undefined,
  before: Date | null,
  now: Date,
  faults: FieldFaults,
): Date | null {
  if (given === undefined) return before;
  const at = given === null ? null : readTime(given);
  if (given !== null && !at) {
    faults.expiresAt = { messages: ["expiresAt must be a time such as 2030-01-31T00:00:00Z"], value: given };
  } else if (at && at <= now) {
    faults.expiresAt = { messages: ["expiresAt must be in the future; to end a key now, revoke it"], value: given };
  }
  return at;
}

function readNetworks(
  given: string[] | null | undefined,
  before: string[] | null,
  faults: FieldFaults,
): string[] | null {
  if (given === undefined) return before;
  if (given === null) return null;
  const networks = given.map((text, index) => {
    try {
      return normalizeNetwork(text);
    } catch (error) {
      const messages = [`allowedNetworks.${index} ${(error as Error).message}`];
      faults[`allowedNetworks.${index}`] = { messages, value: text };
      return text;
    }
  });
  return [...new Set(networks)];
}
