// Workflows without their steps: the fields by which other records name and match them.
import type { Selectable } from "kysely";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";
export type WorkflowRefRow = Pick<
  Selectable<Tables["workflows"]>,
  "id" | "workflow_id" | "name" | "tags" | "severity" | "preferences_user" | "preferences_default"
>;

/** All workflows of an environment in order of creation: hundreds at most. */
export const listWorkflowRefs = (db: Db, environmentId: string): Promise<WorkflowRefRow[]> =>
  db
    .selectFrom("workflows")
    .where("environment_id", "=", environmentId)
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .select(["id", "workflow_id", "name", "tags", "severity", "preferences_user", "preferences_default"])
    .execute();
