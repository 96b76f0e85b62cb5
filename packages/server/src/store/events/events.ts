// Events as they were accepted. Payload, overrides and files are stored here once, not per recipient.
import { type Selectable, sql } from "kysely";
import { insertRows, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type EventRow = Selectable<Tables["events"]>;

/**
 * Takes transaction ids that callers gave. Answers the ones that were free: of two requests with the same id, one gets
 * it. Rows are taken in order, so that two requests cannot wait for each other.
 */
export async function claimTransactionIds(
  db: Db,
  environmentId: string,
  claims: { transaction_id: string; event_id: string }[],
): Promise<Set<string>> {
  if (claims.length === 0) return new Set();
  const { rows } = await sql<{ event_id: string }>`
    insert into transaction_ids (environment_id, transaction_id, event_id)
    select ${environmentId}, transaction_id, event_id
    from ${rowsOf("r", { transaction_id: "text", event_id: "uuid" }, claims)} order by transaction_id
    on conflict do nothing returning event_id`.execute(db);
  return new Set(rows.map((row) => row.event_id));
}

/** Of these transaction ids, the ones an accepted event already has: given by a caller, or generated. */
export async function findUsedTransactionIds(db: Db, environmentId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ transaction_id: string }>`
    select transaction_id from events where environment_id = ${environmentId} and transaction_id = any(${ids})`.execute(
    db,
  );
  return new Set(rows.map((row) => row.transaction_id));
}

const columns = {
  id: "uuid",
  environment_id: "uuid",
  transaction_id: "text",
  workflow_id: "uuid",
  workflow_version_id: "uuid",
  payload: "jsonb",
  overrides: "jsonb",
  recipients: "jsonb",
  actor: "jsonb",
  audience: "jsonb",
  context_keys: "text[]",
  tenant: "text",
  created_at: "timestamptz",
};

export type NewEvent = Omit<EventRow, "expanded_at" | "canceled_at" | "open_walks">;

export const insertEvents = (db: Db, events: NewEvent[]): Promise<void> => insertRows(db, "events", columns, events);

export type EventAttachments = Selectable<Tables["event_attachments"]>;

/** The files of events, beside them; most events have none. */
export const insertEventAttachments = (db: Db, rows: EventAttachments[]): Promise<void> =>
  insertRows(db, "event_attachments", { id: "uuid", environment_id: "uuid", attachments: "jsonb" }, rows);

export async function findEventAttachments(db: Db, eventIds: string[]): Promise<EventAttachments[]> {
  if (eventIds.length === 0) return [];
  const { rows } = await sql<EventAttachments>`
    select * from event_attachments where id = any(${eventIds})`.execute(db);
  return rows;
}

export async function findEvents(db: Db, ids: string[]): Promise<EventRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<EventRow>`select * from events where id = any(${ids}) order by id`.execute(db);
  return rows;
}

export const findEventOfTransaction = (
  db: Db,
  environmentId: string,
  transactionId: string,
): Promise<EventRow | undefined> =>
  db
    .selectFrom("events")
    .where("environment_id", "=", environmentId)
    .where("transaction_id", "=", transactionId)
    .selectAll()
    .executeTakeFirst();

/** Events to make notifications of; canceled ones are left out, and none can be canceled until the transaction ends. */
export async function lockEvents(db: Db, ids: string[]): Promise<EventRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<EventRow>`
    select * from events where id = any(${ids}) and canceled_at is null order by id for share`.execute(db);
  return rows;
}

/** The audience of the event is walked by several at once. */
export async function beginWalks(db: Db, environmentId: string, id: string, walks: number): Promise<void> {
  await sql`update events set open_walks = ${walks} where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

/** A part of a walk becomes a walk of its own. */
export async function addWalk(db: Db, environmentId: string, id: string): Promise<void> {
  await sql`
    update events set open_walks = open_walks + 1 where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

/** One walk has made its last page; with the last of them the event is expanded. */
export async function endWalk(db: Db, environmentId: string, id: string, now: Date): Promise<void> {
  await sql`
    update events set open_walks = open_walks - 1, expanded_at = case when open_walks = 1 then ${now}::timestamptz end
    where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

/** `is_open` while notifications of the event are still to be made. */
export type CancelableEvent = { id: string; workflow_version_id: string; is_open: boolean };

/** Waits for notifications of the event that are being made; from then on until the transaction ends, none are begun. */
export async function lockEventForCancel(
  db: Db,
  environmentId: string,
  transactionId: string,
): Promise<CancelableEvent | undefined> {
  const { rows: locked } = await sql<{ id: string }>`
    select id from events where environment_id = ${environmentId} and transaction_id = ${transactionId}
    for update`.execute(db);
  if (!locked[0]) return undefined;
  // A statement of its own, so that it sees what was made while the lock was waited for.
  const { rows } = await sql<CancelableEvent>`
    select e.id, e.workflow_version_id, e.canceled_at is null and (
        (e.audience is not null and e.expanded_at is null)
        or (select count(*) from notifications n where n.event_id = e.id) < jsonb_array_length(e.recipients)) as is_open
    from events e where e.environment_id = ${environmentId} and e.id = ${locked[0].id}`.execute(db);
  return rows[0];
}

export async function markEventCanceled(db: Db, environmentId: string, id: string, now: Date): Promise<void> {
  await sql`update events set canceled_at = ${now} where environment_id = ${environmentId} and id = ${id}`.execute(db);
}
