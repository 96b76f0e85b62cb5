// Events that runs and deliveries refer to.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { EventAttachments, EventRow } from "./events.ts";
export async function findEventAttachments(db: Db, eventIds: string[]): Promise<EventAttachments[]> {
  if (eventIds.length === 0) return [];
  const { rows } = await sql<EventAttachments>`
    select * from event_attachments where id = any(${eventIds})`.execute(db);
  return rows;
}

export async function findEventsOfBatch(db: Db, ids: string[]): Promise<EventRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<EventRow>`select * from events where id = any(${ids}) order by id`.execute(db);
  return rows;
}

/** Events to expand into notifications, without canceled ones; none can be canceled until the transaction ends. */
export async function lockEvents(db: Db, ids: string[]): Promise<EventRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<EventRow>`
    select * from events where id = any(${ids}) and canceled_at is null order by id for share`.execute(db);
  return rows;
}
