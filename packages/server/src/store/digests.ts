// Open digest windows. The primary key (environment, step, subscriber, group) is the lock: whoever inserts the row leads,
// everybody else is merged into the leader, and closing removes the row. A joiner holds the row until it commits, so the
// one that closes sees every event that joined, and an event that comes later opens a new window.
import { sql } from "kysely";
import { rowsOf } from "./bulk.ts";
import type { Db } from "./db.ts";

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

/** Closes the windows these jobs lead. Waits for joiners that have not committed yet. */
export async function closeWindows(db: Db, leaderJobIds: string[]): Promise<void> {
  if (leaderJobIds.length === 0) return;
  await sql`
    with due as (
      select environment_id, step_id, subscriber_id, group_key from digest_windows
      where leader_job_id = any(${leaderJobIds})
      order by environment_id, step_id, subscriber_id, group_key for update)
    delete from digest_windows w using due
    where (w.environment_id, w.step_id, w.subscriber_id, w.group_key)
        = (due.environment_id, due.step_id, due.subscriber_id, due.group_key)`.execute(db);
}

export type Collected = {
  leader_job_id: string;
  job_id: string;
  notification_id: string;
  event_id: string;
  created_at: Date;
};

/** The notifications that were merged into these leaders, in order of arrival. */
export async function findMerged(db: Db, leaderJobIds: string[]): Promise<Collected[]> {
  if (leaderJobIds.length === 0) return [];
  const { rows } = await sql<Collected>`
    select j.merged_into as leader_job_id, j.id as job_id, n.id as notification_id, n.event_id, e.created_at
    from jobs j join notifications n on n.id = j.notification_id join events e on e.id = n.event_id
    where j.merged_into = any(${leaderJobIds}) and j.status = 'merged'
    order by e.id, n.id`.execute(db);
  return rows;
}
