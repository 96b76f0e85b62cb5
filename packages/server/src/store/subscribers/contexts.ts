// Contexts, found by type and id. Other records contain the key `<type>:<id>` and no reference, because a context may
// be deleted and created again while they exist.
import { type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";
export type ContextRow = Selectable<Tables["contexts"]>;
export type ContextEntry = { type: string; id: string; data?: object };

const columns = { type: "text", id: "text", data: "jsonb" };

/**
 * Creates the contexts that do not exist; existing ones are not changed. Rows are inserted in the order of their key,
 * so that two requests that name the same contexts cannot deadlock.
 */
export async function resolveContexts(
  db: Db,
  environmentId: string,
  entries: ContextEntry[],
  now: Date,
): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    insert into contexts (environment_id, type, id, data, created_at, updated_at)
    select ${environmentId}, type, id, coalesce(data, '{}'), ${now}, ${now}
    from ${rowsOf("r", columns, entries)} order by type collate "C", id collate "C"
    on conflict (environment_id, type, id) do nothing`.execute(db);
}

/** Undefined when the context exists already. */
export const insertContext = (
  db: Db,
  environmentId: string,
  entry: Required<ContextEntry>,
  now: Date,
): Promise<ContextRow | undefined> =>
  db
    .insertInto("contexts")
    .values({
      environment_id: environmentId,
      type: entry.type,
      id: entry.id,
      data: JSON.stringify(entry.data),
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(["environment_id", "type", "id"]).doNothing())
    .returningAll()
    .executeTakeFirst();

export const findContext = (db: Db, environmentId: string, type: string, id: string): Promise<ContextRow | undefined> =>
  db
    .selectFrom("contexts")
    .where("environment_id", "=", environmentId)
    .where("type", "=", type)
    .where("id", "=", id)
    .selectAll()
    .executeTakeFirst();

/** Those of the keys (`<type>:<id>`) that exist. */
export const findContextsByKeys = (db: Db, environmentId: string, keys: string[]): Promise<ContextRow[]> =>
  db
    .selectFrom("contexts")
    .where("environment_id", "=", environmentId)
    .where(sql<boolean>`(type, id) in (select split_part(key, ':', 1), split_part(key, ':', 2)
      from unnest(${keys}::text[]) as k (key))`)
    .selectAll()
    .execute();

export const updateContext = (
  db: Db,
  environmentId: string,
  { type, id, data, now }: { type: string; id: string; data: object; now: Date },
): Promise<ContextRow | undefined> =>
  db
    .updateTable("contexts")
    .set({ data: JSON.stringify(data), updated_at: now })
    .where("environment_id", "=", environmentId)
    .where("type", "=", type)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();

/** False when there is no such context. */
export async function deleteContext(db: Db, environmentId: string, type: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("contexts")
    .where("environment_id", "=", environmentId)
    .where("type", "=", type)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export type ContextFilters = { type?: string; id?: string; search?: string };

export function listContexts(
  db: Db,
  environmentId: string,
  {
    filters,
    orderBy,
    request,
  }: { filters: ContextFilters; orderBy: "createdAt" | "updatedAt"; request: CursorRequest },
): Promise<CursorPage<ContextRow>> {
  const conditions = [sql`environment_id = ${environmentId}`];
  if (filters.type !== undefined) conditions.push(sql`type = ${filters.type}`);
  if (filters.id !== undefined) conditions.push(sql`id = ${filters.id}`);
  if (filters.search) {
    conditions.push(sql`(position(${filters.search} in type) > 0 or position(${filters.search} in id) > 0)`);
  }
  const source = {
    columns: sql`*`,
    from: sql`from contexts where ${sql.join(conditions, sql` and `)}`,
    sort: orderBy === "updatedAt" ? sql`updated_at` : sql`created_at`,
    id: sql`row_id`,
  };
  return cursorPage<ContextRow>(db, source, request);
}
