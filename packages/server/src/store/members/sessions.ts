// Sessions of members. The secret in the cookie is stored as a hash only.
import type { Role } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type SessionRow = Selectable<Tables["person_sessions"]>;

export async function insertSession(db: Db, row: Omit<SessionRow, "wrong_passwords">): Promise<void> {
  await db.insertInto("person_sessions").values(row).execute();
}

export type FoundSession = {
  id: string;
  organization_id: string;
  created_at: Date;
  renewed_at: Date;
  person_id: string;
  name: string;
  email: string;
  role: Role;
  has_password: boolean;
};

/** A session that has not expired, of a member who was not removed. */
export async function findSession(db: Db, secretHash: Buffer, now: Date): Promise<FoundSession | undefined> {
  const { rows } = await sql<FoundSession>`
    select s.id, s.organization_id, s.created_at, s.renewed_at, u.id as person_id, u.name, u.email, u.role,
      u.password_hash is not null as has_password
    from person_sessions s join users u on u.id = s.user_id and u.organization_id = s.organization_id
    where s.secret_hash = ${secretHash} and s.expires_at > ${now}
      and u.removed_at is null and u.email is not null and u.role is not null`.execute(db);
  return rows[0];
}

export async function renewSession(
  db: Db,
  organizationId: string,
  id: string,
  times: { renewed_at: Date; expires_at: Date },
): Promise<void> {
  await db
    .updateTable("person_sessions")
    .set(times)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .execute();
}

export async function deleteSession(db: Db, organizationId: string, id: string): Promise<void> {
  await db.deleteFrom("person_sessions").where("organization_id", "=", organizationId).where("id", "=", id).execute();
}

/** The session of this secret, if there is one. */
export async function deleteSessionBySecret(db: Db, organizationId: string, secretHash: Buffer): Promise<void> {
  await db
    .deleteFrom("person_sessions")
    .where("organization_id", "=", organizationId)
    .where("secret_hash", "=", secretHash)
    .execute();
}

/** Returns how many there were in this session; as many as no one may have, when it has ended meanwhile. */
export async function countWrongPassword(db: Db, organizationId: string, id: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    update person_sessions set wrong_passwords = wrong_passwords + 1
    where organization_id = ${organizationId} and id = ${id} returning wrong_passwords as count`.execute(db);
  return rows[0]?.count ?? Number.MAX_SAFE_INTEGER;
}

/** All sessions of a member but one, if it is named. */
export async function deleteSessionsOf(db: Db, organizationId: string, userId: string, exceptId?: string) {
  await sql`delete from person_sessions where organization_id = ${organizationId} and user_id = ${userId}
    ${exceptId === undefined ? sql`` : sql`and id <> ${exceptId}`}`.execute(db);
}

/** Deletes the oldest sessions of a member beyond this many. */
export async function trimSessions(db: Db, organizationId: string, userId: string, kept: number): Promise<void> {
  await sql`delete from person_sessions where id in (
    select id from person_sessions where organization_id = ${organizationId} and user_id = ${userId}
    order by created_at desc, id desc offset ${kept})`.execute(db);
}

/** Returns false when the state of a sign-in with OpenID Connect was used before. */
export async function takeOidcState(
  db: Db,
  organizationId: string,
  stateHash: Buffer,
  expiresAt: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto("used_oidc_states")
    .values({ organization_id: organizationId, state_hash: stateHash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}
