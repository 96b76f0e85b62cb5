// Variables of environments: one row for each environment that has a value.
import { type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type VariableRow = Selectable<Tables["environment_variables"]>;

/** As runs read them, by name. `sealed`: secrets, encrypted. */
export type Variables = {
  plain: Readonly<Record<string, string>>;
  sealed: Readonly<Record<string, string>>;
};

/** `version`: of the environment's variables when they were read. `bytes`: their approximate size. */
export type CachedVariables = Variables & { version: number; bytes: number };

/** `search`: a part of the key. */
type Wanted = { environmentIds: string[]; key?: string; search?: string };

/** In some environments of the organisation, by key. */
export async function listVariables(
  db: Db,
  organizationId: string,
  { environmentIds, key, search = "" }: Wanted,
): Promise<VariableRow[]> {
  const { rows } = await sql<VariableRow>`
    select v.* from environment_variables v join environments e on e.id = v.environment_id
    where e.organization_id = ${organizationId} and e.deleted_at is null
      and v.environment_id = any(${environmentIds}::uuid[])
      and (${key ?? null}::text is null or v.key = ${key ?? null})
      and strpos(lower(v.key), lower(${search})) > 0
    order by v.key, e.created_at, e.id`.execute(db);
  return rows;
}

/** Those of one environment. */
export const findVariables = (db: Db, environmentId: string): Promise<VariableRow[]> =>
  db.selectFrom("environment_variables").where("environment_id", "=", environmentId).selectAll().execute();

/** Which names an environment has, and which of them are secrets. */
export type VariableNames = readonly Pick<VariableRow, "key" | "is_secret">[];

export const listVariableNames = (db: Db, environmentId: string): Promise<VariableNames> =>
  db
    .selectFrom("environment_variables")
    .where("environment_id", "=", environmentId)
    .orderBy("key")
    .select(["key", "is_secret"])
    .execute();

/** Changes of variables in these environments take turns until the transaction ends; their new version is written. */
export async function lockVariables(db: Db, organizationId: string, environmentIds: string[]): Promise<void> {
  await sql`
    with locked as (
      select id from environments where organization_id = ${organizationId} and id = any(${environmentIds}::uuid[])
      order by id for no key update)
    update environments e set variables_version = variables_version + 1 from locked where e.id = locked.id`.execute(db);
}

const columns = {
  environment_id: "uuid",
  key: "text",
  id: "uuid",
  is_secret: "boolean",
  value: "text",
  created_at: "timestamptz",
  updated_at: "timestamptz",
};

/** Inserts them, or writes their new value. */
export async function writeVariables(db: Db, rows: VariableRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into environment_variables (environment_id, key, id, is_secret, value, created_at, updated_at)
    select environment_id, key, id, is_secret, value, created_at, updated_at from ${rowsOf("r", columns, rows)}
    on conflict (environment_id, key) do update
      set is_secret = excluded.is_secret, value = excluded.value, updated_at = excluded.updated_at`.execute(db);
}

export async function deleteVariables(db: Db, rows: Pick<VariableRow, "environment_id" | "key">[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    delete from environment_variables v using ${rowsOf("r", { environment_id: "uuid", key: "text" }, rows)}
    where v.environment_id = r.environment_id and v.key = r.key`.execute(db);
}

/** Environments of the organisation that have this many variables, or more. */
export async function findFullEnvironments(
  db: Db,
  organizationId: string,
  { environmentIds, limit }: { environmentIds: string[]; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ environment_id: string }>`
    select v.environment_id from environment_variables v join environments e on e.id = v.environment_id
    where e.organization_id = ${organizationId} and v.environment_id = any(${environmentIds}::uuid[])
    group by v.environment_id having count(*) >= ${limit}`.execute(db);
  return rows.map((row) => row.environment_id);
}

export type VariableUser = { environment_id: string; name: string; identifier: string };
type Users = { workflows: VariableUser[]; layouts: VariableUser[] };

/**
 * Workflows and layouts whose templates, conditions or translations read the variable by its name. A computed name, as
 * in `env[payload.name]`, cannot be found.
 */
export async function findVariableUsers(
  db: Db,
  organizationId: string,
  { environmentIds, key, limit }: { environmentIds: string[]; key: string; limit: number },
): Promise<Users> {
  // Quotes are escaped in the text of a JSON value.
  const pattern = `(^|[^A-Za-z0-9_.])env(\\.|\\[\\\\*["'])${key}($|[^A-Za-z0-9_])`;
  const hasTexts = (type: "workflow" | "layout") => sql`exists (
    select 1 from translations t where t.environment_id = o.environment_id and t.resource_type = ${type}
      and t.resource_id = o.id and t.content::text ~ ${pattern})`;
  const scope = sql`o.environment_id = any(${environmentIds}::uuid[]) and o.environment_id in (
    select id from environments where organization_id = ${organizationId} and deleted_at is null)`;
  const workflows = await sql<VariableUser>`
    select o.environment_id, o.name, o.workflow_id as identifier from workflows o
    where ${scope} and o.deleted_at is null and (o.steps::text ~ ${pattern} or ${hasTexts("workflow")})
    order by o.environment_id, o.workflow_id limit ${limit}`.execute(db);
  const layouts = await sql<VariableUser>`
    select o.environment_id, o.name, o.layout_id as identifier from layouts o
    where ${scope} and (o.control_values::text ~ ${pattern} or ${hasTexts("layout")})
    order by o.environment_id, o.layout_id limit ${limit}`.execute(db);
  return { workflows: workflows.rows, layouts: layouts.rows };
}
