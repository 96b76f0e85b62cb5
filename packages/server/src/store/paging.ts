// Lists by cursor and by page number. A cursor is an opaque string with the sort value and id of one item, so paging
// continues when that item is deleted. Both ways read one row more than they return, so "has more" is exact.
import { countCap } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import { isUuid } from "../lib/ids.ts";
import type { Db } from "./db.ts";
/** The sort column of a list is a time or a text. A cursor of one kind is invalid for the other. */
export type SortKind = "time" | "text";
export type Cursor = { value: string; id: string };

const encodeCursor = (cursor: Cursor, kind: SortKind = "time"): string =>
  Buffer.from(JSON.stringify([cursor.value, cursor.id, ...(kind === "text" ? [kind] : [])])).toString("base64url");

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** Null when the text is not a cursor from encodeCursor: the database would refuse such values with an error. */
export function decodeCursor(text: string, kind: SortKind = "time"): Cursor | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    if (!Array.isArray(parsed) || (kind === "text" ? parsed[2] !== kind : parsed.length !== 2)) return null;
    const [value, id] = parsed as unknown[];
    if (typeof value !== "string" || typeof id !== "string" || !isUuid(id)) return null;
    if (!(kind === "text" ? isStorable(value) : isTime(value))) return null;
    // base64url decoding ignores stray characters; a valid cursor is equal to its own re-encoding.
    return encodeCursor({ value, id }, kind) === text ? { value, id } : null;
  } catch {
    return null;
  }
}

/** A time as encodeCursor writes it. JavaScript accepts the year 0000, PostgreSQL refuses it. */
const isTime = (text: string): boolean =>
  /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text));

export type CursorRequest = {
  after?: Cursor;
  before?: Cursor;
  includeCursor: boolean;
  limit: number;
  direction: "ASC" | "DESC";
};

export type CursorSource = {
  /** What to select; must contain `id`. */
  columns: RawBuilder<unknown>;
  /** `from … where …` without ordering. */
  from: RawBuilder<unknown>;
  /** The sort column, a timestamp unless `kind` says otherwise. */
  sort: RawBuilder<unknown>;
  kind?: SortKind;
  id: RawBuilder<unknown>;
  /** The number of all rows of `from`, where it is kept (`keptCount`): they are not counted then. */
  kept?: RawBuilder<{ count: number }>;
};

export type CursorPage<Row> = {
  rows: Row[];
  next: string | null;
  previous: string | null;
  totalCount: number;
  totalCountCapped: boolean;
};

export async function cursorPage<Row>(db: Db, source: CursorSource, request: CursorRequest): Promise<CursorPage<Row>> {
  const { columns, from, sort, id, kind = "time", kept } = source;
  const type = sql.raw(kind === "text" ? "text" : "timestamptz");
  const isBackward = request.before !== undefined;
  const cursor = request.after ?? request.before;
  // A page before the cursor is read in the opposite order, nearest to the cursor first, and reversed afterwards.
  const isAscending = (request.direction === "ASC") !== isBackward;
  const order = isAscending ? sql`asc` : sql`desc`;
  const beyond = (at: Cursor, ascending: boolean, inclusive: boolean) =>
    sql`(${sort}, ${id}) ${sql.raw(`${ascending ? ">" : "<"}${inclusive ? "=" : ""}`)} (${at.value}::${type}, ${at.id}::uuid)`;

  type Sorted = Row & { sort_value: Date | string; sort_id: string };
  const page = sql<Sorted>`
    select ${columns}, ${sort} as sort_value, ${id} as sort_id ${from}
    ${cursor ? sql`and ${beyond(cursor, isAscending, request.includeCursor)}` : sql``}
    order by ${sort} ${order}, ${id} ${order} limit ${request.limit + 1}`.execute(db);
  const total =
    kept ??
    sql<{ count: number }>`
    select count(*) as count from (select 1 ${from} limit ${countCap + 1}) as counted`;
  const counted = total.execute(db);

  // Awaited together: when the database is unavailable both fail, and neither rejection may be left unhandled.
  const [{ rows }, { rows: counts }] = await Promise.all([page, counted]);
  const { count } = counts[0]!;
  const hasMore = rows.length > request.limit;
  const items = rows.slice(0, request.limit);
  if (isBackward) items.reverse();

  const first = items[0];
  const last = items.at(-1);
  const cursorOf = ({ sort_value, sort_id }: Sorted): Cursor => ({
    value: sort_value instanceof Date ? sort_value.toISOString() : sort_value,
    id: sort_id,
  });
  const exists = async (row: Sorted, ascending: boolean): Promise<boolean> => {
    const found = await sql`select 1 ${from} and ${beyond(cursorOf(row), ascending, false)} limit 1`.execute(db);
    return found.rows.length > 0;
  };
  const forward = request.direction === "ASC";
  const hasNext = last !== undefined && (isBackward ? await exists(last, forward) : hasMore);
  const hasPrevious =
    first !== undefined && (isBackward ? hasMore : cursor !== undefined && (await exists(first, !forward)));
  return {
    rows: items,
    next: hasNext ? encodeCursor(cursorOf(last), kind) : null,
    previous: hasPrevious ? encodeCursor(cursorOf(first), kind) : null,
    totalCount: Math.min(count, countCap),
    totalCountCapped: count > countCap,
  };
}

/**
 * The number of rows of a list without filters, which the database keeps in the transaction of each change: the
 * subscriptions of a topic or the subscribers of an environment, named by its id.
 */
export const keptCount = (environmentId: string, listId: string): RawBuilder<{ count: number }> => sql`
  select coalesce(sum(count), 0) as count from list_counts
  where environment_id = ${environmentId} and list_id = ${listId}`;

/** Counts up to the cap. `from`: a `from … where …` clause. */
export async function cappedCount(db: Db, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select 1 ${from} limit ${countCap}) as counted`.execute(db);
  return rows[0]!.count;
}

/** How many rows the planner expects of a query, for numbers that would take too long to count. */
export async function estimateRows(db: Db, query: RawBuilder<unknown>): Promise<number> {
  type Plan = { "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] };
  const { rows } = await sql<Plan>`explain (format json) ${query}`.execute(db);
  return rows[0]!["QUERY PLAN"][0].Plan["Plan Rows"];
}
