// Workflows with objectives, of several environments.
import type { Objectives } from "@tidings/contract";
import type { Db } from "../db.ts";

/** Workflows that one pass over alert rules measures. */
const maxWorkflows = 1_000;

export type WorkflowWithObjectives = {
  id: string;
  environment_id: string;
  workflow_id: string;
  name: string;
  objectives: Objectives | null;
};

export async function findWorkflowsWithObjectives(db: Db, environmentIds: string[]): Promise<WorkflowWithObjectives[]> {
  return db
    .selectFrom("workflows")
    .where("environment_id", "in", environmentIds)
    .where("deleted_at", "is", null)
    .where("objectives", "is not", null)
    .select(["id", "environment_id", "workflow_id", "name", "objectives"])
    .orderBy("id")
    .limit(maxWorkflows)
    .execute();
}
