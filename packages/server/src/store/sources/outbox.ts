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

const own = ({ environmentId }: OutboxPlace, alias: string): RawBuilder<unknown> =>
  environmentId === undefined ? sql`true` : sql`${sql.ref(`${alias}.environment_id`)} = ${environmentId}`;

/** Bodies in one batch, as they are stored: large ones are compressed there. */
const batchBytes = 4 * 1_024 * 1_024;

/** A claimed row; `created_at` is null where the outbox of a source was altered by hand. */
export type ClaimedRow = Pick<OutboxRow, "id" | "transaction_id" | "kind" | "key" | "created_at"> & { body: unknown };

/**
 * The oldest rows that no other worker has locked, in order of their ids. A row that follows one with the same key
 * which another worker has claimed is left to that worker's next batch: rows of a key are accepted in order.
 */
export async function claimRows(db: Db, place: OutboxPlace, limit: number): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    with locked as materialized (
      select o.id, pg_column_size(o.body) as bytes from ${place.table} as o
      where ${own(place, "o")} order by o.id limit ${limit} for update skip locked),
    sized as (select id, sum(bytes) over (order by id) - bytes as before from locked)
    select o.id, o.transaction_id, o.kind, o.key, o.body, o.created_at
    from sized s join ${place.table} as o on o.id = s.id and ${own(place, "o")}
    where s.before < ${batchBytes} order by o.id`.execute(db);
  const keys = [...new Set(rows.flatMap(({ key }) => key ?? []))];
  if (keys.length === 0) return rows;
  const ids = rows.map(({ id }) => id);
  const { rows: held } = await sql<{ key: string; first: number }>`
    select e.key, min(e.id) as first from ${place.table} as e
    where ${own(place, "e")} and e.key = any(${keys}::text[]) and e.id < ${ids.at(-1)} and e.id <> all(${ids}::bigint[])
    group by e.key`.execute(db);
  const firstHeld = new Map(held.map(({ key, first }) => [key, first]));
  return rows.filter(({ id, key }) => key === null || id < (firstHeld.get(key) ?? Number.POSITIVE_INFINITY));
}

/** Which of these transaction ids have a call in the outbox that is older than `before`, by id. */
export async function findEarlierCalls(
  db: Db,
  place: OutboxPlace,
  transactionIds: string[],
): Promise<{ id: number; transaction_id: string }[]> {
  if (transactionIds.length === 0) return [];
  const { rows } = await sql<{ id: number; transaction_id: string }>`
    select o.id, o.transaction_id from ${place.table} as o
    where ${own(place, "o")} and o.kind = 'trigger' and o.transaction_id = any(${transactionIds}::text[])`.execute(db);
  return rows;
}

export async function deleteRows(db: Db, place: OutboxPlace, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from ${place.table} as o where ${own(place, "o")} and o.id = any(${ids}::bigint[])`.execute(db);
}

/** What waits, counted up to `limit`, and since when. */
export async function measureOutbox(
  db: Db,
  place: OutboxPlace,
  limit: number,
): Promise<{ waiting: number; oldestAt: Date | null }> {
  const { rows } = await sql<{ waiting: number; oldest_at: Date | null }>`
    select (select count(*)::int from (select 1 from ${place.table} as o where ${own(place, "o")} limit ${limit}) as c) as waiting,
      (select o.created_at from ${place.table} as o where ${own(place, "o")} order by o.id limit 1) as oldest_at`.execute(
    db,
  );
  return { waiting: rows[0]!.waiting, oldestAt: rows[0]!.oldest_at };
}
