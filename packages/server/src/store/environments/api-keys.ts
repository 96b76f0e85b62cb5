// API keys of environments: whose a key is and what it may do, in one query, and their changes.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type ApiKeyRow = Selectable<Tables["api_keys"]>;

/** What a key may do. Plain data: threads get copies of callers. */
export type KeyRights = {
  name: string | null;
  scope: ApiKeyRow["scope"];
  operations: string[] | null;
  expiresAt: Date | null;
  networks: string[] | null;
};

export type KeyOwner = {
  environmentId: string;
  organizationId: string;
  environmentType: "dev" | "prod";
  environmentIdentifier: string;
  userId: string;
  apiKeyId: string;
  mayRaisePriority: boolean;
  key: KeyRights;
};

/** The rights in a row of `api_keys`. */
export const rightsOf = (row: Pick<ApiKeyRow, (typeof rightColumns)[number]>): KeyRights => ({
  name: row.name,
  scope: row.scope,
  operations: row.operations,
  expiresAt: row.expires_at,
  networks: row.allowed_networks,
});

const rightColumns = ["name", "scope", "operations", "expires_at", "allowed_networks"] as const;

const findOwner = async (db: Db, key: { hash: Buffer } | { id: string }): Promise<KeyOwner | null> => {
  const [column, value] = "hash" in key ? (["k.hash", key.hash] as const) : (["k.id", key.id] as const);
  const row = await db
    .selectFrom("api_keys as k")
    .innerJoin("environments as e", "e.id", "k.environment_id")
    .where(column, "=", value)
    .where("k.revoked_at", "is", null)
    .where("e.deleted_at", "is", null)
    .select(["k.id", "k.user_id", "k.may_raise_priority"])
    .select(["k.name", "k.scope", "k.operations", "k.expires_at", "k.allowed_networks"])
    .select(["e.id as environment_id", "e.organization_id", "e.type", "e.identifier"])
    .executeTakeFirst();
  return row
    ? {
        environmentId: row.environment_id,
        organizationId: row.organization_id,
        environmentType: row.type,
        environmentIdentifier: row.identifier,
        userId: row.user_id,
        apiKeyId: row.id,
        mayRaisePriority: row.may_raise_priority,
        key: rightsOf(row),
      }
    : null;
};

export const findKeyOwner = (db: Db, hash: Buffer): Promise<KeyOwner | null> => findOwner(db, { hash });

export const findOwnerOfKeyId = (db: Db, environmentId: string, id: string): Promise<KeyOwner | null> =>
  findOwner(db, { id }).then((owner) => (owner?.environmentId === environmentId ? owner : null));

/** Keys that were not revoked, the oldest first; some may have expired. */
export const listLiveKeys = (db: Db, environmentId: string) =>
  db
    .selectFrom("api_keys")
    .where("environment_id", "=", environmentId)
    .where("revoked_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .select(["id", "secret", "user_id", "created_at", "last_used_at", "may_raise_priority", "owner", ...rightColumns])
    .execute();

export type LiveKey = Awaited<ReturnType<typeof listLiveKeys>>[number];

export async function insertApiKey(db: Db, row: ApiKeyRow): Promise<void> {
  await db.insertInto("api_keys").values(row).execute();
}

/** Unless it was recorded after `before`, by this process or another. */
export async function markKeyUsed(
  db: Db,
  environmentId: string,
  id: string,
  { now, before }: { now: Date; before: Date },
): Promise<void> {
  await sql`update api_keys set last_used_at = ${now} where environment_id = ${environmentId} and id = ${id}
    and (last_used_at is null or last_used_at < ${before})`.execute(db);
}

export async function revokeApiKey(db: Db, environmentId: string, id: string, now: Date): Promise<void> {
  await db
    .updateTable("api_keys")
    .set({ revoked_at: now })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .execute();
}

export type KeyChanges = Pick<ApiKeyRow, "owner" | "may_raise_priority" | (typeof rightColumns)[number]>;

export async function updateApiKey(db: Db, environmentId: string, id: string, changes: KeyChanges): Promise<void> {
  await db
    .updateTable("api_keys")
    .set(changes)
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .execute();
}

/**
 * An environment as a member acts in it. Its oldest full key stands for tokens that end with a key; a member acts in it
 * even if all its keys have expired.
 */
export async function findEnvironmentForMember(
  db: Db,
  organizationId: string,
  environmentId: string,
): Promise<Omit<KeyOwner, "userId" | "mayRaisePriority" | "key"> | null> {
  if (!isUuid(environmentId)) return null;
  const row = await db
    .selectFrom("environments as e")
    .innerJoin("api_keys as k", (join) => join.onRef("k.environment_id", "=", "e.id").on("k.revoked_at", "is", null))
    .where("e.organization_id", "=", organizationId)
    .where("e.id", "=", environmentId)
    .where("e.deleted_at", "is", null)
    .orderBy(sql`coalesce(k.expires_at <= now(), false)`)
    .orderBy(sql`k.scope <> 'full'`)
    .orderBy("k.created_at")
    .select(["e.id", "e.type", "e.identifier", "k.id as key_id"])
    .executeTakeFirst();
  return row
    ? {
        environmentId: row.id,
        organizationId,
        environmentType: row.type,
        environmentIdentifier: row.identifier,
        apiKeyId: row.key_id,
      }
    : null;
}
