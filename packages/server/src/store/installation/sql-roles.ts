// Roles that may trigger events by SQL, of all environments, for the operator (store/sources/grants.ts: of one).
import { sql } from "kysely";
import pg from "pg";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";

export type GrantedRole = {
  role: string;
  environmentId: string;
  /** Identifier of the environment. */
  environment: string;
  since: Date;
  /** `gone`: the role was dropped. `unprivileged`: a restored database has the grant and not the privileges. */
  state: "ready" | "gone" | "unprivileged";
};

export async function listGrantedRoles(db: Db): Promise<GrantedRole[]> {
  const { rows } = await sql<GrantedRole>`
    select g.role_name as role, g.environment_id as "environmentId", e.identifier as environment, g.created_at as since,
      case when r.oid is null then 'gone'
        when has_schema_privilege(r.oid, 'tidings', 'usage') and has_function_privilege(r.oid, 'tidings.cancel(text)', 'execute')
        then 'ready' else 'unprivileged' end as state
    from sql_grants g join environments e on e.id = g.environment_id left join pg_roles r on r.rolname = g.role_name
    order by e.identifier, g.role_name
    limit 1000`.execute(db);
  return rows;
}

/** The environment that a role was granted; locked until the transaction ends. */
export async function findGrantOf(db: Db, role: string): Promise<{ id: string; identifier: string } | undefined> {
  const { rows } = await sql<{ id: string; identifier: string }>`
    select e.id, e.identifier from sql_grants g join environments e on e.id = g.environment_id
    where g.role_name = ${role} for update of g`.execute(db);
  return rows[0];
}

/** By id, identifier or name; two at most, where the name is not that of one alone. */
export const findEnvironmentsNamed = (db: Db, text: string) =>
  db
    .selectFrom("environments")
    .where("deleted_at", "is", null)
    .where(({ eb, or }) =>
      or([
        eb("identifier", "=", text),
        eb(sql<string>`lower(name)`, "=", text.toLowerCase()),
        ...(isUuid(text) ? [eb("id", "=", text)] : []),
      ]),
    )
    .select(["id", "identifier"])
    .limit(2)
    .execute();

/** A role that may log in and nothing else. The statement cannot have parameters. */
export async function createLoginRole(db: Db, role: string, password: string): Promise<void> {
  await sql`create role ${sql.id(role)} login password ${sql.raw(pg.escapeLiteral(password))}`.execute(db);
}
