// Members who sign in: users with an email address and a role.
import type { Role } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { foldAddress } from "../../lib/addresses.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

type UserRow = Selectable<Tables["users"]>;
export type MemberRow = UserRow & { email: string; role: Role };

const select = (db: Db, organizationId: string) =>
  db
    .selectFrom("users")
    .where("organization_id", "=", organizationId)
    .where("removed_at", "is", null)
    .where("email", "is not", null)
    .where("role", "is not", null)
    .selectAll()
    .$narrowType<{ email: string; role: Role }>();

/** Locked until the transaction ends, so that two changes cannot both pass a check of how many members there are. */
export async function lockMembers(db: Db, organizationId: string): Promise<void> {
  await sql`select id from organizations where id = ${organizationId} for no key update`.execute(db);
}

export async function findMember(db: Db, organizationId: string, id: string): Promise<MemberRow | undefined> {
  return isUuid(id) ? select(db, organizationId).where("id", "=", id).executeTakeFirst() : undefined;
}

/** Without regard to the case of ASCII letters. */
export const findMemberByEmail = (db: Db, organizationId: string, email: string): Promise<MemberRow | undefined> =>
  select(db, organizationId).where("email_key", "=", foldAddress(email)).executeTakeFirst();

export const findMemberByOidcSubject = (
  db: Db,
  organizationId: string,
  subject: string,
): Promise<MemberRow | undefined> => select(db, organizationId).where("oidc_subject", "=", subject).executeTakeFirst();

export const listMembers = (db: Db, organizationId: string, limit: number): Promise<MemberRow[]> =>
  select(db, organizationId).orderBy("name").orderBy("id").limit(limit).execute();

/** The longest members first. */
export const listOwners = (db: Db, organizationId: string, limit: number): Promise<MemberRow[]> =>
  select(db, organizationId).where("role", "=", "owner").orderBy("created_at").orderBy("id").limit(limit).execute();

export async function countMembers(db: Db, organizationId: string, role?: Role): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from users
    where organization_id = ${organizationId} and removed_at is null and email is not null
      and ${role === undefined ? sql`role is not null` : sql`role = ${role}`}`.execute(db);
  return rows[0]!.count;
}

export type NewMember = {
  id: string;
  organization_id: string;
  name: string;
  email: string;
  role: Role;
  password_hash: string | null;
  oidc_subject?: string | null;
  created_at: Date;
};

export const insertMember = (db: Db, row: NewMember): Promise<MemberRow> =>
  db
    .insertInto("users")
    .values({ ...row, email_key: foldAddress(row.email) })
    .returningAll()
    .executeTakeFirstOrThrow() as Promise<MemberRow>;

export type MemberChanges = Partial<
  Pick<UserRow, "name" | "role" | "password_hash" | "oidc_subject" | "last_sign_in_at">
>;

export const updateMember = (db: Db, organizationId: string, id: string, changes: MemberChanges): Promise<MemberRow> =>
  db
    .updateTable("users")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow() as Promise<MemberRow>;

/** The row stays for what names it, such as API keys; it can sign in no more. */
export async function removeMember(db: Db, organizationId: string, id: string, now: Date): Promise<void> {
  await db
    .updateTable("users")
    .set({ removed_at: now, role: null, password_hash: null, oidc_subject: null })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .execute();
}
