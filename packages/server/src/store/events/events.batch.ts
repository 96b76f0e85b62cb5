// Events that runs and deliveries refer to.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import { hasKey, type RowKey } from "../keys.ts";
import type { EventAttachments, EventRow } from "./events.ts";
export async function findEventAttachments(db: Db, events: RowKey[]): Promise<EventAttachments[]> {
  if (events.length === 0) return [];
  const { rows } = await sql<EventAttachments>`
    select * from event_attachments a where ${hasKey("a", "id", events)}`.execute(db);
  return rows;
}

export async function findEventsOfBatch(db: Db, keys: RowKey[]): Promise<EventRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<EventRow>`
    select * from events e where ${hasKey("e", "id", keys)} order by id`.execute(db);
  return rows;
}

/** Events to expand into notifications, without canceled ones; none can be canceled until the transaction ends. */
export async function lockEvents(db: Db, keys: RowKey[]): Promise<EventRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<EventRow>`
    select * from events e where ${hasKey("e", "id", keys)} and canceled_at is null order by id for share`.execute(db);
  return rows;
}
