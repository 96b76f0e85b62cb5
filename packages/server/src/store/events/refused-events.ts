// Events that were refused because their workflow was off: rows of events with a refusal, and the names they are found
// by. Nothing of this is read or written for accepted events.
import { sql } from "kysely";
import { insertRows, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { eventColumns, type NewEvent } from "./events.ts";

type RefusedEvent = NewEvent & { refusal: "workflow_inactive" };

/** An event as it is stored. `given`: its transaction id is the caller's. */
export type RefusedEntry = { event: RefusedEvent; isGiven: boolean };

type Name = { kind: "transaction" | "subscriber"; name: string; event_id: string };

/** One with the transaction id of another refused event is a repetition of that one, and is not stored again. */
export async function insertRefusedEvents(db: Db, environmentId: string, entries: RefusedEntry[]): Promise<void> {
  const given = entries.flatMap(({ event, isGiven }) => (isGiven ? event.transaction_id : []));
  await lockTransactions(db, environmentId, given);
  const known = await findRefusedTransactions(db, environmentId, given);
  const isNew = ({ event: { transaction_id } }: RefusedEntry) => {
    if (known.has(transaction_id)) return false;
    known.add(transaction_id);
    return true;
  };
  const kept = entries.filter(isNew);
  if (kept.length === 0) return;
  await insertRows(
    db,
    "events",
    { ...eventColumns, started_by: "jsonb", refusal: "text" },
    kept.map(({ event }) => event),
  );
  const names = kept.flatMap(({ event, isGiven }): Name[] => [
    ...(isGiven ? [{ kind: "transaction", name: event.transaction_id, event_id: event.id } as const] : []),
    ...event.recipients.flatMap(({ subscriberId: name }) =>
      name === undefined ? [] : [{ kind: "subscriber", name, event_id: event.id } as const],
    ),
  ]);
  await sql`
    insert into refused_event_names (environment_id, kind, name, event_id)
    select ${environmentId}, kind, name, event_id
    from ${rowsOf("r", { kind: "text", name: "text", event_id: "uuid" }, names)}
    order by kind, name, event_id on conflict do nothing`.execute(db);
}

/**
 * Requests with the same id wait for each other: a client repeats one that takes long. In one order, so that two
 * requests with several ids do not deadlock.
 */
async function lockTransactions(db: Db, environmentId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const keys = [...new Set(ids)].toSorted().map((id) => `refused ${environmentId} ${id}`);
  await sql`
    select pg_advisory_xact_lock(hashtextextended(key, 0))
    from unnest(${keys}::text[]) with ordinality as k(key, at) order by at`.execute(db);
}

async function findRefusedTransactions(db: Db, environmentId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ name: string }>`
    select name from refused_event_names
    where environment_id = ${environmentId} and kind = 'transaction' and name = any(${ids}::text[])`.execute(db);
  return new Set(rows.map((row) => row.name));
}

/**
 * The newest refused events that name one of these subscribers: by subscriberId, or by internal id. At most
 * `perSubscriber` of each.
 */
export async function findRefusedEventIds(
  db: Db,
  environmentId: string,
  { subscriberIds = [], internalIds = [] }: { subscriberIds?: string[]; internalIds?: string[] },
  perSubscriber: number,
): Promise<string[]> {
  if (subscriberIds.length + internalIds.length === 0) return [];
  const { rows } = await sql<{ event_id: string }>`
    select distinct r.event_id from (
      select unnest(${subscriberIds}::text[]) as name
      union
      select subscriber_id from subscribers where environment_id = ${environmentId} and id = any(${internalIds}::uuid[])) as k
    cross join lateral (
      select n.event_id from refused_event_names n
      where n.environment_id = ${environmentId} and n.kind = 'subscriber' and n.name = k.name
      order by n.event_id desc limit ${perSubscriber}) as r`.execute(db);
  return rows.map((row) => row.event_id);
}
