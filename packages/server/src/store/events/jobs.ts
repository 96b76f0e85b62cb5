// Jobs: one per active step of a notification, with their state and the trail of execution details.
import { type Selectable, sql } from "kysely";
import { insertRows, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { StoredDetail, Tables } from "../tables.ts";

export type JobRow = Selectable<Tables["jobs"]>;

const columns = {
  id: "uuid",
  environment_id: "uuid",
  notification_id: "uuid",
  step_index: "smallint",
  type: "text",
  status: "text",
  provider_id: "text",
  details: "jsonb",
  output: "jsonb",
  digest: "jsonb",
  merged_into: "uuid",
  wake_at: "timestamptz",
  updated_at: "timestamptz",
};

export const insertJobs = (db: Db, rows: JobRow[]): Promise<void> => insertRows(db, "jobs", columns, rows);

export async function findJobs(db: Db, notificationIds: string[]): Promise<JobRow[]> {
  if (notificationIds.length === 0) return [];
  const { rows } = await sql<JobRow>`
    select * from jobs where notification_id = any(${notificationIds}) order by notification_id, step_index`.execute(
    db,
  );
  return rows;
}

/** Taken in the order of their ids, so that two who settle messages of the same jobs cannot wait for each other. */
export async function lockJobs(db: Db, ids: string[]): Promise<Pick<JobRow, "id" | "status">[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<Pick<JobRow, "id" | "status">>`
    select id, status from jobs where id = any(${ids}) order by id for update`.execute(db);
  return rows;
}

/**
 * Of these notifications, those that have a step which has not begun, or which sleeps: its time may have come while the
 * run was busy with an earlier step, one that was replayed.
 */
export async function findUnfinished(db: Db, notificationIds: string[]): Promise<Set<string>> {
  if (notificationIds.length === 0) return new Set();
  const { rows } = await sql<{ notification_id: string }>`
    select distinct notification_id from jobs
    where notification_id = any(${notificationIds}) and status in ('pending', 'delayed')`.execute(db);
  return new Set(rows.map((row) => row.notification_id));
}

export type JobUpdate = {
  id: string;
  status: string;
  provider_id: string | null;
  /** Added behind the details already stored. */
  details: StoredDetail[];
  output: Record<string, unknown> | null;
  digest: Record<string, unknown> | null;
  merged_into: string | null;
  wake_at: Date | null;
  updated_at: Date;
};

/** An update that says nothing but when: to be filled in with what changes. */
export const unchanged = (id: string, now: Date): Omit<JobUpdate, "status"> => ({
  id,
  provider_id: null,
  details: [],
  output: null,
  digest: null,
  merged_into: null,
  wake_at: null,
  updated_at: now,
});

export async function updateJobs(db: Db, updates: JobUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  const { environment_id, notification_id, step_index, type, ...changing } = columns;
  await sql`
    update jobs j set status = r.status, provider_id = coalesce(r.provider_id, j.provider_id),
      details = j.details || r.details, output = coalesce(r.output, j.output), digest = coalesce(r.digest, j.digest),
      merged_into = r.merged_into, wake_at = r.wake_at, updated_at = r.updated_at
    from ${rowsOf("r", changing, updates)} where j.id = r.id`.execute(db);
}

/** Ends every waiting job of the matching notifications; running ones finish, and so does what a digest sent long ago. */
export async function cancelWaitingJobs(
  db: Db,
  environmentId: string,
  target: { workflowId: string } | { subscriberId: string },
  canceled: StoredDetail,
  now: Date,
): Promise<void> {
  const condition =
    "workflowId" in target ? sql`n.workflow_id = ${target.workflowId}` : sql`n.subscriber_id = ${target.subscriberId}`;
  await sql`
    update jobs j set status = 'canceled', wake_at = null, updated_at = ${now},
      details = j.details || ${JSON.stringify([canceled])}::jsonb
    from notifications n
    where n.id = j.notification_id and n.environment_id = ${environmentId} and ${condition}
      and (j.status in ('pending', 'queued', 'delayed') or (j.status = 'merged' and exists (
        select 1 from digest_windows w where w.leader_notification_id = n.digested_into)))`.execute(db);
}

/** Ends jobs that wait for their message to be sent. */
export async function cancelJobs(
  db: Db,
  environmentId: string,
  ids: string[],
  canceled: StoredDetail,
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update jobs set status = 'canceled', wake_at = null, updated_at = ${now},
      details = details || ${JSON.stringify([canceled])}::jsonb
    where environment_id = ${environmentId} and id = any(${ids}) and status in ('queued', 'delayed')`.execute(db);
}
