// Throttle windows: how many runs a group was granted. The row of the group is locked while runs are granted, so of any
// number of simultaneous events exactly the threshold passes.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { GroupKey } from "../tables.ts";
import { groupColumns, groupKey, isSameGroup } from "./groups.ts";
/** `wanted` runs of one group at once; `until` is when a window that opens now would end. */
export type GrantRequest = GroupKey & { until: Date; threshold: number; wanted: number; now: Date };

/** Granted in this window before and after the request, and when the window ends. */
export type Grant = GroupKey & { before: number; granted: number; until: Date };

const columns = {
  ...groupColumns,
  until: "timestamptz",
  threshold: "integer",
  wanted: "integer",
  now: "timestamptz",
};

/** One request per group. Rows are locked in the order of their key, so that two batches cannot deadlock. */
export async function takeGrants(db: Db, requests: GrantRequest[]): Promise<Grant[]> {
  if (requests.length === 0) return [];
  await sql`
    insert into throttle_windows (${groupKey()}, until, granted)
    select ${groupKey()}, until, 0 from ${rowsOf("r", columns, requests)}
    order by ${groupKey()} on conflict do nothing`.execute(db);
  const { rows } = await sql<Grant>`
    with held as (
      select ${groupKey("w")},
        case when w.until <= r.now or w.granted = 0 then 0 else w.granted end as before,
        case when w.until <= r.now or w.granted = 0 then r.until else w.until end as until, r.threshold, r.wanted
      from throttle_windows w join ${rowsOf("r", columns, requests)} using (${groupKey()})
      order by ${groupKey()} for update of w)
    update throttle_windows w set until = held.until,
      granted = greatest(held.before, least(held.threshold, held.before + held.wanted))
    from held where ${isSameGroup("w", "held")}
    returning w.*, held.before`.execute(db);
  return rows;
}

/** What takeGrants would return. */
export async function peekGrants(db: Db, requests: GrantRequest[]): Promise<Grant[]> {
  if (requests.length === 0) return [];
  const { rows } = await sql<Grant>`
    select ${groupKey("r")}, state.before,
      greatest(state.before, least(r.threshold, state.before + r.wanted)) as granted,
      coalesce(w.until, r.until) as until
    from ${rowsOf("r", columns, requests)} left join throttle_windows w
      on ${isSameGroup("w", "r")} and w.until > r.now and w.granted > 0
    cross join lateral (select coalesce(w.granted, 0) as before) as state`.execute(db);
  return rows;
}
