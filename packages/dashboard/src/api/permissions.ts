// What the signed-in member may do, so that a screen shows no button that would be refused. The service decides by the
// same roles (`role` of an operation in packages/contract).
import type { ExportId, OperationId, Role } from "@tidings/contract";
import { isRoleEnough } from "@tidings/contract/roles";
import { operationRoles } from "./roles.gen.ts";
import { useSession } from "./session.tsx";

/** `const may = useMay(); … may("integrations.create") && <Button …>` */
export function useMay(): (id: OperationId | ExportId) => boolean {
  const { role } = useSession().person;
  return (id) => isRoleEnough(role, operationRoles[id] ?? "viewer");
}

/** The minimum role that may call the operation, for "needs the role editor". */
export const requiredRole = (id: OperationId): Role => operationRoles[id] ?? "viewer";
