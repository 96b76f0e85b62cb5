// Workflows that the service turns off itself, whatever their environments.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Target } from "./objectives.ts";

export type PausedWorkflow = Target & { organization_id: string; identifier: string; name: string };

/** `version_id`: of the version that turns it off. `summary`: of that version. */
export type Pause = Target & { version_id: string; summary: string };

/** Turns off those that are on, as a save does: with a new version. Returns them. */
export async function pauseWorkflows(db: Db, pauses: Pause[], now: Date): Promise<PausedWorkflow[]> {
  if (pauses.length === 0) return [];
  const columns = { environment_id: "uuid", workflow_id: "uuid", version_id: "uuid", summary: "text" };
  const pause = rowsOf("r", columns, pauses);
  const { rows } = await sql<PausedWorkflow>`
    select w.environment_id, w.id as workflow_id, w.workflow_id as identifier, w.name, e.organization_id
    from ${pause} join workflows w on w.environment_id = r.environment_id and w.id = r.workflow_id
    join environments e on e.id = w.environment_id
    where w.active and w.deleted_at is null order by w.id for update of w`.execute(db);
  const ids = rows.map((row) => row.workflow_id);
  await sql`
    insert into workflow_versions (id, environment_id, workflow_id, definition, step_types, created_at, created_by,
      summary, settings, number)
    select r.version_id, v.environment_id, v.workflow_id, v.definition, v.step_types, ${now}, null, r.summary,
      jsonb_set(v.settings, '{active}', 'false'),
      1 + (select max(a.number) from workflow_versions a where a.workflow_id = v.workflow_id)
    from ${pause} join workflows w on w.id = r.workflow_id join workflow_versions v on v.id = w.version_id
    where r.workflow_id = any(${ids}::uuid[])`.execute(db);
  await sql`
    update workflows w set active = false, version_id = r.version_id, updated_at = ${now}, updated_by = null
    from ${pause} where w.id = r.workflow_id and w.id = any(${ids}::uuid[])`.execute(db);
  return rows;
}
