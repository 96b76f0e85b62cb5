// Provider integrations: credentials and configurations are stored encrypted.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type IntegrationRow = Selectable<Tables["integrations"]>;
export type NewIntegration = Omit<IntegrationRow, "deleted_at" | "deleted_by">;

const live = (db: Db, environmentId: string) =>
  db.selectFrom("integrations").where("environment_id", "=", environmentId).where("deleted_at", "is", null).selectAll();

export const listIntegrations = (db: Db, environmentId: string): Promise<IntegrationRow[]> =>
  live(db, environmentId).orderBy("created_at").orderBy("id").execute();

/** The same without hidden ones, unless a subscriber has credentials for one. */
export const listShownIntegrations = (db: Db, environmentId: string): Promise<IntegrationRow[]> =>
  live(db, environmentId)
    // Written as the index on the channels is.
    .where(
      sql<boolean>`(not is_hidden or exists (
        select 1 from subscribers s where s.environment_id = ${environmentId} and s.channels <> '[]'
          and jsonb_path_query_array(s.channels, '$[*]._integrationId') ? integrations.id::text))`,
    )
    .orderBy("created_at")
    .orderBy("id")
    .execute();

/** From now on it is listed. A statement of its own: those who lock subscribers first must not wait for an integration. */
export async function showIntegration(db: Db, environmentId: string, id: string): Promise<void> {
  await db
    .updateTable("integrations")
    .set({ is_hidden: false })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .where("is_hidden", "=", true)
    .execute();
}

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

/** Where a registration under way is written down: among the idempotency keys, where no header can name it. */
const registrationKey = (integrationId: string): string => `registration\n${integrationId}`;

/**
 * Registering with a provider is for one request at a time, and holds no transaction: the provider takes its time. False
 * when another request is at it. A claim that nobody released, because its process died, is void after a minute.
 */
export async function claimRegistration(db: Db, environmentId: string, integrationId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into idempotency_keys as k (environment_id, key, fingerprint, status)
    values (${environmentId}, ${registrationKey(integrationId)}, '', 0)
    on conflict (environment_id, key) do update set created_at = now()
      where k.created_at < now() - interval '1 minute'
    returning key`.execute(db);
  return rows.length === 1;
}

export async function releaseRegistration(db: Db, environmentId: string, integrationId: string): Promise<void> {
  await db
    .deleteFrom("idempotency_keys")
    .where("environment_id", "=", environmentId)
    .where("key", "=", registrationKey(integrationId))
    .execute();
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

/** Those whose identifier or place as primary is taken are left out. Answers how many were added. */
export async function insertIntegrations(db: Db, rows: NewIntegration[]): Promise<number> {
  if (rows.length === 0) return 0;
  const values = rows.map((row) => ({ ...row, conditions: JSON.stringify(row.conditions) }));
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto("integrations")
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows);
}

export type IntegrationTrace = { environment_id: string; provider_ids: string[]; active_channels: string[] };

/** The providers each environment has or ever had an integration of, and the channels that something active serves. */
export async function findIntegrationTraces(db: Db, environmentIds: string[]): Promise<IntegrationTrace[]> {
  const { rows } = await sql<IntegrationTrace>`
    select environment_id, array_agg(distinct provider_id) as provider_ids,
      coalesce(array_agg(distinct channel) filter (where active and deleted_at is null), '{}') as active_channels
    from integrations where environment_id = any(${environmentIds}::uuid[]) group by environment_id`.execute(db);
  return rows;
}

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
