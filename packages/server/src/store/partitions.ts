// Monthly partitions of the high-volume tables, made ahead of time: at start and by a daily task. The bounds are UUIDv7
// ids, so the month of a row is the month in its id.
import { sql } from "kysely";
import { firstIdAt } from "../lib/ids.ts";
import type { Db } from "./db.ts";

export const partitionedTables = ["events", "notifications", "jobs", "messages", "attempts"] as const;

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

/** Makes the partitions that are missing; safe to run at the same time in several processes. */
export async function ensurePartitions(db: Db, now: Date): Promise<string[]> {
  const { rows } = await sql<{ relname: string }>`
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname in (${sql.join(partitionedTables)})`.execute(db);
  const existing = new Set(rows.map((row) => row.relname));
  const made: string[] = [];
  for (const table of partitionedTables) {
    for (const month of monthsAround(now)) {
      const name = `${table}_${month.name}`;
      if (existing.has(name)) continue;
      // Identifiers and bounds are made here from numbers; nothing of a caller's reaches this text.
      const statement = `create table if not exists ${name} partition of ${table} for values from ('${month.from}') to ('${month.to}')`;
      await sql.raw(statement).execute(db);
      made.push(name);
    }
  }
  return made;
}
