// Provider integrations and their health. Credentials and configurations are stored encrypted.
import type { Channel } from "@tidings/contract";
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

/** Without hidden integrations, unless a subscriber has credentials for them. */
export const listShownIntegrations = (db: Db, environmentId: string): Promise<IntegrationRow[]> =>
  live(db, environmentId)
    // The same expression as in the index on the channels.
    .where(
      sql<boolean>`(not is_hidden or exists (
        select 1 from subscribers s where s.environment_id = ${environmentId} and s.channels <> '[]'
          and jsonb_path_query_array(s.channels, '$[*]._integrationId') ? integrations.id::text))`,
    )
    .orderBy("created_at")
    .orderBy("id")
    .execute();

/** Makes a hidden integration listed. Called outside transactions that lock subscribers, to avoid a deadlock. */
export async function showIntegration(db: Db, environmentId: string, id: string): Promise<void> {
  await db
    .updateTable("integrations")
    .set({ is_hidden: false })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .where("is_hidden", "=", true)
    .execute();
}

/** Also deleted ones, which past messages still name. */
export const findIntegrationsByIds = async (db: Db, environmentId: string, ids: string[]): Promise<IntegrationRow[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom("integrations")
        .where("environment_id", "=", environmentId)
        .where("id", "in", ids)
        .selectAll()
        .execute();

/** The channels with an active integration. */
export async function findActiveChannels(db: Db, environmentId: string): Promise<Set<Channel>> {
  const rows = await live(db, environmentId).where("active", "=", true).execute();
  return new Set(rows.map((row) => row.channel));
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
 * Locks the integrations of an environment until the transaction ends. Called before every write of an integration and
 * every choice of the primary. Rows that refer to the environment can still be written.
 */
export async function lockIntegrations(db: Db, environmentId: string): Promise<void> {
  await db.selectFrom("environments").where("id", "=", environmentId).select("id").forNoKeyUpdate().execute();
}

/** The claim of a registration is stored as an idempotency key that no request header can contain (line break). */
const registrationKey = (integrationId: string): string => `registration\n${integrationId}`;

/**
 * Claims the registration of a webhook with a provider: one request at a time, without an open transaction, because the
 * provider may return slowly. False when another request holds the claim. The claim of a dead process expires after a
 * minute.
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

/** The primary integration becomes an ordinary one with this priority. */
export async function demotePrimary(
  db: Db,
  environmentId: string,
  { channel, priority, now }: { channel: string; priority: number; now: Date },
): Promise<void> {
  await sql`
    update integrations set is_primary = false, priority = ${priority}, updated_at = ${now}
    where environment_id = ${environmentId} and channel = ${channel} and is_primary`.execute(db);
}

export const insertIntegration = (db: Db, row: NewIntegration): Promise<IntegrationRow> =>
  db
    .insertInto("integrations")
    .values({ ...row, conditions: JSON.stringify(row.conditions), deleted_at: null, deleted_by: null })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Skips those whose identifier is taken or whose channel has a primary already. Returns how many were added. */
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

export const updateIntegration = (db: Db, row: IntegrationRow): Promise<IntegrationRow> =>
  db
    .updateTable("integrations")
    .set({ ...row, conditions: JSON.stringify(row.conditions) })
    .where("environment_id", "=", row.environment_id)
    .where("id", "=", row.id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** The row stays for the audit trail; its secrets are removed and its identifier becomes free. */
export async function markIntegrationDeleted(
  db: Db,
  environmentId: string,
  { id, by, now }: { id: string; by: string; now: Date },
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

export type HealthRow = Selectable<Tables["integration_health"]>;

/** Undefined when the integration was never called. */
export const findHealth = (db: Db, environmentId: string, integrationId: string): Promise<HealthRow | undefined> =>
  db
    .selectFrom("integration_health")
    .where("environment_id", "=", environmentId)
    .where("integration_id", "=", integrationId)
    .selectAll()
    .executeTakeFirst();

export const listHealth = (db: Db, environmentId: string): Promise<HealthRow[]> =>
  db.selectFrom("integration_health").where("environment_id", "=", environmentId).selectAll().execute();
