// Whether one API key has all rights of another: its scope, its time and its networks. A key gives no more than it has,
// and neither sees nor changes a key that has more: it could use that one instead.
import { type ApiKey, exportOperations, isInScope, type Operation, operations, scopesOf } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { isNetworkWithin } from "../../lib/networks/client-networks.ts";
import { type ApiKeyRow, type KeyRights, listLiveKeys, rightsOf } from "../../store/environments/api-keys.ts";

const mask = "********";

/** Everything that is called with API keys, by id: operations and exports. */
export const keyOperations: ReadonlyMap<string, Operation> = new Map(
  [...Object.values<Operation>(operations), ...Object.values<Operation>(exportOperations)]
    .filter((operation) => scopesOf(operation).length > 0)
    .map((operation) => [operation.id, operation]),
);

export type Rights = Omit<KeyRights, "name"> & { mayRaisePriority: boolean };

/** Whether the caller may do everything in its environment, from everywhere and for ever. */
export const isUnrestricted = ({ key }: Caller): boolean =>
  !key || (key.scope === "full" && key.expiresAt === null && key.networks === null);

/** What the caller lacks of the rights, for the end of a sentence; null: it has them all. */
export function missingRight({ key, mayRaisePriority = false }: Caller, wanted: Rights): string | null {
  if (!key) return null;
  const beyond = [...keyOperations.values()].find((one) => isInScope(wanted, one) && !isInScope(key, one));
  if (beyond) return `it may not call ${beyond.id} itself`;
  if (key.scope !== "full" && wanted.scope === "full") return "its scope is not full";
  if (key.expiresAt && (!wanted.expiresAt || wanted.expiresAt > key.expiresAt)) {
    return `it expires at ${key.expiresAt.toISOString()} itself`;
  }
  const own = key.networks;
  if (own && !wanted.networks) return "it may be used from its allowed networks only";
  const outside = own && wanted.networks?.find((network) => !isNetworkWithin(network, own));
  if (outside) return `${outside} is in none of its allowed networks`;
  if (key.scope !== "full" && wanted.mayRaisePriority && !mayRaisePriority) return "it may not raise priorities itself";
  return null;
}

type KeyFacts = Omit<ApiKeyRow, "environment_id" | "hash" | "secret" | "revoked_at">;

export const fullRights = (
  row: Omit<KeyFacts, "id" | "user_id" | "created_at" | "last_used_at" | "owner">,
): Rights => ({
  ...rightsOf(row),
  mayRaisePriority: row.may_raise_priority,
});

export const toApiKey = (row: KeyFacts, clear: string): ApiKey => ({
  _id: row.id,
  key: clear,
  _userId: row.user_id,
  name: row.name,
  owner: row.owner,
  scope: row.scope,
  operations: row.operations ?? undefined,
  expiresAt: row.expires_at?.toISOString() ?? null,
  allowedNetworks: row.allowed_networks,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  mayRaisePriority: row.may_raise_priority,
});

/** The live keys of the caller's environment. A key with more rights than the calling one is masked. */
export async function listOwnKeys(ctx: Ctx, caller: Caller): Promise<ApiKey[]> {
  const keys = await listLiveKeys(ctx.db, caller.environmentId);
  return keys.map((key) =>
    toApiKey(key, missingRight(caller, fullRights(key)) ? mask : ctx.secrets.decrypt(key.secret)),
  );
}
