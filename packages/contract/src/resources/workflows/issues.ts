// Issues: errors of workflows and layouts that do not prevent saving.
import { named, oneOf, type Static, Type } from "../../schema.ts";

export const contentIssueTypes = [
  "ILLEGAL_VARIABLE_IN_CONTROL_VALUE",
  "INVALID_FILTER_ARG_IN_VARIABLE",
  "MISSING_VALUE",
  "TIER_LIMIT_EXCEEDED",
] as const;

const issueSeverities = ["error", "warning"] as const;

function issue<const V extends readonly string[]>(title: string, types: V) {
  return named(title, {
    issueType: oneOf(types),
    variableName: Type.Optional(Type.String()),
    message: Type.String(),
    severity: oneOf(issueSeverities, { description: "`error` makes an active workflow `ERROR`; `warning` does not" }),
  });
}

export const ContentIssue = issue("ContentIssue", contentIssueTypes);
export type ContentIssue = Static<typeof ContentIssue>;
export const IntegrationIssue = issue("IntegrationIssue", ["MISSING_INTEGRATION", "INBOX_NOT_CONNECTED"]);
export type IntegrationIssue = Static<typeof IntegrationIssue>;

export const ResourceIssue = named("ResourceIssue", {
  field: Type.String({ description: "Path in the resource, such as `steps.0.controlValues.layoutId`" }),
  issueType: oneOf([...contentIssueTypes, "MISSING_INTEGRATION"]),
  message: Type.String(),
});
export type ResourceIssue = Static<typeof ResourceIssue>;

export const StepIssues = named("StepIssues", {
  controls: Type.Optional(Type.Record(Type.String(), Type.Array(ContentIssue))),
  integration: Type.Optional(Type.Record(Type.String(), Type.Array(IntegrationIssue))),
});
export type StepIssues = Static<typeof StepIssues>;
