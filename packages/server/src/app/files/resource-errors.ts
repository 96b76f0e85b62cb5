// Issues of severity `error` of a whole workflow or layout, as a list: what has to be said before it is put in place.
import type { ContentIssue, IntegrationIssue, ResourceIssue } from "@tidings/contract";
import type { LayoutRow } from "../../store/workflows/layouts.ts";
import { layoutIssues } from "../workflows/issues/layout-issues.ts";
import type { IssueFacts } from "../workflows/issues/step-issues.ts";
import { type IssuedWorkflow, issuesOf } from "../workflows/workflow-view.ts";

export async function workflowErrors(row: IssuedWorkflow, facts: IssueFacts): Promise<ResourceIssue[]> {
  const found: ResourceIssue[] = [];
  for (const [index, issues] of (await issuesOf(row, facts)).entries()) {
    const { controls = {}, integration = {} } = issues ?? {};
    for (const [path, some] of Object.entries(controls))
      found.push(...toErrors(`steps.${index}.controlValues.${path}`, some));
    for (const some of Object.values(integration)) found.push(...toErrors(`steps.${index}.type`, some));
  }
  return found;
}

export async function layoutErrors(
  row: Pick<LayoutRow, "control_values" | "is_translation_enabled">,
  { env }: Pick<IssueFacts, "env">,
): Promise<ResourceIssue[]> {
  const { controls = {} } = (await layoutIssues(row, env)) ?? {};
  return Object.values(controls).flatMap((some) => toErrors("body", some));
}

const toErrors = (field: string, issues: (ContentIssue | IntegrationIssue)[]): ResourceIssue[] =>
  issues.flatMap(({ issueType, message, severity }) =>
    severity === "error" && issueType !== "INBOX_NOT_CONNECTED" ? [{ field, issueType, message }] : [],
  );
