// Scopes of API keys: which operations a key may call, and what it sees of their responses. The scopes of an operation
// follow from what it is: `read` are operations with which a viewer reads, `send` those marked with `isForSending`.
import { type Operation, readsOnly } from "./operation.ts";
import { requiredRoleOf } from "./permissions.ts";
import type { Role } from "./roles.ts";

export const keyScopes = ["full", "send", "read", "operations"] as const;
export type KeyScope = (typeof keyScopes)[number];

/** What a key may call. `operations`: their ids, in the scope of the same name only. */
export type KeyScopeRights = { scope: KeyScope; operations: readonly string[] | null };

/** The scopes that contain the operation; none where it is not called with an API key. */
export function scopesOf(operation: Operation): Exclude<KeyScope, "operations">[] {
  if (operation.access) return [];
  const isRead = readsOnly(operation) && requiredRoleOf(operation) === "viewer";
  return ["full", ...(operation.isForSending ? (["send"] as const) : []), ...(isRead ? (["read"] as const) : [])];
}

export function isInScope({ scope, operations }: KeyScopeRights, operation: Operation): boolean {
  if (scope === "operations") return !operation.access && (operations ?? []).includes(operation.id);
  return scopesOf(operation).includes(scope);
}

/**
 * The role as which a key calls the operation; null: a full key, which sees and sends everything. Any other key sees
 * what the least role sees that may call it: a list of environments does not show it the keys in them.
 */
export const roleOfKey = ({ scope }: KeyScopeRights, operation: Operation): Role | null =>
  scope === "full" ? null : requiredRoleOf(operation);
