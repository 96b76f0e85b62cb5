// Throttle windows: how many runs a group has been granted. The row of the group is locked while it is counted, so of any
// number of simultaneous events exactly the threshold passes.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";

type Group = { environment_id: string; step_id: string; subscriber_id: string; group_key: string };

/** `wanted` runs of one group at once; `until` is when a window that opens now would end. */
export type GrantRequest = Group & { until: Date; threshold: number; wanted: number; now: Date };

/** Granted in this window before and after the request, and when the window ends. */
export type Grant = Group & { before: number; granted: number; until: Date };

const columns = {
  environment_id: "uuid",
  step_id: "uuid",
  subscriber_id: "uuid",
  group_key: "text",
  until: "timestamptz",
  threshold: "integer",
  wanted: "integer",
  now: "timestamptz",
};

const inOrder = sql.raw("environment_id, step_id, subscriber_id, group_key");

/** One request per group. Rows are locked in the order of their key, so that two batches cannot wait for each other. */
export async function takeGrants(db: Db, requests: GrantRequest[]): Promise<Grant[]> {
  if (requests.length === 0) return [];
  await sql`
    insert into throttle_windows (environment_id, step_id, subscriber_id, group_key, until, granted)
    select environment_id, step_id, subscriber_id, group_key, until, 0 from ${rowsOf("r", columns, requests)}
    order by ${inOrder} on conflict do nothing`.execute(db);
  const { rows } = await sql<Grant>`
    with held as (
      select w.environment_id, w.step_id, w.subscriber_id, w.group_key,
        case when w.until <= r.now or w.granted = 0 then 0 else w.granted end as before,
        case when w.until <= r.now or w.granted = 0 then r.until else w.until end as until, r.threshold, r.wanted
      from throttle_windows w join ${rowsOf("r", columns, requests)}
        using (environment_id, step_id, subscriber_id, group_key)
      order by ${inOrder} for update of w)
    update throttle_windows w set until = held.until,
      granted = greatest(held.before, least(held.threshold, held.before + held.wanted))
    from held
    where (w.environment_id, w.step_id, w.subscriber_id, w.group_key)
        = (held.environment_id, held.step_id, held.subscriber_id, held.group_key)
    returning w.*, held.before`.execute(db);
  return rows;
}

/** What takeGrants would answer. */
export async function peekGrants(db: Db, requests: GrantRequest[]): Promise<Grant[]> {
  if (requests.length === 0) return [];
  const { rows } = await sql<Grant>`
    select r.environment_id, r.step_id, r.subscriber_id, r.group_key, state.before,
      greatest(state.before, least(r.threshold, state.before + r.wanted)) as granted,
      coalesce(w.until, r.until) as until
    from ${rowsOf("r", columns, requests)} left join throttle_windows w
      on (w.environment_id, w.step_id, w.subscriber_id, w.group_key)
       = (r.environment_id, r.step_id, r.subscriber_id, r.group_key) and w.until > r.now and w.granted > 0
    cross join lateral (select coalesce(w.granted, 0) as before) as state`.execute(db);
  return rows;
}

/** Windows that ended long ago. Answers how many went. */
export async function purgeThrottles(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from throttle_windows where ctid in (
      select w.ctid from throttle_windows w join environments e on e.id = w.environment_id
      where w.until < ${before} and e.test_clock is null limit ${limit} for update of w skip locked)
    returning 1`.execute(db);
  return rows.length;
}
