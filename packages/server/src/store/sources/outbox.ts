// An outbox: the table that calls by SQL are written to until a worker accepts them, in this database (`sql_outbox`) or
// in that of a source. Several workers share it: each claims rows that no other one has locked.
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db.ts";
import type { OutboxRow } from "../tables.ts";

/** `environmentId`: only these rows, of the outbox that all environments of this service share. */
export type OutboxPlace = { table: RawBuilder<unknown>; environmentId?: string };

export const localOutbox = (environmentId: string): OutboxPlace => ({
  table: sql.table("sql_outbox"),
  environmentId,
});
export const remoteOutbox = (schema: string): OutboxPlace => ({ table: sql.table(`${schema}.outbox`) });

/** The NOTIFY channel on which outboxes announce rows. */
export const outboxChannel = "tidings_outbox";

/** Bytes of JSON in one call; the functions refuse more, and the body of a longer row is not read. */
export const maxBodyBytes = 1_048_576;
/** Bytes of JSON in a batch. */
const batchBytes = 8 * maxBodyBytes;

const own = ({ environmentId }: OutboxPlace, alias: string): RawBuilder<unknown> =>
  environmentId === undefined ? sql`true` : sql`${sql.ref(`${alias}.environment_id`)} = ${environmentId}`;

/**
 * A claimed row. `bytes`: the length of its body, which is null when it is too long. The outbox of a source may have
 * been altered by hand, and have any values.
 */
export type ClaimedRow = Pick<OutboxRow, "id" | "transaction_id" | "kind" | "key" | "created_at"> & {
  body: unknown;
  bytes: number;
};

/**
 * The oldest rows that no other worker has locked, in order of their ids. A row that follows one with the same key or
 * transaction id which another worker has claimed is left to a later batch: such rows are accepted in order.
 */
export async function claimRows(db: Db, place: OutboxPlace, limit: number): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    with claimed as materialized (
      select o.id, o.transaction_id, o.kind, o.key, o.created_at, o.body,
        coalesce(octet_length(o.body::text), 0) as bytes
      from ${place.table} as o where ${own(place, "o")} order by o.id limit ${limit} for update skip locked
    )
    select id, transaction_id, kind, key, created_at, bytes, case when bytes <= ${maxBodyBytes} then body end as body
    from (select *, sum(least(bytes, ${maxBodyBytes})) over (order by id) as total from claimed) as c
    where total <= ${batchBytes} order by id`.execute(db);
  return withoutHeld(rows, await findHeld(db, place, rows));
}

type Marked = Pick<ClaimedRow, "id" | "key" | "transaction_id">;

/** Rows that share a mark are handled in order. */
export const marksOf = ({ key, transaction_id }: Omit<Marked, "id">): string[] => [
  ...(key === null ? [] : [`key ${key}`]),
  `id ${transaction_id}`,
];

/** Earlier rows than these that another worker has claimed, and that share a mark with one of them. */
async function findHeld(db: Db, place: OutboxPlace, rows: ClaimedRow[]): Promise<Marked[]> {
  const last = rows.at(-1)?.id;
  if (last === undefined) return [];
  const keys = [...new Set(rows.flatMap(({ key }) => key ?? []))];
  const transactionIds = [...new Set(rows.filter(mayHaveTwin).map((row) => row.transaction_id))];
  // The range of ids is short: rows that were claimed before are at its beginning, and those of this batch.
  const { rows: held } = await sql<Marked>`
    select e.id, e.key, e.transaction_id from ${place.table} as e
    where ${own(place, "e")} and e.id < ${last} and e.id <> all(${rows.map(({ id }) => id)}::bigint[])
      and (e.key = any(${keys}::text[]) or e.transaction_id = any(${transactionIds}::text[]))`.execute(db);
  return held;
}

/** A call with an id that the function has just generated is the first with it. */
const mayHaveTwin = ({ kind, transaction_id }: ClaimedRow): boolean =>
  kind !== "trigger" || !/^sql_[0-9a-f]{32}$/.test(transaction_id);

/** Leaves out the rows that follow a held one with the same mark, and those that follow one that is left out. */
export function withoutHeld<Row extends Marked>(rows: Row[], held: Marked[]): Row[] {
  const firstHeld = new Map<string, number>();
  const hold = (row: Marked) => {
    for (const mark of marksOf(row)) firstHeld.set(mark, Math.min(row.id, firstHeld.get(mark) ?? row.id));
  };
  for (const row of held) hold(row);
  return rows.filter((row) => {
    const isHeld = marksOf(row).some((mark) => (firstHeld.get(mark) ?? Number.POSITIVE_INFINITY) < row.id);
    if (isHeld) hold(row);
    return !isHeld;
  });
}

export async function deleteRows(db: Db, place: OutboxPlace, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from ${place.table} as o where ${own(place, "o")} and o.id = any(${ids}::bigint[])`.execute(db);
}

/** One statement, which is all that an idle source costs. It names the columns, so that a missing one is noticed. */
export async function hasRows(db: Db, place: OutboxPlace): Promise<boolean> {
  const { rows } = await sql`
    select 1 from (
      select o.id, o.transaction_id, o.kind, o.key, o.created_at, o.body from ${place.table} as o
      where ${own(place, "o")} limit 1
    ) as first`.execute(db);
  return rows.length > 0;
}

/** What waits, counted up to `limit`, and since when: a time of this century, whatever the row says. */
export async function measureOutbox(
  db: Db,
  place: OutboxPlace,
  limit: number,
): Promise<{ waiting: number; oldestAt: Date | null }> {
  const { rows } = await sql<{ waiting: number; oldest_at: Date | null }>`
    select (select count(*)::int from (select 1 from ${place.table} as o where ${own(place, "o")} limit ${limit}) as c) as waiting,
      (select least(greatest(coalesce(o.created_at, now()), '2000-01-01'), now()) from ${place.table} as o
       where ${own(place, "o")} order by o.id limit 1) as oldest_at`.execute(db);
  return { waiting: rows[0]!.waiting, oldestAt: rows[0]!.oldest_at };
}
