// Versions of workflows as records: written by every save, listed, compared and restored. Runs read them by id, through
// workflows.batch.ts.
import { type Selectable, sql } from "kysely";
import { firstIdAt, isUuid, timeOfId } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";

type VersionRow = Selectable<Tables["workflow_versions"]>;
export type NewVersion = Omit<VersionRow, "number">;

const columns = {
  id: "uuid",
  environment_id: "uuid",
  workflow_id: "uuid",
  definition: "jsonb",
  step_types: "text[]",
  created_at: "timestamptz",
  created_by: "uuid",
  summary: "text",
  settings: "jsonb",
};

/** How long a draft that is tested again is not stored again. */
export const testVersionReuseMs = 24 * 3_600_000;

/** Numbers are given under the lock of the workflow's row, which every save holds. */
export async function insertVersions(db: Db, environmentId: string, versions: NewVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const names = sql.raw(Object.keys(columns).join(", "));
  await sql`insert into workflow_versions (${names}, number)
    select ${names}, 1 + coalesce((select max(v.number) from workflow_versions v where v.workflow_id = r.workflow_id), 0)
    from ${rowsOf("r", columns, versions)} where environment_id = ${environmentId}`.execute(db);
}

/**
 * Stores a draft that is sent as a test, under the lock of the workflow's row, and returns the id of the version to
 * run. Numbers of tests are negative, which keeps them out of the list of versions. A draft that is the same as in the
 * last test is stored once, if that was less than a day ago: so the age of a version limits the age of its events, by
 * which the retention finds it (store/installation/test-versions.ts).
 */
export async function keepTestVersion(db: Db, environmentId: string, version: NewVersion): Promise<string> {
  const lowest = sql`least(0, (select min(v.number) from workflow_versions v where v.workflow_id = ${version.workflow_id}))`;
  const { rows } = await sql<{ id: string }>`
    select id from workflow_versions where environment_id = ${environmentId} and workflow_id = ${version.workflow_id}
      and number < 0 and number = ${lowest} and id >= ${firstIdAt(new Date(timeOfId(version.id) - testVersionReuseMs))}
      and definition = ${JSON.stringify(version.definition)}::jsonb`.execute(db);
  if (rows[0]) return rows[0].id;
  const names = sql.raw(Object.keys(columns).join(", "));
  await sql`insert into workflow_versions (${names}, number)
    select ${names}, ${lowest} - 1 from ${rowsOf("r", columns, [version])}
    where environment_id = ${environmentId}`.execute(db);
  return version.id;
}

/** A version without its content, with the name of its author. */
export type VersionHead = Pick<VersionRow, "id" | "number" | "created_at" | "created_by" | "summary"> & {
  created_by_name: string | null;
};

const head = sql`v.id, v.number, v.created_at, v.created_by, v.summary, u.name as created_by_name`;
const joined = sql`from workflow_versions v left join users u on u.id = v.created_by`;
/** What was saved: the drafts of tests, and what broadcasts send, have negative numbers. */
const isSaved = sql`v.number > 0`;
/** A version `v` that was sent as a test. */
export const isTestVersion = sql<boolean>`v.definition @> '{"isTest": true}'`;

export function listVersions(
  db: Db,
  environmentId: string,
  workflowId: string,
  request: CursorRequest,
): Promise<CursorPage<VersionHead>> {
  const from = sql`${joined} where v.environment_id = ${environmentId} and v.workflow_id = ${workflowId} and ${isSaved}`;
  return cursorPage(db, { columns: head, from, sort: sql`v.created_at`, id: sql`v.id` }, request);
}

export type FoundVersion = VersionHead & Pick<VersionRow, "definition" | "settings">;

/** By id or by number. */
export async function findVersion(
  db: Db,
  environmentId: string,
  workflowId: string,
  idOrNumber: string,
): Promise<FoundVersion | undefined> {
  const isNumber = /^[1-9]\d{0,8}$/.test(idOrNumber);
  if (!isNumber && !isUuid(idOrNumber)) return undefined;
  const which = isNumber ? sql`v.number = ${Number(idOrNumber)}` : sql`v.id = ${idOrNumber}`;
  const { rows } = await sql<FoundVersion>`
    select ${head}, v.definition, v.settings ${joined}
    where v.environment_id = ${environmentId} and v.workflow_id = ${workflowId} and ${isSaved}
      and ${which}`.execute(db);
  return rows[0];
}

export type VersionContentRow = Pick<VersionRow, "id" | "number" | "definition" | "settings">;

/** Versions of any workflows of the environment, by id. */
export async function findVersionContents(
  db: Db,
  environmentId: string,
  ids: string[],
): Promise<Map<string, VersionContentRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("workflow_versions")
    .where("environment_id", "=", environmentId)
    .where("id", "in", ids)
    .select(["id", "number", "definition", "settings"])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
