// Ending the snoozing of messages whose time has come.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { StoredDetail } from "../tables.ts";
import { unseen } from "./message-marks.ts";
export type SnoozedMessage = { id: string; environment_id: string; snoozed_until: Date };

/** Of these messages, those that are snoozed, locked until the transaction ends. */
export async function lockSnoozed(db: Db, ids: string[]): Promise<SnoozedMessage[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SnoozedMessage>`
    select id, environment_id, snoozed_until from messages
    where id = any(${ids}::uuid[]) and snoozed_until is not null order by id for update`.execute(db);
  return rows;
}

export type Redelivery = { id: string; at: Date; detail: StoredDetail };

/** Ends the snoozing: the messages are unread, unseen and delivered again. */
export async function redeliverMessages(db: Db, messages: Redelivery[]): Promise<void> {
  if (messages.length === 0) return;
  await sql`
    with back as (
      update messages m set snoozed_until = null, ${unseen}, updated_at = r.at,
        delivered_at = array_append(m.delivered_at, r.at)
      from ${rowsOf("r", { id: "uuid", at: "timestamptz", detail: "jsonb" }, messages)} where m.id = r.id
      returning m.job_id, r.detail, r.at)
    update jobs j set details = j.details || back.detail, updated_at = back.at
    from back where j.id = back.job_id`.execute(db);
}
