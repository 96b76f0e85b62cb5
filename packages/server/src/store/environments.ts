// Organisations, environments and their API keys.
import { sql } from "kysely";
import type { Db } from "./db.ts";

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
    .orderBy("created_at")
    .orderBy("id")
    .selectAll()
    .execute();

export const listLiveKeys = (db: Db, environmentId: string) =>
  db
    .selectFrom("api_keys")
    .where("environment_id", "=", environmentId)
    .where("revoked_at", "is", null)
    .orderBy("created_at")
    .select(["secret", "user_id"])
    .execute();

/** By id or identifier, within one organisation. */
export const findEnvironment = (db: Db, organizationId: string, idOrIdentifier: string) =>
  db
    .selectFrom("environments")
    .where("organization_id", "=", organizationId)
    .where((eb) =>
      eb.or([eb(eb.cast<string>("id", "text"), "=", idOrIdentifier), eb("identifier", "=", idOrIdentifier)]),
    )
    .selectAll()
    .executeTakeFirst();

export type NewInstallation = {
  organization: { id: string; name: string };
  user: { id: string; name: string };
  environments: { id: string; name: string; identifier: string; type: "dev" | "prod"; parentId: string | null }[];
  keys: { id: string; environmentId: string; hash: Buffer; secret: string }[];
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
  await db
    .insertInto("api_keys")
    .values(
      input.keys.map((key) => ({
        id: key.id,
        environment_id: key.environmentId,
        user_id: user.id,
        hash: key.hash,
        secret: key.secret,
        created_at: now,
        revoked_at: null,
      })),
    )
    .execute();
}

/** The first key of the oldest `dev` environment: what the banner shows. */
export const findDevelopmentKey = (db: Db) =>
  db
    .selectFrom("api_keys as k")
    .innerJoin("environments as e", "e.id", "k.environment_id")
    .where("e.type", "=", "dev")
    .where("k.revoked_at", "is", null)
    .orderBy("e.created_at")
    .orderBy("k.created_at")
    .select("k.secret")
    .executeTakeFirst();

export const readInstallationValue = async (db: Db, name: string): Promise<string | null> =>
  (await db.selectFrom("installation").where("name", "=", name).select("value").executeTakeFirst())?.value ?? null;

export async function writeInstallationValue(db: Db, name: string, value: string): Promise<void> {
  await db
    .insertInto("installation")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
}
