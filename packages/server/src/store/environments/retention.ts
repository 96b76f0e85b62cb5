// How long an environment keeps its data, how much it has, and how much of it is older than a time. Counting is
// bounded: beyond `limit` rows of a table, the number is estimated from the statistics of the database.
import type { RetentionClassName } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import { firstIdAt, timeOfId } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { estimateRows } from "../paging.ts";
import type { RetentionOverrides } from "../tables.ts";
import {
  hasWaitingPeople,
  isLiveRun,
  isNeededMessage,
  isReadByLiveDigest,
  notificationsOfEvent,
} from "./needed-rows.ts";

export async function findRetention(db: Db, environmentId: string): Promise<RetentionOverrides> {
  const row = await db
    .selectFrom("environments")
    .where("id", "=", environmentId)
    .select("retention")
    .executeTakeFirst();
  return row?.retention ?? {};
}

export async function setRetention(db: Db, environmentId: string, days: RetentionOverrides, now: Date): Promise<void> {
  await db
    .updateTable("environments")
    .set({ retention: JSON.stringify(days), updated_at: now })
    .where("id", "=", environmentId)
    .execute();
}

type Moment = { before: Date; now: Date };

type CountedTable = {
  table: string;
  /** The column with the age of a row: an id or a time. */
  age: string;
  isId: boolean;
  /** The rows of the table (t) that belong to the class; all unless given. */
  match?: RawBuilder<unknown>;
  /** Whether something needs a row whose time has passed. */
  isNeeded?(moment: Moment): RawBuilder<unknown>;
};

const isRunNeeded = (notification: RawBuilder<unknown>, { before, now }: Moment) => sql`(
  ${isLiveRun(sql`t.environment_id`, notification, sql`${before}::timestamptz`, now)}
  or exists (select 1 from notifications d where d.environment_id = t.environment_id and d.id = ${notification}
    and ${isReadByLiveDigest("d", sql`${before}::timestamptz`, now)}))`;

const isEventNeeded = (moment: Moment) => sql`(${hasWaitingPeople("t")} or exists (
  select 1 from ${notificationsOfEvent("t")} where n.environment_id = t.environment_id
    and (n.id >= ${firstIdAt(moment.before)} or ${isRunNeeded(sql`n.id`, moment)})))`;

const byTime = (table: string, age = "created_at"): CountedTable => ({ table, age, isId: false });

/** Columns that the conditions read. */
const sampled: Record<string, string> = {
  messages: "environment_id, id, notification_id, channel, status, snoozed_until, delivered_at",
};

const tablesOf: Record<RetentionClassName, CountedTable[]> = {
  messages: [
    { table: "events", age: "id", isId: true, isNeeded: isEventNeeded },
    { table: "notifications", age: "id", isId: true, isNeeded: (moment) => isRunNeeded(sql`t.id`, moment) },
    {
      table: "jobs",
      age: "notification_id",
      isId: true,
      isNeeded: (moment) => isRunNeeded(sql`t.notification_id`, moment),
    },
    {
      table: "messages",
      age: "id",
      isId: true,
      match: sql`t.channel <> 'in_app'`,
      isNeeded: (moment) => isRunNeeded(sql`t.notification_id`, moment),
    },
    {
      table: "attempts",
      age: "message_id",
      isId: true,
      isNeeded: (moment) =>
        isRunNeeded(
          sql`(select m.notification_id from messages m where m.environment_id = t.environment_id and m.id = t.message_id)`,
          moment,
        ),
    },
  ],
  inApp: [
    {
      table: "messages",
      age: "id",
      isId: true,
      match: sql`t.channel = 'in_app'`,
      isNeeded: ({ before, now }) => isNeededMessage("t", sql`${before}::timestamptz`, now),
    },
  ],
  captured: [{ table: "captured_messages", age: "id", isId: true }],
  deadLetters: [byTime("dead_letters"), byTime("dead_letter_replays"), byTime("failed_tasks")],
  statistics: [byTime("statistics_hours", "hour")],
  audit: [
    { table: "audit_log", age: "id", isId: true },
    { table: "publishes", age: "id", isId: true },
  ],
};

export const countedTables = [...new Set(Object.values(tablesOf).flatMap((list) => list.map(({ table }) => table)))];

export type TableSizes = ReadonlyMap<string, { bytes: number; rows: number }>;

/** `rows` without those that are needed. */
export type ClassCount = { rows: number; needed: number; bytes: number; isEstimate: boolean; oldest: Date | null };

/** Rows from before a time, or from then on. */
export type AgeRange = { before?: Date; from?: Date };

/** Rows of a class in an age range. `sizes`: of all tables. The audit log is that of the installation. */
export async function countClass(
  db: Db,
  environmentId: string,
  name: RetentionClassName,
  options: { range: AgeRange; now: Date; limit: number; sizes: TableSizes },
): Promise<ClassCount> {
  const total: ClassCount = { rows: 0, needed: 0, bytes: 0, isEstimate: false, oldest: null };
  for (const table of tablesOf[name]) {
    const scope = name === "audit" ? sql`true` : sql`t.environment_id = ${environmentId}`;
    const count = await countTable(db, environmentId, table, { ...options, scope });
    total.rows += count.rows;
    total.needed += count.needed;
    total.bytes += count.bytes;
    total.isEstimate ||= count.isEstimate;
    if (count.oldest && (!total.oldest || count.oldest < total.oldest)) total.oldest = count.oldest;
  }
  return total;
}

type CountOptions = { range: AgeRange; now: Date; limit: number; sizes: TableSizes; scope: RawBuilder<unknown> };
type Sample = { looked: number; matching: number; needed: number; oldest: string | null };

async function countTable(
  db: Db,
  _environmentId: string,
  { table, age, isId, match = sql`true`, isNeeded }: CountedTable,
  { range, now, limit, sizes, scope }: CountOptions,
): Promise<ClassCount> {
  const column = sql.ref(`t.${age}`);
  const bound = (time: Date) => (isId ? sql`${firstIdAt(time)}::uuid` : sql`${time}::timestamptz`);
  const where = sql.join(
    [
      scope,
      ...(range.before ? [sql`${column} < ${bound(range.before)}`] : []),
      ...(range.from ? [sql`${column} >= ${bound(range.from)}`] : []),
    ],
    sql` and `,
  );
  const needed = range.before && isNeeded ? isNeeded({ before: range.before, now }) : sql`false`;
  const { rows } = await sql<Sample>`
    select count(*)::int as looked, count(*) filter (where ${match})::int as matching,
      count(*) filter (where ${match} and ${needed})::int as needed,
      min(${isId ? sql`${column}::text` : sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`})
        filter (where ${match}) as oldest
    from (select ${sql.raw(sampled[table] ?? "*")} from ${sql.table(table)} t where ${where}
      order by ${column} limit ${limit + 1}) as t`.execute(db);
  const { looked, matching, needed: kept, oldest } = rows[0]!;
  const isEstimate = looked > limit;
  const seen = isEstimate
    ? Math.max(looked, await estimateRows(db, sql`select 1 from ${sql.table(table)} t where ${where}`))
    : looked;
  const share = looked === 0 ? 0 : seen / looked;
  const count = Math.round((matching - kept) * share);
  const size = sizes.get(table) ?? { bytes: 0, rows: 0 };
  return {
    rows: count,
    needed: kept,
    bytes: Math.round((size.bytes * count) / Math.max(1, size.rows, seen)),
    isEstimate,
    oldest: oldest === null ? null : new Date(isId ? timeOfId(oldest) : oldest),
  };
}
