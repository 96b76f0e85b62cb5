// Rate limits that all processes share. Each is stored as the time until which it is used up. A process spends locally
// and settles with the others several times a second (lib/load/budgets.ts), or reserves calls in advance, so that no
// statement per message is needed.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";

/** No budget is used up for longer than this, whatever was spent. */
const maxMs = 10 * 60_000;

/** Adds the ms spent of each budget; returns for how many ms from now each is used up by all processes. */
export async function spendBudgets(db: Db, spent: Map<string, number>): Promise<Map<string, number>> {
  const rows = [...spent].map(([name, ms]) => ({ name, ms: Math.min(ms, maxMs) }));
  const { rows: found } = await sql<{ name: string; ahead: number }>`
    insert into budgets as b (name, next_at)
    select r.name, now() + r.ms * interval '1 ms' from ${rowsOf("r", { name: "text", ms: "float8" }, rows)} order by r.name
    on conflict (name) do update set next_at =
      least(greatest(b.next_at, now()) + (excluded.next_at - now()), now() + ${maxMs}::float8 * interval '1 ms')
    returning name, extract(epoch from next_at - now())::float8 * 1000 as ahead`.execute(db);
  return new Map(found.map(({ name, ahead }) => [name, ahead]));
}

/**
 * Deletes the budgets whose names begin with this prefix. The rows are locked in order, as by all statements of this
 * file.
 */
export async function deleteBudgets(db: Db, prefix: string): Promise<void> {
  await sql`
    with held as materialized (
      select name from budgets where starts_with(name, ${prefix}) order by name for update
    )
    delete from budgets b using held where b.name = held.name`.execute(db);
}

/** Calls that may start within the horizon, in the order in which they are reserved. */
type CallGroup = { calls: number; horizonMs: number };
/** `gapMs`: between two calls. `groups`: three at most, that with the longest horizon first. */
export type CallsWanted = { name: string; gapMs: number; groups: CallGroup[] };
/**
 * `granted`: how many calls of each group. The first of all may start in `offsetMs` (negative: it could have started
 * earlier), the others a gap apart.
 */
export type CallsGranted = { name: string; granted: number[]; offsetMs: number };

/**
 * Reserves the next calls of each rate limit that may start within their horizons; calls not used in the last `sliceMs`
 * are added. The rows stay locked until the transaction ends, and are locked in order, so that two batches cannot
 * deadlock.
 */
export async function reserveCalls(tx: Db, wanted: CallsWanted[], sliceMs: number): Promise<CallsGranted[]> {
  if (wanted.length === 0) return [];
  const names = wanted.map(({ name }) => name);
  const asked = wanted.map(({ name, gapMs, groups: [first, second, third] }) => ({
    name,
    gap: gapMs,
    calls: [first?.calls ?? 0, second?.calls ?? 0, third?.calls ?? 0],
    horizons: [first?.horizonMs ?? 0, second?.horizonMs ?? 0, third?.horizonMs ?? 0],
  }));
  const columns = { name: "text", gap: "float8", calls: "integer[]", horizons: "float8[]" };
  await sql`
    insert into budgets (name, next_at) select name, '-infinity' from unnest(${names}::text[]) as name order by name
    on conflict do nothing`.execute(tx);
  /** How many calls from `start` on may start within a horizon. */
  const reach = (group: number) => sql`greatest(0, 1 + floor(
    (extract(epoch from t - start)::float8 * 1000 + horizons[${sql.lit(group)}]) / gap)::bigint)`;
  const { rows } = await sql<CallsGranted>`
    with held as materialized (
      select name, next_at from budgets where name = any(${names}::text[]) order by name for update
    ), begun as materialized (
      select h.name, r.calls, r.horizons, r.gap, t, greatest(h.next_at, t - ${sliceMs}::float8 * interval '1 ms') as start
      from held h join ${rowsOf("r", columns, asked)} on r.name = h.name
      cross join lateral (select clock_timestamp() as t where h.name is not null) as clock
    ), granted as (
      select name, gap, t, start, array[first, second, third]::integer[] as granted, first + second + third as total
      from begun
      cross join lateral (select least(calls[1], ${reach(1)}) as first) as a
      cross join lateral (select least(calls[2], greatest(0, ${reach(2)} - first)) as second) as b
      cross join lateral (select least(calls[3], greatest(0, ${reach(3)} - first - second)) as third) as c
    )
    update budgets b set next_at = g.start + g.total * g.gap * interval '1 ms' from granted g where b.name = g.name
    returning b.name, g.granted, extract(epoch from g.start - g.t)::float8 * 1000 as "offsetMs"`.execute(tx);
  return rows;
}
