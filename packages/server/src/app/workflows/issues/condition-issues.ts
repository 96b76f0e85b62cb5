// Issues of conditions: rules that cannot be evaluated, and variables that do not exist.
import { type ContentIssue, variablePaths } from "@tidings/contract";
import { conditionFault } from "../../../lib/conditions.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { isKnownPath, unknownText } from "./template-names.ts";

export type Finding = { path: string; issueType: ContentIssue["issueType"]; message: string; variableName?: string } & {
  severity?: "warning";
};

export function* conditionIssues(path: string, condition: unknown, variables: JsonObject): Generator<Finding> {
  if (!isObject(condition)) return;
  const issueType = "ILLEGAL_VARIABLE_IN_CONTROL_VALUE";
  const fault = conditionFault(condition);
  if (fault) {
    yield { path, issueType, message: `${path} ${fault}` };
    return;
  }
  for (const variableName of new Set(variablePaths(condition))) {
    if (variableName.includes("{{") || isKnownPath(variableName, variables)) continue;
    yield { path, issueType, message: unknownText(variableName, variables), variableName };
  }
}
