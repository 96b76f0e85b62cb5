// Which tools a key may use: those whose operation is in its scope. The operation decides again when it is called.
import { isInScope, type OperationId, operations } from "@tidings/contract";
import type { Caller } from "../../context.ts";

export const mayCall = ({ key }: Caller, operation: OperationId): boolean =>
  key !== undefined && isInScope(key, operations[operation]);
