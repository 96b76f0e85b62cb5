// Roles of the service's own database that may call the functions of the schema `tidings`, each for one environment.
import { type Selectable, sql } from "kysely";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";
import { sourcesChannel } from "./sources.ts";

export type GrantRow = Selectable<Tables["sql_grants"]>;

export const listGrants = (db: Db, environmentId: string): Promise<GrantRow[]> =>
  db
    .selectFrom("sql_grants")
    .where("environment_id", "=", environmentId)
    .selectAll()
    .orderBy("role_name")
    .limit(1_000)
    .execute();

const functions = [
  "tidings.trigger(text, jsonb, jsonb, jsonb)",
  "tidings.trigger(text, text, jsonb, jsonb)",
  "tidings.cancel(text)",
  "tidings.upsert_subscriber(text, jsonb)",
].join(", ");

/** `reads`: it sees the service's tables without being granted anything here. */
type SqlRole = { reads: boolean; mayConnect: boolean; mayLogIn: boolean };

/** What a role is, before it is granted anything. */
export async function findRole(db: Db, role: string): Promise<SqlRole | undefined> {
  const { rows } = await sql<SqlRole>`
    select rolsuper or has_table_privilege(oid, 'subscribers', 'select') as reads, rolcanlogin as "mayLogIn",
      has_database_privilege(oid, current_database(), 'connect') as "mayConnect"
    from pg_roles where rolname = ${role}`.execute(db);
  return rows[0];
}

/** In a transaction. The first grant of an environment creates its local source. */
export async function grantRole(
  db: Db,
  { role, environmentId, sourceId, now }: { role: string; environmentId: string; sourceId: string; now: Date },
): Promise<void> {
  await sql`grant usage on schema tidings to ${sql.id(role)}`.execute(db);
  await sql`grant execute on function ${sql.raw(functions)} to ${sql.id(role)}`.execute(db);
  await sql`
    insert into sql_grants (role_name, environment_id, created_at) values (${role}, ${environmentId}, ${now})
    on conflict (role_name) do update set environment_id = excluded.environment_id`.execute(db);
  await sql`
    insert into sources (environment_id, id, kind, name, created_at, updated_at)
    values (${environmentId}, ${sourceId}, 'local', 'This database', ${now}, ${now})
    on conflict (environment_id) where kind = 'local' do nothing`.execute(db);
  await sql`select pg_notify(${sourcesChannel}, '')`.execute(db);
}

/** Returns false when the role was granted nothing. What it called before is still accepted. */
export async function revokeRole(db: Db, role: string): Promise<boolean> {
  const { rows } = await sql`delete from sql_grants where role_name = ${role} returning 1`.execute(db);
  if (rows.length === 0) return false;
  const { rows: known } = await sql`select 1 from pg_roles where rolname = ${role}`.execute(db);
  if (known.length === 0) return true;
  await sql`revoke execute on function ${sql.raw(functions)} from ${sql.id(role)}`.execute(db);
  await sql`revoke usage on schema tidings from ${sql.id(role)}`.execute(db);
  return true;
}
