// Monthly partitions of the high-volume tables, made ahead of time: at start and by a daily task. The bounds are UUIDv7
// ids, so the month of a row is the month in its id.
import { sql } from "kysely";
import { firstIdAt } from "../lib/ids.ts";
import type { Db } from "./db.ts";

export const partitionedTables = [
  "events",
  "event_attachments",
  "notifications",
  "jobs",
  "messages",
  "attempts",
] as const;

/** A service that is down for two months finds its partitions at the next start, before it takes in anything. */
const monthsAhead = 2;

type Month = { name: string; from: string; to: string };

export function monthsAround(now: Date, ahead = monthsAhead): Month[] {
  const months: Month[] = [];
  // The month before covers ids made just before midnight on the last day, and clocks that run a little behind.
  for (let offset = -1; offset <= ahead; offset++) {
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
    const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset + 1, 1));
    const name = `${from.getUTCFullYear()}_${String(from.getUTCMonth() + 1).padStart(2, "0")}`;
    months.push({ name, from: firstIdAt(from), to: firstIdAt(to) });
  }
  return months;
}

/** Any number will do as long as nobody else on the database uses it. */
const partitionLock = 7_465_002;

/** Makes the partitions that are missing; safe to run at the same time in several processes. */
export async function ensurePartitions(db: Db, now: Date): Promise<string[]> {
  return db.connection().execute(async (connection) => {
    // Two processes that make the same table at the same time would both find it missing, and one would fail.
    await sql`select pg_advisory_lock(${partitionLock})`.execute(connection);
    try {
      return await makeMissing(connection, now);
    } finally {
      await sql`select pg_advisory_unlock(${partitionLock})`.execute(connection);
    }
  });
}

async function makeMissing(db: Db, now: Date): Promise<string[]> {
  const { rows } = await sql<{ relname: string }>`
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname in (${sql.join(partitionedTables)})`.execute(db);
  const existing = new Set(rows.map((row) => row.relname));
  const made: string[] = [];
  for (const table of partitionedTables) {
    for (const month of monthsAround(now)) {
      const name = `${table}_${month.name}`;
      if (existing.has(name)) continue;
      // Made apart and then attached: `create table … partition of` would stop all reading and writing of the table until
      // the longest statement on it has ended. Identifiers and bounds are made here from numbers; nothing of a caller's
      // reaches this text.
      await db.transaction().execute(async (tx) => {
        await sql.raw(`create table ${name} (like ${table} including all)`).execute(tx);
        const bounds = `from ('${month.from}') to ('${month.to}')`;
        await sql.raw(`alter table ${table} attach partition ${name} for values ${bounds}`).execute(tx);
      });
      made.push(name);
    }
  }
  return made;
}
