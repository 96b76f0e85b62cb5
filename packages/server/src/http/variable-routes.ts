// Which function serves each operation on variables of environments: a part of routes.ts, which has no lines left.
import type { OperationId } from "@tidings/contract";
import * as variables from "../app/environments/variables.ts";
import type { HandlerOf } from "./handler.ts";

export const variableRoutes = {
  "environmentVariables.list": variables.list,
  "environmentVariables.create": variables.create,
  "environmentVariables.retrieve": variables.retrieve,
  "environmentVariables.update": variables.update,
  "environmentVariables.delete": variables.remove,
  "environmentVariables.usage": variables.usage,
} satisfies Partial<{ [Id in OperationId]: HandlerOf<Id> }>;
