// Categories of workflows, and the choices that subscribers made for them.
import type { PreferenceChannels } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type CategoryRow = Selectable<Tables["preference_categories"]>;

/** Without its place. */
export type CategoryContent = Pick<
  CategoryRow,
  "id" | "category_id" | "name" | "description" | "is_required" | "channels"
>;

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

/** In their order, at most `maxCategories`. Locked when the caller is about to change them. */
export const listCategories = (
  db: Db,
  environmentId: string,
  options: { lock?: boolean } = {},
): Promise<CategoryRow[]> =>
  db
    .selectFrom("preference_categories")
    .where("environment_id", "=", environmentId)
    .orderBy("position")
    .orderBy("id")
    .selectAll()
    .$if(options.lock ?? false, (query) => query.forUpdate())
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

/** By id, the number of subscribers with a choice for the category. Categories without choices are left out. */
export async function countCategoryChoices(
  db: Db,
  environmentId: string,
  ids: string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; count: number }>`
    select workflow_id as id, count(distinct subscriber_id)::int as count from subscriber_preferences
    where environment_id = ${environmentId} and workflow_id = any(${ids}::uuid[]) group by 1`.execute(db);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** With the choices that subscribers made for them. */
export async function deleteCategories(db: Db, environmentId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from subscriber_preferences
    where environment_id = ${environmentId} and workflow_id = any(${ids}::uuid[])`.execute(db);
  await sql`delete from preference_categories
    where environment_id = ${environmentId} and id = any(${ids}::uuid[])`.execute(db);
}

const columns = {
  id: "uuid",
  category_id: "text",
  name: "text",
  description: "text",
  is_required: "boolean",
  channels: "jsonb",
};

/** Adds categories behind those that exist, in the given order; those with the same identifier get the new content. */
export async function putCategories(
  db: Db,
  environmentId: string,
  { rows, now }: { rows: CategoryContent[]; now: Date },
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into preference_categories
      (id, environment_id, category_id, name, description, is_required, channels, position, created_at, updated_at)
    select id, ${environmentId}, category_id, name, description, is_required, channels,
      (select coalesce(max(position), 0) from preference_categories where environment_id = ${environmentId})
        + row_number() over (), ${now}, ${now}
    from ${rowsOf("r", columns, rows)}
    on conflict (environment_id, category_id) do update set name = excluded.name, description = excluded.description,
      is_required = excluded.is_required, channels = excluded.channels, updated_at = excluded.updated_at`.execute(db);
}
