// Categories of workflows, and the choices that subscribers made for them.
import type { PreferenceChannels } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type CategoryRow = Selectable<Tables["preference_categories"]>;

/** What decides about the messages of its workflows. */
export type CategoryRule = {
  id: string;
  categoryId: string;
  name: string;
  required: boolean;
  channels: PreferenceChannels;
};

/** A category of the alias `c` as a CategoryRule. */
export const categoryRule = sql`jsonb_build_object('id', c.id, 'categoryId', c.category_id, 'name', c.name,
  'required', c.is_required, 'channels', c.channels)`;

export const toCategoryRule = (row: CategoryRow): CategoryRule => ({
  id: row.id,
  categoryId: row.category_id,
  name: row.name,
  required: row.is_required,
  channels: row.channels,
});

/** In their order. An environment has at most `maxCategories` of them. */
export const listCategories = (db: Db, environmentId: string): Promise<CategoryRow[]> =>
  db
    .selectFrom("preference_categories")
    .where("environment_id", "=", environmentId)
    .orderBy("position")
    .orderBy("id")
    .selectAll()
    .execute();

/** Locked when the caller is about to change it. */
export const findCategory = (
  db: Db,
  environmentId: string,
  categoryId: string,
  options: { lock?: boolean } = {},
): Promise<CategoryRow | undefined> =>
  db
    .selectFrom("preference_categories")
    .where("environment_id", "=", environmentId)
    .where("category_id", "=", categoryId)
    .selectAll()
    .$if(options.lock ?? false, (query) => query.forUpdate())
    .executeTakeFirst();

const toColumns = (row: CategoryRow) => ({ ...row, channels: JSON.stringify(row.channels) });

export const insertCategory = (db: Db, row: CategoryRow): Promise<CategoryRow> =>
  db.insertInto("preference_categories").values(toColumns(row)).returningAll().executeTakeFirstOrThrow();

export const updateCategory = (db: Db, row: CategoryRow): Promise<CategoryRow> =>
  db
    .updateTable("preference_categories")
    .set(toColumns(row))
    .where("environment_id", "=", row.environment_id)
    .where("id", "=", row.id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Numbers the categories in this order. */
export async function orderCategories(db: Db, environmentId: string, categoryIds: string[]): Promise<void> {
  await sql`
    update preference_categories c set position = o.position
    from unnest(${categoryIds}::text[]) with ordinality as o(category_id, position)
    where c.environment_id = ${environmentId} and c.category_id = o.category_id`.execute(db);
}

export type CategoryWorkflow = { category_id: string; workflow_id: string; name: string };

/** The workflows of each category. */
export async function listCategoryWorkflows(db: Db, environmentId: string): Promise<CategoryWorkflow[]> {
  const { rows } = await sql<CategoryWorkflow>`
    select category_id, workflow_id, name from workflows
    where environment_id = ${environmentId} and deleted_at is null and category_id is not null
    order by name, id`.execute(db);
  return rows;
}

/** The number of subscribers with a choice for the category. */
export async function countCategoryChoices(db: Db, environmentId: string, id: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct subscriber_id)::int as count from subscriber_preferences
    where environment_id = ${environmentId} and workflow_id = ${id}`.execute(db);
  return rows[0]!.count;
}

/** With the choices that subscribers made for it. */
export async function deleteCategory(db: Db, environmentId: string, id: string): Promise<void> {
  await sql`delete from subscriber_preferences
    where environment_id = ${environmentId} and workflow_id = ${id}`.execute(db);
  await sql`delete from preference_categories where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

const columns = {
  id: "uuid",
  category_id: "text",
  name: "text",
  description: "text",
  is_required: "boolean",
  channels: "jsonb",
};

/** Adds categories of another environment behind those that exist; one with the same identifier stays unchanged. */
export async function copyCategories(
  db: Db,
  environmentId: string,
  { rows, now }: { rows: CategoryRow[]; now: Date },
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into preference_categories
      (id, environment_id, category_id, name, description, is_required, channels, position, created_at, updated_at)
    select id, ${environmentId}, category_id, name, description, is_required, channels,
      (select coalesce(max(position), 0) from preference_categories where environment_id = ${environmentId})
        + row_number() over (), ${now}, ${now}
    from ${rowsOf("r", columns, rows)}
    on conflict (environment_id, category_id) do nothing`.execute(db);
}
