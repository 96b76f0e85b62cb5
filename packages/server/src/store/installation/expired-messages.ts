// In-app messages whose time is over, in all environments. Each environment has its own time.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { noteOnJobs } from "../events/finished-jobs.ts";
import { countDeletedMessages, type DeletedMessage } from "../events/statistics.ts";
import { hasKeyOf, type RowKey } from "../keys.ts";
import type { StoredDetail } from "../tables.ts";

/** `now`: the time of the environment. */
type Expired = RowKey & { now: Date };

/** Takes up to `limit` messages off the list of those that expire. They may have been deleted before. */
export async function takeExpired(db: Db, { now, limit }: { now: Date; limit: number }): Promise<Expired[]> {
  const { rows } = await sql<Expired>`
    with due as materialized (
      select x.*, t.now from environments e
      cross join lateral (select coalesce(e.test_clock, ${now}::timestamptz) as now) as t
      cross join lateral (
        select environment_id, expires_at, message_id from message_expiries
        where environment_id = e.id and expires_at <= t.now
        order by expires_at, message_id limit ${limit}) as x
      limit ${limit})
    delete from message_expiries x using due d
    where x.environment_id = d.environment_id and x.expires_at = d.expires_at and x.message_id = d.message_id
    returning x.environment_id, x.message_id as id, d.now`.execute(db);
  return rows;
}

/**
 * Deletes these messages, notes it on their jobs, and keeps their figures for the statistics. Returns the subscribers
 * they were for.
 */
export async function deleteExpiredMessages(
  db: Db,
  messages: (RowKey & { at: Date; detail: StoredDetail })[],
  now: Date,
): Promise<Set<string>> {
  if (messages.length === 0) return new Set();
  const columns = { environment_id: "uuid", id: "uuid", at: "timestamptz", detail: "jsonb" };
  const { rows } = await sql<DeletedMessage & { subscriber_id: string }>`
    with deleted as (
      delete from messages m using ${rowsOf("r", columns, messages)}
      where ${hasKeyOf("m", "id", messages)} returning m.*, r.detail, r.at),
    changed as (select * from deleted),
    ${noteOnJobs({ detail: sql`c.detail`, at: sql`c.at` })}
    select id, environment_id, subscriber_id, notification_id, job_id, workflow_id, channel, provider_id, status, error_id,
      read_at, last_read_at
    from deleted`.execute(db);
  await countDeletedMessages(db, rows, now);
  return new Set(rows.map((row) => row.subscriber_id));
}
