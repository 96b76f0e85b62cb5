// Workflow versions and layouts of the runs that the pipeline advances.
import type { Db } from "../db.ts";
import type { LayoutRow } from "./layouts.ts";
import type { WorkflowRules, WorkflowVersion } from "./workflows.ts";
export async function findVersions(db: Db, ids: string[]): Promise<WorkflowVersion[]> {
  const rows = await db
    .selectFrom("workflow_versions")
    .where("id", "in", ids)
    .select(["id", "environment_id", "workflow_id", "definition"])
    .execute();
  return rows.map((row) => ({
    id: row.id,
    environmentId: row.environment_id,
    workflowId: row.workflow_id,
    definition: row.definition,
  }));
}

/** What counts for all runs of a workflow, whichever version started them. */
export type WorkflowState = { isDeleted: boolean; rules: WorkflowRules };

/** The current workflows, whatever their environments. */
export async function findWorkflowStates(db: Db, ids: string[]): Promise<Map<string, WorkflowState>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("workflows")
    .where("id", "in", ids)
    .select(["id", "deleted_at", "preferences_user", "preferences_default", "outside_schedule", "category_id"])
    .select(["message_class", "priority"])
    .execute();
  return new Map(
    rows.map((row) => {
      const preferences = { user: row.preferences_user, default: row.preferences_default };
      const rules = {
        preferences,
        outsideSchedule: row.outside_schedule,
        categoryId: row.category_id ?? undefined,
        messageClass: row.message_class,
        priority: row.priority,
      };
      return [row.id, { isDeleted: row.deleted_at !== null, rules }];
    }),
  );
}

/** All layouts of several environments, for a batch of emails. An environment has a handful. */
export async function findLayoutsOfBatch(db: Db, environmentIds: string[]): Promise<LayoutRow[]> {
  if (environmentIds.length === 0) return [];
  return db.selectFrom("layouts").where("environment_id", "in", environmentIds).orderBy("id").selectAll().execute();
}
