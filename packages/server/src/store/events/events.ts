// Accepted events. Payload, overrides and attachments are stored once per event, not per recipient.
import { type RawBuilder, type Selectable, sql } from "kysely";
import { eventIdIn } from "../../lib/ids.ts";
import { type Insert, rowsOf, runInserts } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type RowKey, rowsByKey } from "../keys.ts";
import type { Tables } from "../tables.ts";
export type EventRow = Selectable<Tables["events"]>;

/**
 * Claims transaction ids given by callers. Returns the events whose ids were free: of two requests with the same id,
 * one gets it. Rows are inserted in order, so that two requests cannot deadlock.
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

/**
 * The statement that finds the events with these transaction ids, as (transaction_id, event_id). No index of events has
 * the transaction id: a given one is in transaction_ids, a generated one contains the id of its event.
 * `isAccepted`: without those that were refused, whose ids are free.
 */
function eventsOfTransactions(
  environmentId: string,
  transactionIds: string[],
  { isAccepted }: { isAccepted: boolean },
): RawBuilder<unknown> {
  const generated = transactionIds.flatMap((transactionId) => eventIdIn(transactionId) ?? []);
  const refused = sql`
    union all
    select name, event_id from refused_event_names
    where environment_id = ${environmentId} and kind = 'transaction' and name = any(${transactionIds}::text[])`;
  return sql`
    select transaction_id, event_id from transaction_ids
    where environment_id = ${environmentId} and transaction_id = any(${transactionIds}::text[])
    union all
    select e.transaction_id, e.id from ${rowsByKey("events", "e", "id", keysOf(environmentId, generated))}
    where e.transaction_id = any(${transactionIds}::text[]) ${isAccepted ? sql`and e.refusal is null` : refused}`;
}

const keysOf = (environment_id: string, ids: string[]): RowKey[] => ids.map((id) => ({ environment_id, id }));

/** As a list of ids, to compare with the event of a message or notification. */
export const eventIdsOfTransactions = (environmentId: string, transactionIds: string[]): RawBuilder<unknown> =>
  sql`select event_id from (${eventsOfTransactions(environmentId, transactionIds, { isAccepted: false })}) as named`;

/** Which of these transaction ids an accepted event already has: given by a caller, or generated. */
export async function findUsedTransactionIds(db: Db, environmentId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const accepted = eventsOfTransactions(environmentId, ids, { isAccepted: true });
  const { rows } = await sql<{ transaction_id: string }>`${accepted}`.execute(db);
  return new Set(rows.map((row) => row.transaction_id));
}

export const eventColumns = {
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
  tenant_fields: "jsonb",
  bridge_url: "text",
  created_at: "timestamptz",
};

export type NewEvent = Omit<EventRow, "expanded_at" | "canceled_at" | "open_walks" | "held_events" | "refusal">;

/** Most events belong to no trace, were not started by another, replace none, and have the priority of their workflow. */
export const eventInsert = (rows: NewEvent[]): Insert => ({
  table: "events",
  columns: {
    ...eventColumns,
    ...(rows.some((row) => row.trace_context !== null) && { trace_context: "text" }),
    ...(rows.some((row) => row.started_by !== null) && { started_by: "jsonb" }),
    ...(rows.some((row) => row.supersede_key !== null) && { supersede_key: "text" }),
    ...(rows.some((row) => row.priority !== null) && { priority: "text" }),
  },
  rows,
});

export type EventAttachments = Selectable<Tables["event_attachments"]>;

export type EventSearchValue = Selectable<Tables["event_search_values"]>;

/** Attachments and search values have their own tables, because most events have none. In one round trip, or none. */
export const insertEventParts = (db: Db, attachments: EventAttachments[], values: EventSearchValue[]): Promise<void> =>
  runInserts(db, [
    {
      table: "event_attachments",
      columns: { id: "uuid", environment_id: "uuid", attachments: "jsonb" },
      rows: attachments,
    },
    { table: "event_search_values", columns: { environment_id: "uuid", value: "text", id: "uuid" }, rows: values },
  ]);

/** The stored attachments of an event; undefined when it has none, or was removed by age. */
export async function findAttachmentsOf(
  db: Db,
  environmentId: string,
  eventId: string,
): Promise<EventAttachments | undefined> {
  const { rows } = await sql<EventAttachments>`
    select * from event_attachments where environment_id = ${environmentId} and id = ${eventId}`.execute(db);
  return rows[0];
}

/** The trace contexts of these events; those without one are left out. */
export async function findTraceContexts(
  db: Db,
  environmentId: string,
  ids: string[],
): Promise<{ id: string; trace_context: string }[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string; trace_context: string }>`
    select e.id, e.trace_context from ${rowsByKey("events", "e", "id", keysOf(environmentId, ids))}
    where e.trace_context is not null`.execute(db);
  return rows;
}

export async function findEvents(db: Db, environmentId: string, ids: string[]): Promise<EventRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<EventRow>`
    select e.* from ${rowsByKey("events", "e", "id", keysOf(environmentId, ids))} order by e.id`.execute(db);
  return rows;
}

/** An accepted event comes before a refused one with the same transaction id. */
export async function findEventOfTransaction(
  db: Db,
  environmentId: string,
  transactionId: string,
): Promise<EventRow | undefined> {
  const { rows } = await sql<EventRow>`
    select * from events where environment_id = ${environmentId}
      and id in (${eventIdsOfTransactions(environmentId, [transactionId])})
    order by refusal nulls first limit 1`.execute(db);
  return rows[0];
}

/** Starts several parallel walks through the audience of the event. */
export async function beginWalks(db: Db, environmentId: string, id: string, walks: number): Promise<void> {
  await sql`update events set open_walks = ${walks} where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

/** A walk was split into two. */
export async function addWalk(db: Db, environmentId: string, id: string): Promise<void> {
  await sql`
    update events set open_walks = open_walks + 1 where environment_id = ${environmentId} and id = ${id}`.execute(db);
}

/** A walk has processed its last page; when the last walk ends, the event is expanded. */
export async function endWalk(
  db: Db,
  environmentId: string,
  id: string,
  now: Date,
): Promise<{ hasHeldEvents: boolean }> {
  const { rows } = await sql<{ has_held: boolean }>`
    update events set open_walks = open_walks - 1, expanded_at = case when open_walks = 1 then ${now}::timestamptz end
    where environment_id = ${environmentId} and id = ${id}
    returning held_events is not null and expanded_at is not null as has_held`.execute(db);
  return { hasHeldEvents: rows[0]?.has_held ?? false };
}

/** These events start when the whole audience of this one has been walked. */
export async function holdEvents(db: Db, environmentId: string, id: string, heldIds: string[]): Promise<void> {
  await sql`
    update events set held_events = ${heldIds}::uuid[] where environment_id = ${environmentId} and id = ${id}`.execute(
    db,
  );
}

/** The events that wait for this one, in order. They are taken once, whoever asks first. */
export async function takeHeldEvents(db: Db, environmentId: string, id: string): Promise<string[]> {
  const { rows } = await sql<{ held_events: string[] }>`
    with held as (
      select environment_id, id, held_events from events
      where environment_id = ${environmentId} and id = ${id} and held_events is not null for update)
    update events e set held_events = null from held
    where e.environment_id = held.environment_id and e.id = held.id
    returning held.held_events`.execute(db);
  return rows[0]?.held_events ?? [];
}

/** `is_open` while notifications of the event are still to be created. */
export type CancelableEvent = { id: string; workflow_version_id: string; is_open: boolean };

/** Waits for transactions that create notifications of the event, and blocks new ones until this transaction ends. */
export async function lockEventForCancel(
  db: Db,
  environmentId: string,
  transactionId: string,
): Promise<CancelableEvent | undefined> {
  const { rows: locked } = await sql<{ id: string }>`
    select id from events where environment_id = ${environmentId}
      and id in (${eventIdsOfTransactions(environmentId, [transactionId])}) and refusal is null for update`.execute(db);
  if (!locked[0]) return undefined;
  // A second statement, so that its snapshot includes notifications created while the first one waited for the lock.
  const { rows } = await sql<CancelableEvent>`
    select e.id, e.workflow_version_id, e.canceled_at is null and (
        (e.audience is not null and e.expanded_at is null)
        or (select count(*) from notifications n
          where n.environment_id = e.environment_id and n.event_id = e.id) < jsonb_array_length(e.recipients)) as is_open
    from events e where e.environment_id = ${environmentId} and e.id = ${locked[0].id}`.execute(db);
  return rows[0];
}

export async function markEventCanceled(db: Db, environmentId: string, id: string, now: Date): Promise<void> {
  await sql`update events set canceled_at = ${now} where environment_id = ${environmentId} and id = ${id}`.execute(db);
}
