// How other records name a workflow, and what its own levels of preferences are.
import type { WorkflowRef } from "@tidings/contract";
import { isCritical } from "../../pipeline/rules/preferences.ts";
import type { WorkflowRefRow } from "../../store/workflows/workflow-refs.ts";

export const workflowLevels = (row: Pick<WorkflowRefRow, "preferences_user" | "preferences_default">) => ({
  user: row.preferences_user,
  default: row.preferences_default,
});

export const toWorkflowRef = (row: WorkflowRefRow): WorkflowRef => ({
  id: row.id,
  identifier: row.workflow_id,
  name: row.name,
  critical: isCritical(workflowLevels(row)),
  tags: row.tags,
  severity: row.severity,
});
