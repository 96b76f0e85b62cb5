// What the attributes of an operation mean: which role it needs, and whether the audit log records it. API keys have
// no role, but a scope (key-scopes.ts).
import { type Operation, readsOnly } from "./operation.ts";
import { isRoleEnough, type Role } from "./roles.ts";
import { isJsonObject } from "./schema.ts";

/** Whether members can call the operation with a session, in an environment or without one. */
export const isForMembers = ({ access }: Pick<Operation, "access">): boolean =>
  access === undefined || access === "member";

/**
 * The minimum role that may call the operation; null where members do not call it with a session. Responses to members
 * hide the secrets that their role may not see (secrets.ts).
 */
export function requiredRoleOf(operation: Operation): Role | null {
  if (!isForMembers(operation)) return null;
  return operation.role ?? (readsOnly(operation) ? "viewer" : "editor");
}

/** The first field of a body that the role may not send, and the role it needs; null: the role may send the body. */
export function refusedField(
  { fieldRoles = {} }: Operation,
  body: unknown,
  role: Role,
): { name: string; needed: Role } | null {
  if (!isJsonObject(body)) return null;
  const refused = Object.entries(fieldRoles).find(
    ([name, needed]) => body[name] !== undefined && !isRoleEnough(role, needed),
  );
  return refused ? { name: refused[0], needed: refused[1] } : null;
}

/** Whether the audit log records calls of the operation. */
export function isAudited(operation: Operation, by: "member" | "key"): boolean {
  if (!isForMembers(operation) || operation.audit === "never") return false;
  if (by === "key") return operation.audit === "everyone";
  return !readsOnly(operation) || operation.audit === "members";
}
