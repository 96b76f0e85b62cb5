// Ending the snoozing of messages whose time has come.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { noteOnJobs } from "../events/finished-jobs.ts";
import { hasKeyOf, type RowKey, rowsByKey } from "../keys.ts";
import type { StoredDetail } from "../tables.ts";
import { unseen } from "./message-marks.ts";
export type SnoozedMessage = RowKey & { subscriber_id: string; snoozed_until: Date; expires_at: Date | null };

/** The given messages that are snoozed, locked until the transaction ends. */
export async function lockSnoozed(db: Db, keys: RowKey[]): Promise<SnoozedMessage[]> {
  if (keys.length === 0) return [];
  const snoozed = rowsByKey("messages", "m", "id", keys, {
    where: sql`t.snoozed_until is not null`,
    lock: "for update",
  });
  const { rows } = await sql<SnoozedMessage>`
    select m.id, m.environment_id, m.subscriber_id, m.snoozed_until, m.expires_at from ${snoozed} order by m.id`.execute(
    db,
  );
  return rows;
}

export type Redelivery = RowKey & { at: Date; detail: StoredDetail };

/** Ends the snoozing: the messages are unread, unseen and delivered again. */
export async function redeliverMessages(db: Db, messages: Redelivery[]): Promise<void> {
  if (messages.length === 0) return;
  const columns = { environment_id: "uuid", id: "uuid", at: "timestamptz", detail: "jsonb" };
  await sql`
    with changed as (
      update messages m set snoozed_until = null, ${unseen}, updated_at = r.at,
        delivered_at = array_append(coalesce(m.delivered_at, array[m.created_at]), r.at)
      from ${rowsOf("r", columns, messages)}
      where ${hasKeyOf("m", "id", messages)}
      returning m.environment_id, m.notification_id, m.job_id, r.detail, r.at),
    ${noteOnJobs({ detail: sql`c.detail`, at: sql`c.at` })}
    select 1`.execute(db);
}
