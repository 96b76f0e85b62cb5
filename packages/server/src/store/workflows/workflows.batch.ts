// Workflow versions and layouts of the runs that the pipeline advances.
import type { Db } from "../db.ts";
import type { LayoutRow } from "./layouts.ts";
import type { WorkflowVersion } from "./workflows.ts";
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

/** Of these workflows, whatever their environments, the ones that are deleted. */
export async function findDeletedWorkflows(db: Db, ids: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom("workflows")
    .where("id", "in", ids)
    .where("deleted_at", "is not", null)
    .select("id")
    .execute();
  return new Set(rows.map((row) => row.id));
}

/** All layouts of several environments, for a batch of emails. An environment has a handful. */
export async function findLayoutsOfBatch(db: Db, environmentIds: string[]): Promise<LayoutRow[]> {
  if (environmentIds.length === 0) return [];
  return db.selectFrom("layouts").where("environment_id", "in", environmentIds).orderBy("id").selectAll().execute();
}
