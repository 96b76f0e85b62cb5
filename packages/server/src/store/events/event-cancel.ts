// Canceling the waiting jobs and messages of runs: of one event, or a page of them. Locks are taken in the order that
// the pipeline uses: event, notifications by id, digest windows by key. A locked window cannot be joined, closed or
// handed over by another transaction, and its holder sees every event that joined.
import type { StepType } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { rowsByKey } from "../keys.ts";
import { findMessageKeys, type RunRef } from "../messages/messages-of-runs.ts";
import type { StoredDetail } from "../tables.ts";
import type { WindowClaim } from "./digests.ts";
import { groupKey } from "./groups.ts";

/** The runs to cancel: all of an event, or these. */
export type CanceledRuns = { eventId: string } | { page: RunRef[] };

/** A condition on a column that names a notification. */
export const isOfRuns = (column: string, environmentId: string, runs: CanceledRuns): RawBuilder<boolean> =>
  "eventId" in runs
    ? sql`${sql.ref(column)} in (
        select id from notifications where environment_id = ${environmentId} and event_id = ${runs.eventId})`
    : sql`${sql.ref(column)} = any(${runs.page.map(({ id }) => id)}::uuid[])`;

/**
 * Serializes the cancels of workflows that may hand over digests: handing over writes to notifications of other events,
 * which a second cancel could have locked already. Held until the transaction ends. Returns whether one of the
 * workflows has digests.
 */
export async function lockHandovers(db: Db, environmentId: string, versionIds: string[]): Promise<boolean> {
  const { rows } = await sql<{ workflow_id: string }>`
    select distinct workflow_id from workflow_versions
    where environment_id = ${environmentId} and id = any(${versionIds}::uuid[]) and 'digest' = any(step_types)
    order by workflow_id`.execute(db);
  for (const { workflow_id } of rows) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`cancel ${workflow_id}`}, 0))`.execute(db);
  }
  return rows.length > 0;
}

/** Locks the runs against workers; returns the windows that their jobs lead or were merged into, also locked. */
export async function lockRuns(db: Db, environmentId: string, runs: CanceledRuns): Promise<WindowClaim[]> {
  const isOwn = "eventId" in runs ? sql`event_id = ${runs.eventId}` : isOfRuns("id", environmentId, runs);
  await sql`
    select count(*) from (
      select 1 from notifications where environment_id = ${environmentId} and ${isOwn}
      order by id for update) as locked`.execute(db);
  const { rows } = await sql<WindowClaim>`
    select w.* from digest_windows w
    where w.environment_id = ${environmentId} and w.leader_job_id in (
      select coalesce(j.merged_into, j.id) from jobs j
      where j.environment_id = ${environmentId} and ${isOfRuns("j.notification_id", environmentId, runs)}
        and j.type = 'digest' and j.status in ('delayed', 'merged'))
    order by ${groupKey("w")} for update`.execute(db);
  return rows;
}

export type CanceledJob = { id: string; notification_id: string; type: StepType };

/**
 * Cancels the waiting jobs of the runs and returns them. Merged jobs wait as long as the digest they were merged into;
 * `openLeaders` are the jobs that lead a window.
 */
export async function cancelJobsOfRuns(
  db: Db,
  environmentId: string,
  {
    runs,
    openLeaders,
    canceled,
    now,
  }: { runs: CanceledRuns; openLeaders: string[]; canceled: StoredDetail; now: Date },
): Promise<CanceledJob[]> {
  const { rows } = await sql<CanceledJob>`
    update jobs j set status = 'canceled', wake_at = null, updated_at = ${now},
      details = j.details || ${JSON.stringify([canceled])}::jsonb
    where j.environment_id = ${environmentId} and ${isOfRuns("j.notification_id", environmentId, runs)}
      and (j.status in ('pending', 'queued', 'delayed') or (j.status = 'merged' and exists (
        select 1 from jobs m where m.environment_id = ${environmentId} and m.notification_id = j.notification_id
          and m.merged_into = any(${openLeaders}::uuid[]))))
    returning j.id, j.notification_id, j.type`.execute(db);
  return rows;
}

const isNoted = sql`j.details @> '[{"d": "step_canceled"}]'`;

/**
 * Notes the cancel of events that are part of a digest which has closed. The digest is sent with them, but if its
 * leader is canceled too, the others continue without them.
 */
export async function noteCanceledMembers(
  db: Db,
  environmentId: string,
  { runs, canceled, now }: { runs: CanceledRuns; canceled: StoredDetail; now: Date },
): Promise<void> {
  await sql`
    update jobs j set updated_at = ${now}, details = j.details || ${JSON.stringify([canceled])}::jsonb
    where j.environment_id = ${environmentId} and ${isOfRuns("j.notification_id", environmentId, runs)}
      and j.status = 'merged' and j.type = 'digest' and not ${isNoted}
      and exists (select 1 from jobs l join jobs u on u.environment_id = l.environment_id
          and u.notification_id = l.notification_id and u.status in ('pending', 'queued', 'delayed')
        where l.environment_id = ${environmentId} and l.id = j.merged_into)`.execute(db);
}

/** `error_id` of a message that was retracted while its provider was being called (recordOutcomes). */
export const retractedErrorId = "retracted";

/**
 * Cancels messages that were not handed to their provider; the rows stay, with the reason. With `hasToSettle`, those
 * whose provider is being called keep what they need to be retracted, and are marked for the transaction that writes
 * the result of the call; they are returned, and so are those with an earlier call whose outcome is not known.
 */
export async function withdrawMessages(
  db: Db,
  environmentId: string,
  { runs, reason, now, hasToSettle }: { runs: CanceledRuns; reason: string; now: Date; hasToSettle: boolean },
): Promise<{ withdrawn: string[]; inFlight: string[]; uncertain: string[] }> {
  const held = await holdPending(db, environmentId, runs);
  if (held.length === 0) return { withdrawn: [], inFlight: [], uncertain: [] };
  const ids = held.map(({ id }) => id);
  // A second statement: it sees the attempts of a transaction that held the messages before.
  const { rows: called } = hasToSettle
    ? await sql<{ message_id: string; is_out: boolean }>`
        select message_id, bool_or(finished_at is null) as is_out from attempts
        where environment_id = ${environmentId} and message_id = any(${ids}::uuid[])
          and (finished_at is null or outcome = 'unknown')
        group by 1`.execute(db)
    : { rows: [] };
  const inFlight = called.flatMap(({ message_id, is_out }) => (is_out ? message_id : []));
  const uncertain = called.flatMap(({ message_id, is_out }) => (is_out ? [] : message_id));
  await sql`
    update messages set status = 'warning', error_text = ${reason}, updated_at = ${now},
      error_id = case when id = any(${inFlight}::uuid[]) then ${retractedErrorId} else error_id end,
      outgoing = case when id = any(${inFlight}::uuid[]) then outgoing end
    where environment_id = ${environmentId} and id = any(${ids}::uuid[])`.execute(db);
  return { withdrawn: ids, inFlight, uncertain };
}

async function holdPending(db: Db, environmentId: string, runs: CanceledRuns): Promise<{ id: string }[]> {
  const pending =
    "eventId" in runs
      ? sql`select id from messages
          where environment_id = ${environmentId} and event_id = ${runs.eventId} and status = 'pending'
          order by id for no key update`
      : sql`select m.id from ${rowsByKey("messages", "m", "id", await findMessageKeys(db, environmentId, runs.page), {
          where: sql`t.status = 'pending'`,
          lock: "for no key update",
        })}`;
  const { rows } = await sql<{ id: string }>`${pending}`.execute(db);
  return rows;
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
  old_event_id: string;
  old_version_id: string;
  /** The run that the old one was merged into by a later digest. */
  old_digested_into: string | null;
  notification_id: string;
  version_id: string;
  /** Position of the digest in the workflow of the heir. */
  step_index: number;
  /** The same for the old run. */
  old_step_index: number;
  /** Events of its digests that were canceled before. */
  canceled_event_ids: string[];
};

/** For each run that led a digest which has closed; of several digests in a workflow, the first with other events. */
export async function findClosedDigestHeirs(
  db: Db,
  environmentId: string,
  runs: CanceledRuns,
): Promise<ClosedDigestHeir[]> {
  const isOwn = "eventId" in runs ? sql`o.event_id = ${runs.eventId}` : isOfRuns("o.id", environmentId, runs);
  const { rows } = await sql<ClosedDigestHeir>`
    select distinct on (o.id) o.id as old_notification_id, o.event_id as old_event_id,
      o.workflow_version_id as old_version_id, o.digested_into as old_digested_into,
      n.id as notification_id, n.workflow_version_id as version_id, j.step_index, d.step_index as old_step_index,
      (select coalesce(json_agg(distinct c.event_id), '[]')
        from jobs d join jobs j on j.merged_into = d.id and j.status = 'merged' and j.environment_id = ${environmentId}
        join notifications c on c.environment_id = j.environment_id and c.id = j.notification_id
        where d.environment_id = o.environment_id and d.notification_id = o.id and ${isNoted}) as canceled_event_ids
    from notifications o
    join jobs d on d.environment_id = o.environment_id and d.notification_id = o.id
      and d.type = 'digest' and d.status = 'completed'
    join jobs j on j.merged_into = d.id and j.status = 'merged' and j.environment_id = ${environmentId} and not ${isNoted}
    join notifications n on n.environment_id = j.environment_id and n.id = j.notification_id
    where o.environment_id = ${environmentId} and ${isOwn}
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
