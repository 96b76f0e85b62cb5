// Links that work once: of a first owner, of invitations, of new passwords. Their tokens are stored as hashes only.
import type { LinkKind } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type LinkRow = Selectable<Tables["person_links"]>;

export async function insertLink(db: Db, row: LinkRow): Promise<void> {
  await db.insertInto("person_links").values(row).execute();
}

export const findLink = (db: Db, organizationId: string, secretHash: Buffer, now: Date): Promise<LinkRow | undefined> =>
  db
    .selectFrom("person_links")
    .where("organization_id", "=", organizationId)
    .where("secret_hash", "=", secretHash)
    .where("expires_at", ">", now)
    .selectAll()
    .executeTakeFirst();

/** Deletes the link: of two requests that use it at the same time, one gets it. */
export async function takeLink(db: Db, organizationId: string, id: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from person_links where organization_id = ${organizationId} and id = ${id}`.execute(db);
  return numAffectedRows > 0n;
}

/** The links of one kind; of one person or one address, if it is named. */
export async function deleteLinks(
  db: Db,
  organizationId: string,
  kind: LinkKind,
  { userId, email }: { userId?: string; email?: string } = {},
): Promise<void> {
  await sql`delete from person_links where organization_id = ${organizationId} and kind = ${kind}
    ${userId === undefined ? sql`` : sql`and user_id = ${userId}`}
    ${email === undefined ? sql`` : sql`and lower(email) = lower(${email})`}`.execute(db);
}

export const listInvitations = (db: Db, organizationId: string, now: Date, limit: number): Promise<LinkRow[]> =>
  db
    .selectFrom("person_links")
    .where("organization_id", "=", organizationId)
    .where("kind", "=", "invitation")
    .where("expires_at", ">", now)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .selectAll()
    .execute();

/** The invitation with this id, or for this address. */
export async function findInvitation(
  db: Db,
  organizationId: string,
  by: { id: string } | { email: string },
  now: Date,
): Promise<LinkRow | undefined> {
  if ("id" in by && !isUuid(by.id)) return undefined;
  const condition = "id" in by ? sql<boolean>`id = ${by.id}` : sql<boolean>`lower(email) = lower(${by.email})`;
  return db
    .selectFrom("person_links")
    .where("organization_id", "=", organizationId)
    .where("kind", "=", "invitation")
    .where("expires_at", ">", now)
    .where(condition)
    .selectAll()
    .executeTakeFirst();
}
