// What the signed-in person may do, so that a screen shows no button that would be refused. The service decides by the same table
// (packages/contract/src/permissions.ts).
import type { ExportId, OperationId, Role } from "@tidings/contract";
import { operationRoles } from "../api/roles.gen.ts";
import { useSession } from "./session.tsx";

/** Weakest first; a role may do all that the roles before it may. */
export const roleOrder: readonly Role[] = ["viewer", "support", "editor", "owner"];

/** `const may = useMay(); … may("integrations.create") && <Button …>` */
export function useMay(): (id: OperationId | ExportId) => boolean {
  const { role } = useSession().person;
  const rank = roleOrder.indexOf(role as Role);
  return (id) => rank >= roleOrder.indexOf(operationRoles[id] ?? "viewer");
}

/** The least role that may call the operation, for "needs the role editor". */
export const leastRole = (id: OperationId): Role => operationRoles[id] ?? "viewer";
