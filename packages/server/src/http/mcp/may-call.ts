// Which tools a key may use: those whose operations are in its scope. The operations decide again when they are called.
import { isInScope, operations } from "@tidings/contract";
import type { Caller } from "../../context.ts";
import { scopeFailure } from "../auth/key-rights.ts";
import { Refusal, type Tool } from "./tool.ts";

const missingOf = ({ key }: Caller, tool: Tool) =>
  tool.operations.map((id) => operations[id]).find((operation) => !key || !isInScope(key, operation));

export const mayCall = (caller: Caller, tool: Tool): boolean => missingOf(caller, tool) === undefined;

/** Throws for a key that may not call all operations of the tool, and names the scope that it lacks. */
export function refuseScope(caller: Caller, tool: Tool): void {
  const missing = missingOf(caller, tool);
  if (missing) throw new Refusal(`${tool.name} is refused. ${scopeFailure(caller.key!, missing).message}`, 403);
}
