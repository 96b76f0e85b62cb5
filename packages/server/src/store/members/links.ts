// Links that work once: of a first owner, of invitations, of new passwords. Their tokens are stored as hashes only.
import type { LinkKind } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { foldAddress } from "../../lib/addresses.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type LinkRow = Selectable<Tables["person_links"]>;

/**
 * A link is as good as the right of the owner who created it. Links of the machine, which create the first owner, have
 * no creator. Removing or demoting an owner deletes the links too; this also covers links that an earlier version left
 * behind.
 */
const isMadeByOwner = sql<boolean>`(kind = 'first' or exists (
  select 1 from users u where u.id = person_links.created_by and u.organization_id = person_links.organization_id
    and u.role = 'owner' and u.removed_at is null))`;

const keyOf = (email: string | null): string | null => (email === null ? null : foldAddress(email));

export const insertLink = (db: Db, row: Omit<LinkRow, "email_key">): Promise<LinkRow> =>
  db
    .insertInto("person_links")
    .values({ ...row, email_key: keyOf(row.email) })
    .returningAll()
    .executeTakeFirstOrThrow();

export const findLink = (db: Db, organizationId: string, secretHash: Buffer, now: Date): Promise<LinkRow | undefined> =>
  db
    .selectFrom("person_links")
    .where("organization_id", "=", organizationId)
    .where("secret_hash", "=", secretHash)
    .where("expires_at", ">", now)
    .where(isMadeByOwner)
    .selectAll()
    .executeTakeFirst();

/** Deletes the link: of two requests that use it at the same time, one gets it. */
export async function takeLink(db: Db, organizationId: string, id: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from person_links where organization_id = ${organizationId} and id = ${id} and ${isMadeByOwner}`.execute(db);
  return numAffectedRows > 0n;
}

/** The links of one kind; of one member or one address, if it is named. */
export async function deleteLinks(
  db: Db,
  organizationId: string,
  kind: LinkKind,
  { userId, email }: { userId?: string; email?: string } = {},
): Promise<void> {
  await sql`delete from person_links where organization_id = ${organizationId} and kind = ${kind}
    ${userId === undefined ? sql`` : sql`and user_id = ${userId}`}
    ${email === undefined ? sql`` : sql`and email_key = ${foldAddress(email)}`}`.execute(db);
}

/** Invitations and reset links that a member created. */
export async function deleteLinksMadeBy(db: Db, organizationId: string, userId: string): Promise<void> {
  await sql`delete from person_links where organization_id = ${organizationId} and created_by = ${userId}`.execute(db);
}

export const listInvitations = (db: Db, organizationId: string, now: Date, limit: number): Promise<LinkRow[]> =>
  db
    .selectFrom("person_links")
    .where("organization_id", "=", organizationId)
    .where("kind", "=", "invitation")
    .where("expires_at", ">", now)
    .where(isMadeByOwner)
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
  const condition = "id" in by ? sql<boolean>`id = ${by.id}` : sql<boolean>`email_key = ${foldAddress(by.email)}`;
  return db
    .selectFrom("person_links")
    .where("organization_id", "=", organizationId)
    .where("kind", "=", "invitation")
    .where("expires_at", ">", now)
    .where(isMadeByOwner)
    .where(condition)
    .selectAll()
    .executeTakeFirst();
}

/** An open reset link: whose password it sets, and who created it. */
export type ResetLinkRow = {
  id: string;
  person_id: string;
  name: string;
  email: string;
  made_by: string;
  created_at: Date;
  expires_at: Date;
};

export async function listResetLinks(
  db: Db,
  organizationId: string,
  now: Date,
  limit: number,
): Promise<ResetLinkRow[]> {
  const { rows } = await sql<ResetLinkRow>`
    select l.id, u.id as person_id, u.name, u.email, m.name as made_by, l.created_at, l.expires_at
    from person_links l
    join users u on u.id = l.user_id and u.organization_id = l.organization_id and u.removed_at is null
    join users m on m.id = l.created_by and m.organization_id = l.organization_id
      and m.removed_at is null and m.role = 'owner'
    where l.organization_id = ${organizationId} and l.kind = 'reset' and l.expires_at > ${now}
    order by l.created_at desc, l.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Returns whether there was such a reset link. */
export async function deleteResetLink(db: Db, organizationId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { numAffectedRows = 0n } = await sql`
    delete from person_links where organization_id = ${organizationId} and id = ${id} and kind = 'reset'`.execute(db);
  return numAffectedRows > 0n;
}
