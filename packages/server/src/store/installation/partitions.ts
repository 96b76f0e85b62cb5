// Monthly partitions of the high-volume tables, created in advance: at start and by a daily task. The bounds are UUIDv7
// ids: a row belongs to the month in its id, a job to that of its notification.
import { sql } from "kysely";
import { firstIdAt } from "../../lib/ids.ts";
import { type Db, withLongLockWaits } from "../db.ts";

export const partitionedTables = [
  "events",
  "event_attachments",
  "event_search_values",
  "notifications",
  "jobs",
  "exposures",
  "messages",
  "attempts",
] as const;
export type PartitionedTable = (typeof partitionedTables)[number];

/**
 * How full the pages of a table are written, in per cent. Their rows are updated once, soon after they were written,
 * with the result of a call or a mark of the reader: an update that finds room on the page of its row adds no index
 * entries. Tables without a number are written once (docs/decisions/0018-message-groups.md).
 */
const fillFactors: Partial<Record<PartitionedTable, number>> = {
  jobs: 70,
  messages: 70,
  attempts: 60,
};

/** Partitions missing after a longer downtime are created at start, before the service accepts requests. */
const monthsAhead = 2;

export type Month = { name: string; from: string; to: string };

/** The month that `offset` months after that of the time; its bounds are ids. */
export function monthAt(time: Date, offset = 0): Month {
  const from = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + offset, 1));
  const to = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + offset + 1, 1));
  const name = `${from.getUTCFullYear()}_${String(from.getUTCMonth() + 1).padStart(2, "0")}`;
  return { name, from: firstIdAt(from), to: firstIdAt(to) };
}

export function monthsAround(now: Date, ahead = monthsAhead): Month[] {
  const months: Month[] = [];
  // The previous month is for ids made just before midnight on its last day, and for clocks that run slow.
  for (let offset = -1; offset <= ahead; offset++) months.push(monthAt(now, offset));
  return months;
}

/** Any number that no other advisory lock of this database uses. */
const partitionLock = 7_465_005;

/** Creates missing partitions; several processes may call it at once. */
export const ensurePartitions = (db: Db, now: Date): Promise<string[]> =>
  withPartitionLock(db, (connection) => createMissing(connection, now));

/** Runs `work` on one connection. If two processes created or dropped a table at the same time, one would fail. */
export function withPartitionLock<T>(db: Db, work: (connection: Db) => Promise<T>): Promise<T> {
  return withLongLockWaits(db, async (connection) => {
    await sql`select pg_advisory_lock(${partitionLock})`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`select pg_advisory_unlock(${partitionLock})`.execute(connection);
    }
  });
}

async function createMissing(db: Db, now: Date): Promise<string[]> {
  const { rows } = await sql<{ relname: string }>`
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname in (${sql.join(partitionedTables)})`.execute(db);
  const existing = new Set(rows.map((row) => row.relname));
  const made: string[] = [];
  for (const table of partitionedTables) {
    for (const month of monthsAround(now)) {
      const name = `${table}_${month.name}`;
      if (existing.has(name)) continue;
      // Created apart and then attached: `create table … partition of` would block all reads and writes of the table
      // until the longest statement on it has ended. Names and bounds are computed here and contain no input of
      // callers.
      await db.transaction().execute(async (tx) => {
        const fillFactor = fillFactors[table] ?? 100;
        await sql
          .raw(`create table ${name} (like ${table} including all) with (fillfactor = ${fillFactor})`)
          .execute(tx);
        const bounds = `from ('${month.from}') to ('${month.to}')`;
        await sql.raw(`alter table ${table} attach partition ${name} for values ${bounds}`).execute(tx);
      });
      made.push(name);
    }
  }
  return made;
}
