// Events as they were accepted. Payload and overrides are stored here once, not per recipient.
import { type Selectable, sql } from "kysely";
import { insertRows, rowsOf } from "./bulk.ts";
import type { Db } from "./db.ts";
import type { Tables } from "./tables.ts";

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
  created_at: "timestamptz",
};

export const insertEvents = (db: Db, events: EventRow[]): Promise<void> => insertRows(db, "events", columns, events);

export async function findEvents(db: Db, ids: string[]): Promise<EventRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<EventRow>`select * from events where id = any(${ids}) order by id`.execute(db);
  return rows;
}
