// Imports of CSV files, and the pages of lines that wait to be worked on.
import type { ImportError, ImportKind, ImportStatus } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import { insertRows } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { ImportRowCells, Tables } from "../tables.ts";

export type ImportRow = Selectable<Tables["imports"]>;
export type { ImportRowCells };

const importColumns = {
  id: "uuid",
  environment_id: "uuid",
  kind: "text",
  is_dry_run: "boolean",
  status: "text",
  file_name: "text",
  separator: "text",
  columns: "jsonb",
  lines: "integer",
  done: "integer",
  created: "integer",
  updated: "integer",
  unchanged: "integer",
  faulty: "integer",
  created_at: "timestamptz",
  finished_at: "timestamptz",
};

const pageColumns = { number: "integer", environment_id: "uuid", import_id: "uuid", rows: "jsonb", errors: "jsonb" };

export async function insertImport(
  db: Db,
  environmentId: string,
  row: ImportRow,
  pages: ImportRowCells[][],
): Promise<void> {
  await insertRows(db, "imports", importColumns, [row]);
  const rows = pages.map((page, number) => ({
    number,
    environment_id: environmentId,
    import_id: row.id,
    rows: page,
    errors: [],
  }));
  await insertRows(db, "import_pages", pageColumns, rows);
}

export async function findImport(db: Db, environmentId: string, id: string): Promise<ImportRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<ImportRow>`
    select * from imports where environment_id = ${environmentId} and id = ${id}`.execute(db);
  return rows[0];
}

/** Locked until the transaction ends: pages of one import are worked on one after the other. */
export async function lockImport(db: Db, environmentId: string, id: string): Promise<ImportRow | undefined> {
  const { rows } = await sql<ImportRow>`
    select * from imports where environment_id = ${environmentId} and id = ${id} for update`.execute(db);
  return rows[0];
}

export async function countUnfinishedImports(db: Db, environmentId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from imports
    where environment_id = ${environmentId} and status in ('waiting', 'running')`.execute(db);
  return rows[0]!.count;
}

export function listImports(
  db: Db,
  environmentId: string,
  filters: { kind?: ImportKind; status?: ImportStatus },
  request: CursorRequest,
): Promise<CursorPage<ImportRow>> {
  const conditions = [sql`environment_id = ${environmentId}`];
  if (filters.kind) conditions.push(sql`kind = ${filters.kind}`);
  if (filters.status) conditions.push(sql`status = ${filters.status}`);
  const from = sql`from imports where ${sql.join(conditions, sql` and `)}`;
  return cursorPage<ImportRow>(db, { columns: sql`*`, from, sort: sql`created_at`, id: sql`id` }, request);
}

/** The lines of a page; null when the page is done. */
export async function findPageRows(
  db: Db,
  environmentId: string,
  importId: string,
  number: number,
): Promise<ImportRowCells[] | null> {
  const { rows } = await sql<{ rows: ImportRowCells[] | null }>`
    select rows from import_pages
    where environment_id = ${environmentId} and import_id = ${importId} and number = ${number}`.execute(db);
  return rows[0]?.rows ?? null;
}

/** What one page adds to the counts of its import. */
export type PageResult = { created: number; updated: number; unchanged: number; faulty: number; done: number };

/** The lines of the page are removed, its invalid ones are kept with their errors. */
export async function finishPage(
  db: Db,
  environmentId: string,
  {
    page,
    result,
    finishedAt,
  }: { page: { importId: string; number: number; errors: ImportError[] }; result: PageResult; finishedAt: Date | null },
): Promise<void> {
  await sql`
    with page as (
      update import_pages set rows = null, errors = ${JSON.stringify(page.errors)}::jsonb
      where environment_id = ${environmentId} and import_id = ${page.importId} and number = ${page.number} returning 1)
    update imports set created = created + ${result.created}, updated = updated + ${result.updated},
      unchanged = unchanged + ${result.unchanged}, faulty = faulty + ${result.faulty}, done = done + ${result.done},
      status = ${finishedAt ? "completed" : "running"}, finished_at = ${finishedAt}::timestamptz
    where environment_id = ${environmentId} and id = ${page.importId}`.execute(db);
}

export async function markImportFailed(db: Db, environmentId: string, importId: string): Promise<void> {
  await sql`
    update imports set status = 'failed' where environment_id = ${environmentId} and id = ${importId}`.execute(db);
}

/** In the order of the file. One more than asked comes back, so that the caller knows whether there are more. */
export async function listImportErrors(
  db: Db,
  environmentId: string,
  importId: string,
  page: { offset: number; limit: number },
): Promise<ImportError[]> {
  const { rows } = await sql<{ error: ImportError }>`
    select e.value as error from import_pages p cross join lateral jsonb_array_elements(p.errors) with ordinality e
    where p.environment_id = ${environmentId} and p.import_id = ${importId} and p.errors <> '[]'
    order by p.number, e.ordinality limit ${page.limit + 1} offset ${page.offset}`.execute(db);
  return rows.map(({ error }) => error);
}
