// Open digest windows. The primary key (environment, step, subscriber, group) is the lock: the job that inserts the row
// leads the window, later jobs are merged into it, and closing deletes the row. A joining transaction locks the row
// until it commits, so the closing one sees every event that joined, and a later event opens a new window.
import { sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type JobKey, jobsByKey } from "../keys.ts";
import type { GroupKey } from "../tables.ts";
import type { WindowClaim } from "./digests.ts";
import { groupColumns, groupKey, isSameGroup } from "./groups.ts";

const columns = {
  ...groupColumns,
  leader_job_id: "uuid",
  leader_notification_id: "uuid",
  due_at: "timestamptz",
};

/** One claim per group. Returns the window of each group: opened by this claim, or by an earlier one. */
export async function openOrJoinWindows(db: Db, claims: WindowClaim[]): Promise<WindowClaim[]> {
  if (claims.length === 0) return [];
  const names = sql.raw(Object.keys(columns).join(", "));
  // The no-op update locks an existing window and returns it.
  const { rows } = await sql<WindowClaim>`
    insert into digest_windows as w (${names}) select ${names} from ${rowsOf("r", columns, claims)}
    order by ${groupKey()}
    on conflict (${groupKey()}) do update set due_at = w.due_at
    returning *`.execute(db);
  return rows;
}

/** What openOrJoinWindows would return. A window that is due by the claim's `now` is closed by then. */
export async function peekWindows(db: Db, claims: (WindowClaim & { now: Date })[]): Promise<WindowClaim[]> {
  if (claims.length === 0) return [];
  const { rows } = await sql<WindowClaim>`
    select ${groupKey("r")},
      coalesce(w.leader_job_id, r.leader_job_id) as leader_job_id,
      coalesce(w.leader_notification_id, r.leader_notification_id) as leader_notification_id,
      coalesce(w.due_at, r.due_at) as due_at
    from ${rowsOf("r", { ...columns, now: "timestamptz" }, claims)} left join digest_windows w
      on ${isSameGroup("w", "r")} and w.due_at > r.now`.execute(db);
  return rows;
}

/** Closes the windows these jobs lead. Waits for joiners that have not committed yet. */
export async function closeWindows(db: Db, leaders: JobKey[]): Promise<void> {
  if (leaders.length === 0) return;
  // Locked in the order in which claims lock them: earlier steps first, then by key.
  await sql`
    with due as (
      select ${groupKey("w")}
      from ${jobsByKey(leaders)} join digest_windows w on w.environment_id = j.environment_id and w.leader_job_id = j.id
      order by j.step_index, ${groupKey("w")} for update of w)
    delete from digest_windows w using due where ${isSameGroup("w", "due")}`.execute(db);
}

/** What a notification adds to a digest: its event, or the events of an earlier digest in its workflow. */
export type MergedEvent = {
  leader_job_id: string;
  event_id: string;
  created_at: Date;
  earlier: JsonObject | null;
  /** Number of all events merged into this leader, whether listed or not. */
  event_count: number;
};

/**
 * The notifications that were merged into these leaders: of each the first `limit` in order of arrival, and the count.
 */
export async function findMergedEvents(db: Db, leaderJobIds: string[], limit: number): Promise<MergedEvent[]> {
  if (leaderJobIds.length === 0) return [];
  const { rows } = await sql<MergedEvent>`
    select leader.id as leader_job_id, merged.* from unnest(${leaderJobIds}::uuid[]) as leader(id) cross join lateral (
      select n.event_id, e.created_at, before.output as earlier,
        (sum(coalesce((before.output->>'eventCount')::int, 1)) over ())::int as event_count
      from jobs j join notifications n on n.environment_id = j.environment_id and n.id = j.notification_id
      join events e on e.environment_id = n.environment_id and e.id = n.event_id
      left join lateral (
        select d.output from jobs d
        where d.environment_id = n.environment_id and d.notification_id = n.id and d.type = 'digest' and d.step_index < j.step_index and d.output is not null
        order by d.step_index desc limit 1) as before on true
      where j.merged_into = leader.id and j.status = 'merged'
      order by e.id, n.id limit ${limit}) as merged`.execute(db);
  return rows;
}

/** When a group last had an event, for digests with a look-back window. */
export type Pass = GroupKey & { passed_at: Date };

const passColumns = { ...groupColumns, passed_at: "timestamptz" };

/**
 * Records the time of the present event of each group, and returns the time of the event before it; groups without an
 * earlier event are missing. The row is locked before it is read, so of two simultaneous events one is the first.
 */
export async function recordPasses(db: Db, passes: Pass[]): Promise<Pass[]> {
  if (passes.length === 0) return [];
  const group = groupKey();
  await sql`
    insert into digest_passes (${group}, passed_at)
    select ${group}, '-infinity' from ${rowsOf("r", passColumns, passes)} order by ${group}
    on conflict do nothing`.execute(db);
  const { rows } = await sql<Pass & { passed_at: Date | null }>`
    with held as (
      select p.*, r.passed_at as now from digest_passes p join ${rowsOf("r", passColumns, passes)} using (${group})
      order by ${group} for update of p)
    update digest_passes p set passed_at = greatest(p.passed_at, held.now) from held
    where ${isSameGroup("p", "held")}
    returning ${groupKey("p")}, nullif(held.passed_at, '-infinity') as passed_at`.execute(db);
  return rows.filter((row) => row.passed_at !== null);
}

/** What recordPasses would return. */
export async function peekPasses(db: Db, passes: Pass[]): Promise<Pass[]> {
  if (passes.length === 0) return [];
  const { rows } = await sql<Pass>`
    select ${groupKey("p")}, p.passed_at
    from digest_passes p join ${rowsOf("r", passColumns, passes)} using (${groupKey()})
    where p.passed_at > '-infinity'`.execute(db);
  return rows;
}
