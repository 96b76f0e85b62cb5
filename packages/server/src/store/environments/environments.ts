// Organisations, environments and their API keys.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type EnvironmentRow = Selectable<Tables["environments"]>;

export type KeyOwner = {
  environmentId: string;
  organizationId: string;
  environmentType: "dev" | "prod";
  userId: string;
  apiKeyId: string;
};

export async function findKeyOwner(db: Db, hash: Buffer): Promise<KeyOwner | null> {
  const row = await db
    .selectFrom("api_keys as k")
    .innerJoin("environments as e", "e.id", "k.environment_id")
    .where("k.hash", "=", hash)
    .where("k.revoked_at", "is", null)
    .where("e.deleted_at", "is", null)
    .select(["k.id", "k.user_id", "e.id as environment_id", "e.organization_id", "e.type"])
    .executeTakeFirst();
  return row
    ? {
        environmentId: row.environment_id,
        organizationId: row.organization_id,
        environmentType: row.type,
        userId: row.user_id,
        apiKeyId: row.id,
      }
    : null;
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

/** Held until the transaction ends. Does not hold up writes that only refer to the environment. */
export async function lockEnvironment(db: Db, environmentId: string): Promise<void> {
  await sql`select id from environments where id = ${environmentId} for no key update`.execute(db);
}

/** Environments of the organisation whose identifiers begin like this one. */
export async function findEnvironmentIdentifiersLike(
  db: Db,
  organizationId: string,
  beginning: string,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom("environments")
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`starts_with(identifier, ${beginning})`)
    .select("identifier")
    .execute();
  return new Set(rows.map((row) => row.identifier));
}

export const insertEnvironment = (db: Db, row: EnvironmentRow): Promise<EnvironmentRow> =>
  db.insertInto("environments").values(row).returningAll().executeTakeFirstOrThrow();

/** Its clock aside, which moves on its own (store/environments/clocks.ts). */
export function updateEnvironment(db: Db, row: EnvironmentRow): Promise<EnvironmentRow> {
  const { test_clock, test_clock_target, ...changes } = row;
  return db.updateTable("environments").set(changes).where("id", "=", row.id).returningAll().executeTakeFirstOrThrow();
}

/**
 * Takes the environment out of every read. Keys stop, secrets go, workflows end and with them what waits; the rest of
 * its rows wait for `purgeDeletedEnvironments`.
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
  await sql`update webhooks set deleted_at = ${now}, active = false, secret = '', previous_secret = null
    where environment_id = ${environmentId} and deleted_at is null`.execute(db);
}

/**
 * Removes up to `limit` subscribers, as many webhook events and as many files of events of environments deleted before
 * this time, and environments that have none left with everything that belongs to them. Answers whether there may be more.
 */
export async function purgeDeletedEnvironments(db: Db, before: Date, limit: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from subscribers where id in (
      select s.id from subscribers s join environments e on e.id = s.environment_id
      where e.deleted_at < ${before} limit ${limit})`.execute(db);
  const { numAffectedRows: events = 0n } = await sql`
    delete from webhook_events where id in (
      select w.id from webhook_events w join environments e on e.id = w.environment_id
      where e.deleted_at < ${before} limit ${limit})`.execute(db);
  const { numAffectedRows: files = 0n } = await sql`
    delete from event_attachments where id in (
      select a.id from event_attachments a join environments e on e.id = a.environment_id
      where e.deleted_at < ${before} limit ${limit})`.execute(db);
  if (numAffectedRows > 0n || events > 0n || files > 0n) return true;
  await sql`delete from environments where deleted_at < ${before}`.execute(db);
  return false;
}

/** The tags of the environment's workflows, in order. */
export async function listTags(db: Db, environmentId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct unnest(tags) as name from workflows
    where environment_id = ${environmentId} and deleted_at is null order by name`.execute(db);
  return rows.map((row) => row.name);
}

/** Remembers the first time a feed was served. */
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

export type ApiKeyRow = Selectable<Tables["api_keys"]>;

export const listLiveKeys = (db: Db, environmentId: string) =>
  db
    .selectFrom("api_keys")
    .where("environment_id", "=", environmentId)
    .where("revoked_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .select(["id", "secret", "user_id"])
    .execute();

export async function insertApiKey(db: Db, row: ApiKeyRow): Promise<void> {
  await db.insertInto("api_keys").values(row).execute();
}

export async function revokeApiKey(db: Db, environmentId: string, id: string, now: Date): Promise<void> {
  await db
    .updateTable("api_keys")
    .set({ revoked_at: now })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .execute();
}

export type NewInstallation = {
  organization: { id: string; name: string };
  user: { id: string; name: string };
  environments: { id: string; name: string; identifier: string; type: "dev" | "prod"; parentId: string | null }[];
  keys: ApiKeyRow[];
  now: Date;
};

/** Held until the transaction ends. */
export async function lockInstallation(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(7465002)`.execute(tx);
}

export async function isEmptyInstallation(db: Db): Promise<boolean> {
  return !(await db.selectFrom("organizations").select("id").limit(1).executeTakeFirst());
}

export async function createInstallation(db: Db, input: NewInstallation): Promise<void> {
  const { organization, user, now } = input;
  await db
    .insertInto("organizations")
    .values({ ...organization, created_at: now })
    .execute();
  await db
    .insertInto("users")
    .values({ id: user.id, organization_id: organization.id, name: user.name, created_at: now })
    .execute();
  await db
    .insertInto("environments")
    .values(
      input.environments.map((environment) => ({
        id: environment.id,
        organization_id: organization.id,
        parent_id: environment.parentId,
        name: environment.name,
        identifier: environment.identifier,
        type: environment.type,
        created_at: now,
        updated_at: now,
      })),
    )
    .execute();
  await db.insertInto("api_keys").values(input.keys).execute();
}

/** The first key of the oldest `dev` environment: what the banner shows. */
export const findDevelopmentKey = (db: Db) =>
  db
    .selectFrom("api_keys as k")
    .innerJoin("environments as e", "e.id", "k.environment_id")
    .where("e.type", "=", "dev")
    .where("e.deleted_at", "is", null)
    .where("k.revoked_at", "is", null)
    .orderBy("e.created_at")
    .orderBy("k.created_at")
    .select("k.secret")
    .executeTakeFirst();

/** The next environments by id, held until the transaction ends; writes that only refer to them go on. */
export const holdEnvironmentsAfter = (
  db: Db,
  after: string,
  limit: number,
): Promise<Pick<EnvironmentRow, "id" | "type">[]> =>
  db
    .selectFrom("environments")
    .where("id", ">", after)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .limit(limit)
    .select(["id", "type"])
    .forNoKeyUpdate()
    .execute();

export const readInstallationValue = async (db: Db, name: string): Promise<string | null> =>
  (await db.selectFrom("installation").where("name", "=", name).select("value").executeTakeFirst())?.value ?? null;

export async function writeInstallationValue(db: Db, name: string, value: string): Promise<void> {
  await db
    .insertInto("installation")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}
