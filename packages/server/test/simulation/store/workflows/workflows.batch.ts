import type { LayoutRow } from "../../../../src/store/workflows/layouts.ts";
import type { WorkflowState } from "../../../../src/store/workflows/workflows.batch.ts";
import type { WorkflowVersion } from "../../../../src/store/workflows/workflows.ts";
import { statement } from "../../world/session.ts";

export * from "../../../../src/store/workflows/workflows.batch.ts";

export const findVersions = statement("findVersions", (tx, ids: string[]): WorkflowVersion[] =>
  tx
    .where<{ id: string; environment_id: string; workflow_id: string; definition: WorkflowVersion["definition"] }>(
      "workflow_versions",
      ({ id }) => ids.includes(id),
    )
    .map(({ id, environment_id, workflow_id, definition }) => ({
      id,
      environmentId: environment_id,
      workflowId: workflow_id,
      definition,
    })),
);

type StoredWorkflow = { id: string; deleted_at: Date | null; rules: WorkflowState["rules"] };

export const findWorkflowStates = statement(
  "findWorkflowStates",
  (tx, ids: string[]): Map<string, WorkflowState> =>
    new Map(
      tx
        .where<StoredWorkflow>("workflows", ({ id }) => ids.includes(id))
        .map(({ id, deleted_at, rules }) => [id, { isDeleted: deleted_at !== null, rules }]),
    ),
);

export const findLayoutsOfBatch = statement("findLayoutsOfBatch", (_tx, _environmentIds: string[]): LayoutRow[] => []);
