// What an API key may not do: after its expiry, from an address outside of its networks, and outside of its scope. It
// takes no query: the rights come with the owner of the key, from the cache or from the query that finds it.
import { isInScope, type KeyScope, type Operation, scopesOf } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { type Failure, failure } from "../../failure.ts";
import { plainAddress } from "../../lib/networks/addresses.ts";
import { clientsIn } from "../../lib/networks/client-networks.ts";
import type { KeyRights } from "../../store/environments/api-keys.ts";

/** Throws unless the key may be used for the operation, now and from this address; `null`: for any operation. */
export function refuseKey(ctx: Pick<Ctx, "now">, { key }: Caller, operation: Operation | null, address: string): void {
  if (!key) return;
  if (isExpired(ctx, key)) throw failure("API_KEY_EXPIRED", { expiresAt: key.expiresAt!.toISOString() });
  if (key.networks && !clientsIn(key.networks).has(address)) {
    throw failure("API_KEY_NETWORK", { address: plainAddress(address) || "unknown" });
  }
  if (operation && !isInScope(key, operation)) throw scopeFailure(key, operation);
}

const isExpired = ({ now }: Pick<Ctx, "now">, { expiresAt }: Pick<KeyRights, "expiresAt">): boolean =>
  expiresAt !== null && expiresAt <= now();

const permitted: Record<KeyScope, string> = {
  full: "call every operation",
  send: "send",
  read: "read",
  operations: "call the operations in its list",
};

/** The key may not call the operation. */
export function scopeFailure({ scope }: KeyRights, operation: Operation): Failure {
  const scopes = scopesOf(operation).join(" or ");
  const needed = `scope ${scopes}, or operations with ${operation.id}`;
  return failure("API_KEY_SCOPE", { may: permitted[scope], operation: operation.id, needed });
}

/** The key may call the operation, but not with this field: only people with a higher role may set it. */
export const fieldOutOfScope = ({ scope }: KeyRights, operation: Operation, field: string): Failure =>
  failure("API_KEY_SCOPE", {
    may: permitted[scope],
    operation: `${operation.id} with ${field}`,
    needed: "scope full",
  });
