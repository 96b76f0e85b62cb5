// The schema `tidings` has functions for other roles (migrations/0061_sql_trigger.sql). PostgreSQL looks first into the
// schema named like the role: a role called `tidings` would find and create the service's own tables there. So such a
// role gets a fixed search path before the schema is created, and again where a restored or copied database has lost
// it. An installation whose tables are in the schema `tidings` stays there.
import { sql } from "kysely";
import pg from "pg";
import { DatabaseClient } from "../client.ts";
import type { Db } from "../db.ts";

type Found = { schema: string; role: string; database: string };

/** One row where the session could take the functions' schema for that of the tables. `schema`: where these are. */
const findTaken = `
  select coalesce(nullif(current_schema(), 'tidings'), 'public') as schema, current_user as role,
    current_database() as database
  where current_user = 'tidings' and current_setting('search_path') like '%"$user"%'
    and to_regclass('tidings.schema_migrations') is null
    and (current_schema() <> 'tidings' or to_regclass('public.schema_migrations') is not null)`;

/** For all connections of the role that are opened from now on. */
export async function fixSearchPath(url: string): Promise<void> {
  const client = new DatabaseClient({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 10_000 });
  await client.connect();
  try {
    const [found] = (await client.query<Found>(findTaken)).rows;
    if (!found) return;
    const [role, database, schema] = [found.role, found.database, found.schema].map(pg.escapeIdentifier);
    await client.query(`alter role ${role} in database ${database} set search_path = ${schema}`);
  } finally {
    await client.end();
  }
}

/** For a connection that was opened before another process created the schema. */
export async function fixSessionPath(db: Db): Promise<void> {
  const [found] = (await sql<Found>`${sql.raw(findTaken)}`.execute(db)).rows;
  if (found) await sql`select set_config('search_path', quote_ident(${found.schema}), false)`.execute(db);
}
