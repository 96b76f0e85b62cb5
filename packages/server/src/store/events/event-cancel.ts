// Canceling the waiting jobs and messages of one event. Locks are taken in the order that the pipeline uses: event,
// notifications by id, digest windows by key. A locked window cannot be joined, closed or handed over by another
// transaction, and its holder sees every event that joined.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { StoredDetail } from "../tables.ts";
import type { WindowClaim } from "./digests.ts";
import { groupKey } from "./groups.ts";
/**
 * Serializes the cancels of one workflow that may hand over digests: handing over writes to notifications of other
 * events, which a second cancel could have locked already. Held until the transaction ends. Returns whether the
 * workflow has digests.
 */
export async function lockHandovers(db: Db, environmentId: string, workflowVersionId: string): Promise<boolean> {
  const { rows } = await sql<{ workflow_id: string; has_digest: boolean }>`
    select workflow_id, 'digest' = any(step_types) as has_digest from workflow_versions
    where environment_id = ${environmentId} and id = ${workflowVersionId}`.execute(db);
  if (!rows[0]?.has_digest) return false;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`cancel ${rows[0].workflow_id}`}, 0))`.execute(db);
  return true;
}

/**
 * Locks the runs of the event against workers; returns the windows that its jobs lead or were merged into, also locked.
 */
export async function lockRuns(db: Db, environmentId: string, eventId: string): Promise<WindowClaim[]> {
  await sql`
    select count(*) from (
      select 1 from notifications where environment_id = ${environmentId} and event_id = ${eventId}
      order by id for update) as locked`.execute(db);
  const { rows } = await sql<WindowClaim>`
    select w.* from digest_windows w
    where w.environment_id = ${environmentId} and w.leader_job_id in (
      select coalesce(j.merged_into, j.id) from notifications n
      join jobs j on j.environment_id = n.environment_id and j.notification_id = n.id
      where n.environment_id = ${environmentId} and n.event_id = ${eventId} and j.type = 'digest' and j.status in ('delayed', 'merged'))
    order by ${groupKey("w")} for update`.execute(db);
  return rows;
}

/**
 * Cancels the waiting jobs of the event and returns their ids. Merged jobs wait as long as the digest they were merged
 * into; `openLeaders` are the jobs that lead a window.
 */
export async function cancelJobsOfEvent(
  db: Db,
  environmentId: string,
  {
    eventId,
    openLeaders,
    canceled,
    now,
  }: { eventId: string; openLeaders: string[]; canceled: StoredDetail; now: Date },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update jobs j set status = 'canceled', wake_at = null, updated_at = ${now},
      details = j.details || ${JSON.stringify([canceled])}::jsonb
    from notifications n
    where n.environment_id = ${environmentId} and n.event_id = ${eventId}
      and j.environment_id = ${environmentId} and j.notification_id = n.id
      and (j.status in ('pending', 'queued', 'delayed') or (j.status = 'merged' and exists (
        select 1 from jobs m where m.environment_id = ${environmentId} and m.notification_id = n.id and m.merged_into = any(${openLeaders}::uuid[]))))
    returning j.id`.execute(db);
  return rows.map((row) => row.id);
}

/** Cancels messages that were not handed to their provider; the rows stay, with the reason. */
export async function withdrawMessages(
  db: Db,
  environmentId: string,
  { eventId, reason, now }: { eventId: string; reason: string; now: Date },
): Promise<void> {
  const pending = sql`environment_id = ${environmentId} and event_id = ${eventId} and status = 'pending'`;
  await sql`
    select count(*) from (
      select 1 from messages where ${pending} order by id for no key update) as held`.execute(db);
  await sql`
    update messages set status = 'warning', error_text = ${reason}, outgoing = null, updated_at = ${now}
    where ${pending}`.execute(db);
}

/** The job that becomes the leader of a window. */
export type NextLeader = {
  old_leader_id: string;
  job_id: string;
  notification_id: string;
  step_index: number;
  due_at: Date;
};

/** The oldest event still merged into each of these leaders; a window without merged events has no next leader. */
export async function findNextLeaders(db: Db, environmentId: string, windows: WindowClaim[]): Promise<NextLeader[]> {
  const due = new Map(windows.map((window) => [window.leader_job_id, window.due_at]));
  const { rows } = await sql<Omit<NextLeader, "due_at">>`
    select distinct on (j.merged_into) j.merged_into as old_leader_id, j.id as job_id, n.id as notification_id, j.step_index
    from jobs j join notifications n on n.environment_id = j.environment_id and n.id = j.notification_id
    where n.environment_id = ${environmentId} and j.merged_into = any(${[...due.keys()]}::uuid[]) and j.status = 'merged'
    order by j.merged_into, n.event_id, n.id`.execute(db);
  return rows.map((row) => ({ ...row, due_at: due.get(row.old_leader_id)! }));
}

const leaderColumns = {
  old_leader_id: "uuid",
  job_id: "uuid",
  notification_id: "uuid",
  step_index: "smallint",
  due_at: "timestamptz",
};

/** The new leaders wait instead of the old ones; the other merged jobs are merged into the new leaders. */
export async function handOverWindows(
  db: Db,
  environmentId: string,
  { leaders, taken, now }: { leaders: NextLeader[]; taken: StoredDetail; now: Date },
): Promise<void> {
  if (leaders.length === 0) return;
  const list = () => rowsOf("h", leaderColumns, leaders);
  await moveFollowers(
    db,
    environmentId,
    leaders.map((leader) => ({ ...leader, old_job_id: leader.old_leader_id })),
    now,
  );
  await sql`
    update jobs j set updated_at = ${now}, merged_into = null,
      status = case when j.id = h.job_id then 'delayed' else 'pending' end,
      wake_at = case when j.id = h.job_id then h.due_at end,
      details = case when j.id = h.job_id then j.details || ${JSON.stringify([taken])}::jsonb else j.details end
    from ${list()} where j.notification_id = h.notification_id and j.status = 'merged' and j.step_index >= h.step_index
      and j.environment_id = ${environmentId}`.execute(db);
}

/** The oldest event that was merged into a closed digest, and the run that led the digest. */
export type ClosedDigestHeir = {
  old_notification_id: string;
  old_version_id: string;
  /** The run that the old one was merged into by a later digest. */
  old_digested_into: string | null;
  notification_id: string;
  version_id: string;
  /** Position of the digest in the workflow of the heir. */
  step_index: number;
};

/**
 * For each run of the event that led a digest which has closed; of several digests in a workflow, the first with other
 * events.
 */
export async function findClosedDigestHeirs(
  db: Db,
  environmentId: string,
  eventId: string,
): Promise<ClosedDigestHeir[]> {
  const { rows } = await sql<ClosedDigestHeir>`
    select distinct on (o.id) o.id as old_notification_id, o.workflow_version_id as old_version_id,
      o.digested_into as old_digested_into,
      n.id as notification_id, n.workflow_version_id as version_id, j.step_index
    from notifications o
    join jobs d on d.environment_id = o.environment_id and d.notification_id = o.id
      and d.type = 'digest' and d.status = 'completed'
    join jobs j on j.merged_into = d.id and j.status = 'merged' and j.environment_id = ${environmentId}
    join notifications n on n.environment_id = j.environment_id and n.id = j.notification_id
    where o.environment_id = ${environmentId} and o.event_id = ${eventId}
    order by o.id, d.step_index, n.event_id, n.id`.execute(db);
  return rows;
}

/** A digest that another job leads now. */
export type MovedDigest = { old_job_id: string; job_id: string; notification_id: string };

const movedColumns = { old_job_id: "uuid", job_id: "uuid", notification_id: "uuid" };

/**
 * Jobs that were merged into the old leaders are merged into the new ones, which also lead the windows that are open.
 */
export async function moveFollowers(db: Db, environmentId: string, moved: MovedDigest[], now: Date): Promise<void> {
  if (moved.length === 0) return;
  const list = () => rowsOf("h", movedColumns, moved);
  await sql`
    update digest_windows w set leader_job_id = h.job_id, leader_notification_id = h.notification_id
    from ${list()} where w.environment_id = ${environmentId} and w.leader_job_id = h.old_job_id`.execute(db);
  await sql`
    update notifications n set digested_into = nullif(h.notification_id, n.id), updated_at = ${now}
    from jobs j join ${list()} on j.merged_into = h.old_job_id
    where n.id = j.notification_id and n.environment_id = ${environmentId} and j.status = 'merged'`.execute(db);
  await sql`
    update jobs j set merged_into = h.job_id, updated_at = ${now}
    from ${list()} where j.merged_into = h.old_job_id and j.status = 'merged' and j.id <> h.job_id
      and j.environment_id = ${environmentId}`.execute(db);
}

/** Deletes windows without events. */
export async function deleteWindows(db: Db, environmentId: string, leaderJobIds: string[]): Promise<void> {
  if (leaderJobIds.length === 0) return;
  await sql`
    delete from digest_windows
    where environment_id = ${environmentId} and leader_job_id = any(${leaderJobIds}::uuid[])`.execute(db);
}
