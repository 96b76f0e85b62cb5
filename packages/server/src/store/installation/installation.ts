// The installation as a whole: its creation, its settings, and what startup and metrics read across all environments.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { ApiKeyRow } from "../environments/api-keys.ts";
import type { EnvironmentRow } from "../environments/environments.ts";

export type NewInstallation = {
  organization: { id: string; name: string };
  user: { id: string; name: string };
  environments: { id: string; name: string; identifier: string; type: "dev" | "prod"; parentId: string | null }[];
  keys: ApiKeyRow[];
  now: Date;
};

/** An advisory lock, held until the transaction ends. */
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

/** Valid keys that may do everything, those of the oldest environment first. */
const validKeys = (db: Db) =>
  db
    .selectFrom("api_keys as k")
    .innerJoin("environments as e", "e.id", "k.environment_id")
    .where("e.deleted_at", "is", null)
    .where("k.revoked_at", "is", null)
    .where("k.scope", "=", "full")
    .where((where) => where.or([where("k.expires_at", "is", null), where("k.expires_at", ">", sql<Date>`now()`)]))
    .orderBy("e.created_at")
    .orderBy("k.created_at")
    .select("k.secret");

/** The first key of the oldest `dev` environment, which the banner shows. */
export const findDevelopmentKey = (db: Db) => validKeys(db).where("e.type", "=", "dev").executeTakeFirst();

/** The first key of the environment with this identifier. */
export const findFirstKey = (db: Db, identifier: string) =>
  validKeys(db).where("e.identifier", "=", identifier).executeTakeFirst();

/** The identifiers of all environments, the oldest first. */
export const listIdentifiers = async (db: Db): Promise<string[]> => {
  const rows = await db
    .selectFrom("environments")
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .select("identifier")
    .execute();
  return rows.map(({ identifier }) => identifier);
};

/** The next environments by id, locked until the transaction ends; rows that refer to them can still be written. */
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

export type IntegrationHistory = { environment_id: string; provider_ids: string[]; active_channels: string[] };

/** By environment: the providers of all present and deleted integrations, and the channels with an active one. */
export async function findIntegrationHistories(db: Db, environmentIds: string[]): Promise<IntegrationHistory[]> {
  const { rows } = await sql<IntegrationHistory>`
    select environment_id, array_agg(distinct provider_id) as provider_ids,
      coalesce(array_agg(distinct channel) filter (where active and deleted_at is null), '{}') as active_channels
    from integrations where environment_id = any(${environmentIds}::uuid[]) group by environment_id`.execute(db);
  return rows;
}

/** Open circuits by provider, for the metrics. */
export async function countOpenCircuits(db: Db): Promise<{ provider_id: string; count: number }[]> {
  const { rows } = await sql<{ provider_id: string; count: number }>`
    select i.provider_id, count(*) as count from integration_health h join integrations i on i.id = h.integration_id
    where h.state <> 'closed' and i.active and i.deleted_at is null group by i.provider_id`.execute(db);
  return rows;
}

/** Open alerts by kind, for the metrics. */
export async function countOpenAlerts(db: Db): Promise<{ kind: string; count: number }[]> {
  const { rows } = await sql<{ kind: string; count: number }>`
    select a.kind, count(*) as count from alerts a join environments e on e.id = a.environment_id
    where a.status = 'open' and e.deleted_at is null group by a.kind`.execute(db);
  return rows;
}

/** One installation is one organisation. */
export const findOrganizationId = async (db: Db): Promise<string> =>
  (await db.selectFrom("organizations").orderBy("created_at").orderBy("id").select("id").executeTakeFirstOrThrow()).id;
