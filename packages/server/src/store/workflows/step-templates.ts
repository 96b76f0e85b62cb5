// Saved steps, to be inserted into workflows.
import { type Selectable, sql } from "kysely";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type StepTemplateRow = Selectable<Tables["step_templates"]>;
/** Without the content of the step. */
export type StepTemplateHeadRow = Omit<StepTemplateRow, "step"> & { type: StepTemplateRow["step"]["type"] };

export async function listStepTemplates(db: Db, environmentId: string, limit: number): Promise<StepTemplateHeadRow[]> {
  const { rows } = await sql<StepTemplateHeadRow>`
    select environment_id, id, name, step ->> 'type' as type, created_by_name, created_at, updated_at
    from step_templates where environment_id = ${environmentId} order by lower(name), id limit ${limit}`.execute(db);
  return rows;
}

export async function countStepTemplates(db: Db, environmentId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from step_templates where environment_id = ${environmentId}`.execute(db);
  return rows[0]!.count;
}

export const findStepTemplate = (db: Db, environmentId: string, id: string): Promise<StepTemplateRow | undefined> =>
  db
    .selectFrom("step_templates")
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .selectAll()
    .executeTakeFirst();

export const insertStepTemplate = (db: Db, environmentId: string, row: StepTemplateRow): Promise<StepTemplateRow> =>
  db
    .insertInto("step_templates")
    .values({ ...row, environment_id: environmentId, step: JSON.stringify(row.step) })
    .returningAll()
    .executeTakeFirstOrThrow();

export const renameStepTemplate = (
  db: Db,
  environmentId: string,
  { id, name, now }: { id: string; name: string; now: Date },
): Promise<StepTemplateRow | undefined> =>
  db
    .updateTable("step_templates")
    .set({ name, updated_at: now })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();

export async function deleteStepTemplate(db: Db, environmentId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("step_templates")
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
