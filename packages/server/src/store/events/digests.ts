// Open digest windows. The primary key (environment, step, subscriber, group) is the lock: whoever inserts the row leads,
// everybody else is merged into the leader, and closing removes the row. A joiner holds the row until it commits, so the
// one that closes sees every event that joined, and an event that comes later opens a new window.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { StoredDetail } from "../tables.ts";

export type WindowClaim = {
  environment_id: string;
  step_id: string;
  subscriber_id: string;
  group_key: string;
  leader_job_id: string;
  leader_notification_id: string;
  due_at: Date;
};

const columns = {
  environment_id: "uuid",
  step_id: "uuid",
  subscriber_id: "uuid",
  group_key: "text",
  leader_job_id: "uuid",
  leader_notification_id: "uuid",
  due_at: "timestamptz",
};

/** One claim per group. Answers the window of each group as it now stands: opened by this claim, or by an earlier one. */
export async function openOrJoinWindows(db: Db, claims: WindowClaim[]): Promise<WindowClaim[]> {
  if (claims.length === 0) return [];
  // The no-op update takes the row lock on an existing window and makes it come back; rows in key order, so that two
  // batches with the same groups cannot wait for each other.
  const { rows } = await sql<WindowClaim>`
    insert into digest_windows as w (${sql.raw(Object.keys(columns).join(", "))})
    select ${sql.raw(Object.keys(columns).join(", "))} from ${rowsOf("r", columns, claims)}
    order by environment_id, step_id, subscriber_id, group_key
    on conflict (environment_id, step_id, subscriber_id, group_key) do update set due_at = w.due_at
    returning *`.execute(db);
  return rows;
}

/** What openOrJoinWindows would answer. A window that is due by the claim's `now` is closed by then. */
export async function peekWindows(db: Db, claims: (WindowClaim & { now: Date })[]): Promise<WindowClaim[]> {
  if (claims.length === 0) return [];
  const { rows } = await sql<WindowClaim>`
    select r.environment_id, r.step_id, r.subscriber_id, r.group_key,
      coalesce(w.leader_job_id, r.leader_job_id) as leader_job_id,
      coalesce(w.leader_notification_id, r.leader_notification_id) as leader_notification_id,
      coalesce(w.due_at, r.due_at) as due_at
    from ${rowsOf("r", { ...columns, now: "timestamptz" }, claims)} left join digest_windows w
      on (w.environment_id, w.step_id, w.subscriber_id, w.group_key)
       = (r.environment_id, r.step_id, r.subscriber_id, r.group_key) and w.due_at > r.now`.execute(db);
  return rows;
}

/** Closes the windows these jobs lead. Waits for joiners that have not committed yet. */
export async function closeWindows(db: Db, leaderJobIds: string[]): Promise<void> {
  if (leaderJobIds.length === 0) return;
  // In the order in which claims take them: earlier steps first, then by key.
  await sql`
    with due as (
      select w.environment_id, w.step_id, w.subscriber_id, w.group_key
      from digest_windows w join jobs j on j.id = w.leader_job_id
      where w.leader_job_id = any(${leaderJobIds}::uuid[])
      order by j.step_index, w.environment_id, w.step_id, w.subscriber_id, w.group_key for update of w)
    delete from digest_windows w using due
    where (w.environment_id, w.step_id, w.subscriber_id, w.group_key)
        = (due.environment_id, due.step_id, due.subscriber_id, due.group_key)`.execute(db);
}

export type WindowFilter = { stepIds: string[]; subscriberId: string | null };

/** Makes up to `limit` windows that are still open due now. Answers the notifications that lead them. */
export async function bringForward(
  db: Db,
  environmentId: string,
  { stepIds, subscriberId }: WindowFilter,
  closed: StoredDetail,
  now: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with open as (
      select environment_id, step_id, subscriber_id, group_key from digest_windows
      where environment_id = ${environmentId} and step_id = any(${stepIds}::uuid[]) and due_at > ${now}
        and (${subscriberId}::uuid is null or subscriber_id = ${subscriberId}::uuid)
      order by environment_id, step_id, subscriber_id, group_key limit ${limit} for update),
    due as (
      update digest_windows w set due_at = ${now} from open
      where (w.environment_id, w.step_id, w.subscriber_id, w.group_key)
          = (open.environment_id, open.step_id, open.subscriber_id, open.group_key)
      returning w.leader_job_id)
    update jobs j set wake_at = ${now}, updated_at = ${now}, details = j.details || ${JSON.stringify([closed])}::jsonb
    from due where j.id = due.leader_job_id and j.status = 'delayed'
    returning j.notification_id as id`.execute(db);
  return rows.map((row) => row.id);
}

/** What a notification brings into a digest: its event, or what the digest before it in its chain held. */
export type Merged = {
  leader_job_id: string;
  event_id: string;
  created_at: Date;
  earlier: Record<string, unknown> | null;
  /** Events of everything merged into this leader, whether listed or not. */
  event_count: number;
};

/** The notifications that were merged into these leaders: of each the first `limit` in order of arrival, and the count. */
export async function findMerged(db: Db, leaderJobIds: string[], limit: number): Promise<Merged[]> {
  if (leaderJobIds.length === 0) return [];
  const { rows } = await sql<Merged>`
    select leader.id as leader_job_id, merged.* from unnest(${leaderJobIds}::uuid[]) as leader(id) cross join lateral (
      select n.event_id, e.created_at, before.output as earlier,
        (sum(coalesce((before.output->>'eventCount')::int, 1)) over ())::int as event_count
      from jobs j join notifications n on n.id = j.notification_id join events e on e.id = n.event_id
      left join lateral (
        select d.output from jobs d
        where d.notification_id = n.id and d.type = 'digest' and d.step_index < j.step_index and d.output is not null
        order by d.step_index desc limit 1) as before on true
      where j.merged_into = leader.id and j.status = 'merged'
      order by e.id, n.id limit ${limit}) as merged`.execute(db);
  return rows;
}

export type Pass = {
  environment_id: string;
  step_id: string;
  subscriber_id: string;
  group_key: string;
  passed_at: Date;
};

const passColumns = {
  environment_id: "uuid",
  step_id: "uuid",
  subscriber_id: "uuid",
  group_key: "text",
  passed_at: "timestamptz",
};

/**
 * Notes that an event of each group came now, and answers when the one before came: groups that never had one are not
 * in the answer. The row is locked from the reading on, so of two simultaneous events one is the first.
 */
export async function takePasses(db: Db, passes: Pass[]): Promise<Pass[]> {
  if (passes.length === 0) return [];
  const group = sql.raw("environment_id, step_id, subscriber_id, group_key");
  await sql`
    insert into digest_passes (${group}, passed_at)
    select ${group}, '-infinity' from ${rowsOf("r", passColumns, passes)} order by ${group}
    on conflict do nothing`.execute(db);
  const { rows } = await sql<Pass & { passed_at: Date | null }>`
    with held as (
      select p.*, r.passed_at as now from digest_passes p join ${rowsOf("r", passColumns, passes)} using (${group})
      order by ${group} for update of p)
    update digest_passes p set passed_at = greatest(p.passed_at, held.now) from held
    where (p.environment_id, p.step_id, p.subscriber_id, p.group_key)
        = (held.environment_id, held.step_id, held.subscriber_id, held.group_key)
    returning p.environment_id, p.step_id, p.subscriber_id, p.group_key,
      nullif(held.passed_at, '-infinity') as passed_at`.execute(db);
  return rows.filter((row) => row.passed_at !== null);
}

/** What takePasses would answer. */
export async function peekPasses(db: Db, passes: Pass[]): Promise<Pass[]> {
  if (passes.length === 0) return [];
  const { rows } = await sql<Pass>`
    select p.environment_id, p.step_id, p.subscriber_id, p.group_key, p.passed_at
    from digest_passes p join ${rowsOf("r", passColumns, passes)}
      using (environment_id, step_id, subscriber_id, group_key)
    where p.passed_at > '-infinity'`.execute(db);
  return rows;
}

/** Groups that have been quiet since before any look-back window. Answers how many went. */
export async function purgePasses(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from digest_passes where ctid in (
      select p.ctid from digest_passes p join environments e on e.id = p.environment_id
      where p.passed_at < ${before} and e.test_clock is null limit ${limit} for update of p skip locked)
    returning 1`.execute(db);
  return rows.length;
}
