// Provider integrations: credentials and configurations are stored encrypted.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../lib/ids.ts";
import type { Db } from "./db.ts";
import type { Tables } from "./tables.ts";

export type IntegrationRow = Selectable<Tables["integrations"]>;
export type NewIntegration = Omit<IntegrationRow, "deleted_at" | "deleted_by">;

const live = (db: Db, environmentId: string) =>
  db.selectFrom("integrations").where("environment_id", "=", environmentId).where("deleted_at", "is", null).selectAll();

export const listIntegrations = (db: Db, environmentId: string): Promise<IntegrationRow[]> =>
  live(db, environmentId).orderBy("created_at").orderBy("id").execute();

export async function findIntegration(
  db: Db,
  environmentId: string,
  idOrIdentifier: string,
): Promise<IntegrationRow | undefined> {
  const byId = isUuid(idOrIdentifier)
    ? await live(db, environmentId).where("id", "=", idOrIdentifier).executeTakeFirst()
    : undefined;
  return byId ?? live(db, environmentId).where("identifier", "=", idOrIdentifier).executeTakeFirst();
}

/**
 * Takes the integrations of an environment for this transaction: whoever writes one, or decides by the others which is
 * primary, comes through here first. Rows that refer to the environment can still be written.
 */
export async function lockIntegrations(db: Db, environmentId: string): Promise<void> {
  await db.selectFrom("environments").where("id", "=", environmentId).select("id").forNoKeyUpdate().execute();
}

/** The integration that holds the place of the primary loses it, and keeps the place below, at `priority`. */
export async function demotePrimary(
  db: Db,
  environmentId: string,
  channel: string,
  priority: number,
  now: Date,
): Promise<void> {
  await sql`
    update integrations set is_primary = false, priority = ${priority}, updated_at = ${now}
    where environment_id = ${environmentId} and channel = ${channel} and is_primary`.execute(db);
}

/**
 * Active integrations of several environments, in order of delivery: the primary first, then by priority. What the
 * pipeline chooses from.
 */
export async function findActiveIntegrations(db: Db, environmentIds: string[]): Promise<IntegrationRow[]> {
  if (environmentIds.length === 0) return [];
  return db
    .selectFrom("integrations")
    .where("environment_id", "in", environmentIds)
    .where("deleted_at", "is", null)
    .where("active", "=", true)
    .orderBy("is_primary", "desc")
    .orderBy("priority", "desc")
    .orderBy("created_at")
    .selectAll()
    .execute();
}

/** Also deleted ones: a delivery under way finishes with the integration it started with. */
export const findIntegrationsByIds = async (db: Db, ids: string[]): Promise<IntegrationRow[]> =>
  ids.length === 0 ? [] : db.selectFrom("integrations").where("id", "in", ids).selectAll().execute();

export const insertIntegration = (db: Db, row: NewIntegration): Promise<IntegrationRow> =>
  db
    .insertInto("integrations")
    .values({ ...row, conditions: JSON.stringify(row.conditions), deleted_at: null, deleted_by: null })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateIntegration = (db: Db, row: IntegrationRow): Promise<IntegrationRow> =>
  db
    .updateTable("integrations")
    .set({ ...row, conditions: JSON.stringify(row.conditions) })
    .where("environment_id", "=", row.environment_id)
    .where("id", "=", row.id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** The row stays for the audit trail; its secrets go and its identifier becomes free. */
export async function markIntegrationDeleted(
  db: Db,
  environmentId: string,
  id: string,
  by: string,
  now: Date,
): Promise<void> {
  await db
    .updateTable("integrations")
    .set({ deleted_at: now, deleted_by: by, credentials: null, configurations: null, active: false, is_primary: false })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .execute();
}

/** The priority just below the primary: above every other active integration of the channel. */
export async function nextPriority(db: Db, environmentId: string, channel: string): Promise<number> {
  const { rows } = await sql<{ top: number | null }>`
    select max(priority) as top from integrations
    where environment_id = ${environmentId} and channel = ${channel} and deleted_at is null and active and not is_primary
  `.execute(db);
  return (rows[0]?.top ?? 0) + 1;
}
