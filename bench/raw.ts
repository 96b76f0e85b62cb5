// The raw limit: the rows that the service wrote, written again by two set-based writers without the service, on the
// same PostgreSQL in the same run. Tables and columns are read from the database, so the rows always have the shape of
// today's schema. They are written in two ways. `insert` (one statement out of JSON) is how the service wrote when the
// aims were set, and stays unchanged, so that figures of different days can be compared. `copy` is how the service
// writes: what it could reach at the most.
import { insertRows, rowsOf } from "@tidings/server/source/store/bulk";
import { type Db, inTransaction } from "@tidings/server/source/store/db";
import { partitionedTables } from "@tidings/server/source/store/installation/partitions";
import { median } from "@tidings/testkit/load/figures";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import type { Aim, Row } from "./table.ts";

const rowsPerStatement = 500;
const writers = 2;

/** Waits until so many messages are recorded as sent, which is when the feed shows them. */
export async function visible(db: Db, count: number, table = "messages"): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const found = await countSent(db, table);
    if (found >= count) return;
    const passedMs = performance.now() - begun;
    if (passedMs > 600_000) throw new Error(`only ${found} of ${count} messages after 10 minutes`);
    // Counting costs PostgreSQL time. At the rate so far, half of the rest will be there at the next look.
    const restMs = found > 0 ? (passedMs / found) * (count - found) : 400;
    await sleep(Math.min(1_000, Math.max(15, restMs / 2)));
  }
}

export async function countSent(db: Db, table = "messages"): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where status = 'sent'`.execute(db);
  return rows[0]!.count;
}

/** Whether the queue holds tasks that are due or being worked on. */
export async function hasDueTasks(db: Db): Promise<boolean> {
  const { rows } = await sql<{ busy: boolean }>`
    select exists (select 1 from queue.job where state < 'completed' and start_after <= now()) as busy`.execute(db);
  return rows[0]!.busy;
}

/** Deletes all rows of the pipeline, once it is idle. */
export async function clear(db: Db): Promise<void> {
  while (await hasDueTasks(db)) await sleep(50);
  // One after the other: a statement that locked all of them could deadlock with a chore of the service.
  for (const table of [...partitionedTables, "idempotency_keys", "transaction_ids"]) {
    await sql`truncate ${sql.table(table)}`.execute(db);
  }
}

type TableRows = { table: (typeof partitionedTables)[number]; columns: Record<string, string>; rows: object[] };

/** The rows of the high-volume tables, in the order in which they were written. */
async function readBack(db: Db): Promise<TableRows[]> {
  const found: TableRows[] = [];
  for (const table of partitionedTables) {
    const { rows } = await sql<object>`select * from ${sql.table(table)}`.execute(db);
    if (rows.length > 0) found.push({ table, columns: await readColumns(db, table), rows });
  }
  return found;
}

async function readColumns(db: Db, table: string): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attnum`.execute(db);
  return Object.fromEntries(
    rows.map(({ name, type }) => [name, type.replace("timestamp with time zone", "timestamptz")]),
  );
}

export type RawRates = { insert: number; copy: number };

/**
 * Clears the tables and writes their rows again, once in each way. Returns how many of `count` notifications that is a
 * second.
 */
export async function measureRaw(db: Db, count: number): Promise<RawRates> {
  const rows = await readBack(db);
  const measure = async (write: Write) => {
    await clear(db);
    return count / (await writeRaw(db, rows, write));
  };
  return { insert: await measure(insertJson), copy: await measure(insertRows) };
}

type Write = (db: Db, table: TableRows["table"], columns: Record<string, string>, rows: object[]) => Promise<void>;

const insertJson: Write = async (db, table, columns, rows) => {
  const names = sql.raw(Object.keys(columns).join(", "));
  await sql`insert into ${sql.table(table)} (${names}) select ${names} from ${rowsOf("r", columns, rows)}`.execute(db);
};

/** The ratios of the service to both ways, as rows of the table. */
export const besideRaw = (what: string, rates: { service: number; raw: RawRates }[], aim: Aim): Row[] =>
  (
    [
      ["insert", "the same rows, inserted"],
      ["copy", "the same rows, copied"],
    ] as const
  ).map(([way, beside]) => ({
    what,
    value: median(rates.map(({ service }) => service)),
    unit: "/s",
    beside: { what: beside, value: median(rates.map(({ raw }) => raw[way])) },
    ratio: median(rates.map(({ service, raw }) => service / raw[way])),
    aim,
  }));

/** 500 rows of each table a transaction, by two writers; returns the seconds. */
async function writeRaw(db: Db, tables: TableRows[], write: Write): Promise<number> {
  const most = Math.max(...tables.map(({ rows }) => rows.length));
  let next = 0;
  const started = performance.now();
  const work = async () => {
    while (next < most) {
      const from = next;
      next += rowsPerStatement;
      await inTransaction(db, async (tx) => {
        for (const { table, columns, rows } of tables) {
          await write(tx, table, columns, rows.slice(from, from + rowsPerStatement));
        }
      });
    }
  };
  await Promise.all(Array.from({ length: writers }, work));
  return (performance.now() - started) / 1000;
}
