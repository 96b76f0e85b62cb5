// Organisations and environments. Their API keys are in api-keys.ts.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { forgetSources } from "../sources/sources.ts";
import type { Tables } from "../tables.ts";

export type EnvironmentRow = Selectable<Tables["environments"]>;

/** By id, or by an identifier that only one environment of the installation has. */
export async function findPublicEnvironment(db: Db, idOrIdentifier: string): Promise<EnvironmentRow | undefined> {
  const base = db.selectFrom("environments").where("deleted_at", "is", null).selectAll();
  if (isUuid(idOrIdentifier)) return base.where("id", "=", idOrIdentifier).executeTakeFirst();
  const rows = await base.where("identifier", "=", idOrIdentifier).limit(2).execute();
  return rows.length === 1 ? rows[0] : undefined;
}

export const listEnvironments = (db: Db, organizationId: string) =>
  db
    .selectFrom("environments")
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .selectAll()
    .execute();

/** By id or identifier, within one organisation; the id is tried first. */
export async function findEnvironment(
  db: Db,
  organizationId: string,
  idOrIdentifier: string,
): Promise<EnvironmentRow | undefined> {
  const base = db
    .selectFrom("environments")
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .selectAll();
  const byId = isUuid(idOrIdentifier) ? await base.where("id", "=", idOrIdentifier).executeTakeFirst() : undefined;
  return byId ?? base.where("identifier", "=", idOrIdentifier).executeTakeFirst();
}

/** Locked until the transaction ends; rows that refer to the environment can still be written. */
export async function lockEnvironment(db: Db, environmentId: string): Promise<void> {
  await sql`select id from environments where id = ${environmentId} for no key update`.execute(db);
}

/** Identifiers of the organisation's environments that begin with this prefix. */
export async function findEnvironmentIdentifiersLike(
  db: Db,
  organizationId: string,
  prefix: string,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom("environments")
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`starts_with(identifier, ${prefix})`)
    .select("identifier")
    .execute();
  return new Set(rows.map((row) => row.identifier));
}

export const insertEnvironment = (
  db: Db,
  row: Omit<EnvironmentRow, "retention" | "brand" | "attention" | "variables_version">,
): Promise<EnvironmentRow> => db.insertInto("environments").values(row).returningAll().executeTakeFirstOrThrow();

/**
 * Without its test clock, which clocks.ts writes, its retention (retention.ts), its brand (brand.ts), its attention
 * budgets (store/attention) and the version of its variables (variables.ts).
 */
export function updateEnvironment(db: Db, row: EnvironmentRow): Promise<EnvironmentRow> {
  const { test_clock, test_clock_target, retention, brand, attention, variables_version, ...changes } = row;
  return db
    .updateTable("environments")
    .set(changes)
    .where("organization_id", "=", row.organization_id)
    .where("id", "=", row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Revokes its keys and the grants of its roles, removes its secrets and sources, and deletes its workflows, which
 * cancels what still waits. The other rows are
 * deleted by `purgeDeletedEnvironments`.
 */
export async function markEnvironmentDeleted(db: Db, environmentId: string, by: string, now: Date): Promise<void> {
  await sql`update environments set deleted_at = ${now}, updated_at = ${now}, parent_id = null
    where id = ${environmentId}`.execute(db);
  await sql`update environments set parent_id = null, updated_at = ${now}
    where parent_id = ${environmentId}`.execute(db);
  await sql`update api_keys set revoked_at = ${now}
    where environment_id = ${environmentId} and revoked_at is null`.execute(db);
  await sql`update integrations set deleted_at = ${now}, deleted_by = ${by}, credentials = null, configurations = null,
      active = false, is_primary = false
    where environment_id = ${environmentId} and deleted_at is null`.execute(db);
  await sql`update workflows set deleted_at = ${now}, active = false, updated_at = ${now}
    where environment_id = ${environmentId} and deleted_at is null`.execute(db);
  await forgetSources(db, environmentId);
  await sql`delete from environment_variables where environment_id = ${environmentId}`.execute(db);
  await sql`delete from alert_rules where environment_id = ${environmentId}`.execute(db);
  await sql`delete from alert_messages where environment_id = ${environmentId}`.execute(db);
  await sql`update webhooks set deleted_at = ${now}, active = false, secret = '', previous_secret = null
    where environment_id = ${environmentId} and deleted_at is null`.execute(db);
}

/** The tags of the environment's workflows, in order. */
export async function listTags(db: Db, environmentId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct unnest(tags) as name from workflows
    where environment_id = ${environmentId} and deleted_at is null order by name`.execute(db);
  return rows.map((row) => row.name);
}

/** Records the first time that a feed was served. */
export async function markInboxConnected(db: Db, environmentId: string, now: Date): Promise<void> {
  await sql`update environments set inbox_connected_at = ${now}
    where id = ${environmentId} and inbox_connected_at is null`.execute(db);
}

export async function isInboxConnected(db: Db, environmentId: string): Promise<boolean> {
  const row = await db
    .selectFrom("environments")
    .where("id", "=", environmentId)
    .select("inbox_connected_at")
    .executeTakeFirst();
  return row?.inbox_connected_at != null;
}
