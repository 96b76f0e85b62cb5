// Events that runs and deliveries refer to.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import { type RowKey, rowsByKey } from "../keys.ts";
import type { EventAttachments, EventRow } from "./events.ts";
export async function findEventAttachments(db: Db, events: RowKey[]): Promise<EventAttachments[]> {
  if (events.length === 0) return [];
  const { rows } = await sql<EventAttachments>`
    select a.* from ${rowsByKey("event_attachments", "a", "id", events)}`.execute(db);
  return rows;
}

export async function findEventsOfBatch(db: Db, keys: RowKey[]): Promise<EventRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<EventRow>`
    select e.* from ${rowsByKey("events", "e", "id", keys)} order by e.id`.execute(db);
  return rows;
}

/** Events to expand into notifications, without canceled ones; none can be canceled until the transaction ends. */
export async function lockEvents(db: Db, keys: RowKey[]): Promise<EventRow[]> {
  if (keys.length === 0) return [];
  const open = rowsByKey("events", "e", "id", keys, { where: sql`t.canceled_at is null`, lock: "for share" });
  const { rows } = await sql<EventRow>`select e.* from ${open} order by e.id`.execute(db);
  return rows;
}
