// Counting the hours that have ended, of all environments.
import { sql } from "kysely";
import { type Db, inTransaction } from "../db.ts";
import { deletedMessagesMs, hourOf } from "../events/statistics.ts";

export type CountedHour = { hour: Date; is_final: boolean };

export async function findCountedHours(db: Db, from: Date): Promise<CountedHour[]> {
  const { rows } = await sql<CountedHour>`
    select hour, is_final from statistics_progress where hour >= ${from}`.execute(db);
  return rows;
}

const countTimeoutMs = 600_000;

/** Counts an hour anew: what was counted of it before is replaced. */
export async function countHour(db: Db, hour: Date, isFinal: boolean, now: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    // An hour of ten million messages takes longer than other statements may.
    await sql.raw(`set local statement_timeout = ${countTimeoutMs}`).execute(tx);
    await sql`insert into statistics_progress (hour, is_final, counted_at) values (${hour}, ${isFinal}, ${now})
      on conflict (hour) do update set is_final = excluded.is_final, counted_at = excluded.counted_at`.execute(tx);
    await sql`delete from statistics_hours where hour = ${hour}`.execute(tx);
    await sql`insert into statistics_hours (environment_id, hour, workflow_id, channel, provider_id, reason, sent, delivered,
        opened, failed, refused, unaccepted, skipped, latency, failed_attempts)
      select e.id, ${hour}, h.workflow_id, h.channel, h.provider_id, h.reason, sum(h.sent), sum(h.delivered), sum(h.opened),
        sum(h.failed), sum(h.refused), sum(h.unaccepted), sum(h.skipped), max(h.latency), sum(h.failed_attempts)
      from environments e cross join lateral (${hourOf(sql`e.id`, hour, null)}) as h
      where e.deleted_at is null
      group by e.id, h.workflow_id, h.channel, h.provider_id, h.reason`.execute(tx);
  });
}

/** Forgets which hours from before this time were counted. */
export async function purgeProgress(db: Db, before: Date): Promise<void> {
  await sql`delete from statistics_progress where hour < ${before}`.execute(db);
}

/** Figures of deleted messages that were counted for the last time by now. */
export async function purgeDeletedMessages(db: Db, now: Date): Promise<void> {
  await sql`delete from deleted_messages where hour < ${new Date(now.getTime() - deletedMessagesMs)}`.execute(db);
}
