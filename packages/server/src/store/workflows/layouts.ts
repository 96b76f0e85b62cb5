// Layouts: the frame around the content of an email.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { cappedCount } from "../paging.ts";
import type { Tables } from "../tables.ts";
export type LayoutRow = Selectable<Tables["layouts"]>;

const stored = (row: LayoutRow) => ({ ...row, control_values: JSON.stringify(row.control_values) });

/** By internal id or identifier; the internal id is tried first. Locked when the caller is about to change it. */
export async function findLayout(
  db: Db,
  environmentId: string,
  idOrIdentifier: string,
  options: { lock?: boolean } = {},
): Promise<LayoutRow | undefined> {
  const base = db
    .selectFrom("layouts")
    .where("environment_id", "=", environmentId)
    .selectAll()
    .$if(options.lock ?? false, (query) => query.forUpdate());
  const byId = isUuid(idOrIdentifier) ? await base.where("id", "=", idOrIdentifier).executeTakeFirst() : undefined;
  return byId ?? base.where("layout_id", "=", idOrIdentifier).executeTakeFirst();
}

/** An environment has a handful of layouts. */
export const listAllLayouts = (db: Db, environmentId: string): Promise<LayoutRow[]> =>
  db.selectFrom("layouts").where("environment_id", "=", environmentId).orderBy("id").selectAll().execute();

export type LayoutName = Pick<LayoutRow, "id" | "layout_id" | "is_default">;

/** The names by which a step can refer to a layout, for all layouts of an environment. */
export const listLayoutNames = (db: Db, environmentId: string): Promise<LayoutName[]> =>
  db
    .selectFrom("layouts")
    .where("environment_id", "=", environmentId)
    .select(["id", "layout_id", "is_default"])
    .execute();

export type LayoutOrder = { by: "createdAt" | "updatedAt" | "name"; direction: "ASC" | "DESC" };

const orderColumns = { createdAt: "created_at", updatedAt: "updated_at", name: "name" };

export async function listLayouts(
  db: Db,
  environmentId: string,
  {
    filters,
    order,
    page,
  }: { filters: { query?: string }; order: LayoutOrder; page: { limit: number; offset: number } },
): Promise<{ rows: LayoutRow[]; totalCount: number }> {
  const matches = filters.query
    ? sql`and position(lower(${filters.query}) in lower(name || ' ' || layout_id)) > 0`
    : sql``;
  const from = sql`from layouts where environment_id = ${environmentId} ${matches}`;
  const direction = sql.raw(order.direction === "ASC" ? "asc" : "desc");
  const { rows } = await sql<LayoutRow>`
    select * ${from} order by ${sql.ref(orderColumns[order.by])} ${direction}, id ${direction}
    limit ${page.limit} offset ${page.offset}`.execute(db);
  return { rows, totalCount: await cappedCount(db, from) };
}

/** Identifiers of the environment that begin with this prefix. */
export async function findLayoutIdsLike(db: Db, environmentId: string, prefix: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom("layouts")
    .where("environment_id", "=", environmentId)
    .where(sql<boolean>`starts_with(layout_id, ${prefix})`)
    .select("layout_id")
    .execute();
  return new Set(rows.map((row) => row.layout_id));
}

export async function hasLayouts(db: Db, environmentId: string): Promise<boolean> {
  const row = await db
    .selectFrom("layouts")
    .where("environment_id", "=", environmentId)
    .select("id")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export const insertLayout = (db: Db, row: LayoutRow): Promise<LayoutRow> =>
  db.insertInto("layouts").values(stored(row)).returningAll().executeTakeFirstOrThrow();

export const updateLayout = (db: Db, row: LayoutRow): Promise<LayoutRow> =>
  db
    .updateTable("layouts")
    .set(stored(row))
    .where("environment_id", "=", row.environment_id)
    .where("id", "=", row.id)
    .returningAll()
    .executeTakeFirstOrThrow();

export async function deleteLayout(db: Db, environmentId: string, id: string): Promise<void> {
  await db.deleteFrom("layouts").where("environment_id", "=", environmentId).where("id", "=", id).execute();
}

/** No layout is the default until another is written as such: an environment has one at most. */
export async function clearDefaultLayout(db: Db, environmentId: string): Promise<void> {
  await sql`update layouts set is_default = false where environment_id = ${environmentId} and is_default`.execute(db);
}

export type LayoutUser = { name: string; workflow_id: string };

/**
 * Workflows with an email step that names the layout; with `implied`, and those with an email step that names none,
 * which is how the default layout is used.
 */
export async function findLayoutUsers(
  db: Db,
  environmentId: string,
  layout: Pick<LayoutRow, "id" | "layout_id">,
  options: { implied: boolean },
): Promise<LayoutUser[]> {
  const implied = options.implied ? sql`or not step->'controlValues' ? 'layoutId'` : sql``;
  const { rows } = await sql<LayoutUser>`
    select w.name, w.workflow_id from workflows w
    where w.environment_id = ${environmentId} and w.deleted_at is null and exists (
      select 1 from jsonb_array_elements(w.steps) as step
      where step->>'type' = 'email'
        and (step->'controlValues'->>'layoutId' in (${layout.layout_id}, ${layout.id}) ${implied}))
    order by w.workflow_id`.execute(db);
  return rows;
}
