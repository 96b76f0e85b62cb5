// Broadcasts: their rows, locked or read, and their changes of state.
import type { BroadcastStatus } from "@tidings/contract";
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type BroadcastRow = Selectable<Tables["broadcasts"]>;

/** What a caller writes. */
export type BroadcastFields = Pick<
  BroadcastRow,
  "name" | "content" | "audience" | "time" | "pace" | "expires_at" | "updated_at"
>;

export type NewBroadcast = BroadcastFields & Pick<BroadcastRow, "id" | "created_by" | "created_at" | "resend_of">;

export async function insertBroadcast(db: Db, environmentId: string, row: NewBroadcast): Promise<BroadcastRow> {
  const { rows } = await sql<BroadcastRow>`
    insert into broadcasts (environment_id, id, name, status, content, audience, "time", pace, expires_at, resend_of,
      created_by, created_at, updated_at)
    values (${environmentId}, ${row.id}, ${row.name}, 'draft', ${JSON.stringify(row.content)}::jsonb,
      ${JSON.stringify(row.audience)}::jsonb, ${JSON.stringify(row.time)}::jsonb, ${JSON.stringify(row.pace)}::jsonb,
      ${row.expires_at}, ${row.resend_of}, ${row.created_by}, ${row.created_at}, ${row.updated_at})
    returning *`.execute(db);
  return rows[0]!;
}

/** Drafts are bounded, so that a program that creates them by mistake is noticed. */
export async function countDrafts(db: Db, environmentId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from broadcasts where environment_id = ${environmentId} and status = 'draft'`.execute(
    db,
  );
  return rows[0]!.count;
}

/** `lock`: until the transaction ends; pages of the broadcast wait, and pages in progress are waited for. */
export async function findBroadcast(
  db: Db,
  environmentId: string,
  id: string,
  { lock = false } = {},
): Promise<BroadcastRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<BroadcastRow>`
    select * from broadcasts where environment_id = ${environmentId} and id = ${id}
    ${lock ? sql`for update` : sql``}`.execute(db);
  return rows[0];
}

/** Shared by the pages of a broadcast: its state does not change until the transaction ends. */
export async function holdBroadcast(db: Db, environmentId: string, id: string): Promise<BroadcastRow | undefined> {
  const { rows } = await sql<BroadcastRow>`
    select * from broadcasts where environment_id = ${environmentId} and id = ${id} for share`.execute(db);
  return rows[0];
}

/** Newest first; one row more than asked, so that the caller knows whether there are more. */
export async function listBroadcasts(
  db: Db,
  environmentId: string,
  { status, offset, limit }: { status?: BroadcastStatus; offset: number; limit: number },
): Promise<BroadcastRow[]> {
  const inStatus = status === undefined ? sql`` : sql`and status = ${status}`;
  const { rows } = await sql<BroadcastRow>`
    select * from broadcasts where environment_id = ${environmentId} ${inStatus}
    order by id desc limit ${limit + 1} offset ${offset}`.execute(db);
  return rows;
}

export async function updateDraft(
  db: Db,
  environmentId: string,
  id: string,
  row: BroadcastFields,
): Promise<BroadcastRow> {
  const { rows } = await sql<BroadcastRow>`
    update broadcasts set name = ${row.name}, content = ${JSON.stringify(row.content)}::jsonb,
      audience = ${JSON.stringify(row.audience)}::jsonb, "time" = ${JSON.stringify(row.time)}::jsonb,
      pace = ${JSON.stringify(row.pace)}::jsonb, expires_at = ${row.expires_at}, updated_at = ${row.updated_at},
      revision = revision + 1
    where environment_id = ${environmentId} and id = ${id} returning *`.execute(db);
  return rows[0]!;
}

/** Fields of a change of state; those left out stay. */
export type StateChange = Partial<
  Pick<
    BroadcastRow,
    | "approval"
    | "event_id"
    | "transaction_id"
    | "channels"
    | "turn"
    | "people"
    | "failure"
    | "started_at"
    | "finished_at"
  >
> & { status: BroadcastStatus; now: Date };

export async function changeState(
  db: Db,
  environmentId: string,
  id: string,
  { now, approval, ...change }: StateChange,
): Promise<BroadcastRow> {
  return db
    .updateTable("broadcasts")
    .set({
      ...change,
      ...(approval !== undefined && { approval: approval && JSON.stringify(approval) }),
      updated_at: now,
    })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A new revision, by which it is approved. A check stays that of the draft. */
export async function awaitApproval(
  db: Db,
  environmentId: string,
  id: string,
  { approval, now }: { approval: NonNullable<BroadcastRow["approval"]>; now: Date },
): Promise<BroadcastRow> {
  const { rows } = await sql<BroadcastRow>`
    update broadcasts set status = 'awaiting_approval', approval = ${JSON.stringify(approval)}::jsonb, updated_at = ${now},
      revision = revision + 1,
      checked_revision = case when checked_revision = revision then revision + 1 else checked_revision end
    where environment_id = ${environmentId} and id = ${id} returning *`.execute(db);
  return rows[0]!;
}

/** The broadcast of an event that is canceled, if it has one. */
export async function stopBroadcastOf(db: Db, environmentId: string, eventId: string, now: Date): Promise<void> {
  await sql`
    update broadcasts set status = 'stopped', finished_at = ${now}, updated_at = ${now}
    where environment_id = ${environmentId} and event_id = ${eventId} and status in ('scheduled', 'running', 'paused')`.execute(
    db,
  );
}

export async function deleteBroadcast(db: Db, environmentId: string, id: string): Promise<void> {
  await sql`delete from broadcasts where environment_id = ${environmentId} and id = ${id}`.execute(db);
}
