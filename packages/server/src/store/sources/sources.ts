// Sources: databases whose transactions trigger events by SQL. Callers of these functions encrypt the addresses.
import { type Selectable, sql, type Updateable } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type SourceRow = Selectable<Tables["sources"]>;

/** The NOTIFY channel for changes of sources: every process reads them again. */
export const sourcesChannel = "tidings_sources";

const ownSources = (db: Db, environmentId: string) =>
  db.selectFrom("sources").where("environment_id", "=", environmentId).selectAll();

export const listSources = (db: Db, environmentId: string): Promise<SourceRow[]> =>
  ownSources(db, environmentId).orderBy("id").execute();

export async function findSource(
  db: Db,
  environmentId: string,
  id: string,
  { lock = false } = {},
): Promise<SourceRow | undefined> {
  if (!isUuid(id)) return undefined;
  const query = ownSources(db, environmentId).where("id", "=", id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

export async function insertSource(db: Db, row: SourceRow): Promise<SourceRow> {
  const stored = await db.insertInto("sources").values(row).returningAll().executeTakeFirstOrThrow();
  await announceSources(db);
  return stored;
}

export async function updateSource(
  db: Db,
  environmentId: string,
  id: string,
  values: Updateable<Tables["sources"]>,
): Promise<SourceRow> {
  const stored = await db
    .updateTable("sources")
    .set(values)
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await announceSources(db);
  return stored;
}

export async function deleteSource(db: Db, environmentId: string, id: string): Promise<void> {
  await db.deleteFrom("sources").where("environment_id", "=", environmentId).where("id", "=", id).execute();
  await announceSources(db);
}

/** All of an environment, with their addresses, and the roles that may call for it. */
export async function forgetSources(db: Db, environmentId: string): Promise<void> {
  await sql`delete from sql_grants where environment_id = ${environmentId}`.execute(db);
  await sql`delete from sources where environment_id = ${environmentId}`.execute(db);
  await announceSources(db);
}

/** With the commit: sources change rarely. */
export const announceSources = async (db: Db): Promise<void> =>
  void (await sql`select pg_notify(${sourcesChannel}, '')`.execute(db));

/** What a worker has seen of a source since it last wrote it. `error`: null clears it, undefined leaves it. */
export type SourceNews = {
  accepted: number;
  refused: number;
  measured?: { waiting: number; oldestAt: Date | null };
  error?: string | null;
};

export async function recordSourceNews(
  db: Db,
  { environment_id, id }: Pick<SourceRow, "environment_id" | "id">,
  { accepted, refused, measured, error }: SourceNews,
  now: Date,
): Promise<void> {
  const measurement = measured
    ? sql`, waiting = ${measured.waiting}, oldest_at = ${measured.oldestAt}, measured_at = ${now}`
    : sql``;
  const failure =
    error === undefined
      ? sql``
      : error === null
        ? sql`, failing_since = null`
        : sql`, failing_since = coalesce(failing_since, ${now}), last_error = ${error}, last_error_at = ${now}`;
  await sql`
    update sources set accepted = accepted + ${accepted}, refused = refused + ${refused},
      last_accepted_at = case when ${accepted}::int > 0 then ${now} else last_accepted_at end ${measurement} ${failure}
    where environment_id = ${environment_id} and id = ${id}`.execute(db);
}

/** Undefined when the environment was deleted. */
export async function findEnvironmentType(db: Db, environmentId: string): Promise<"dev" | "prod" | undefined> {
  const { rows } = await sql<{ type: "dev" | "prod" }>`
    select type from environments where id = ${environmentId} and deleted_at is null`.execute(db);
  return rows[0]?.type;
}
