// Jobs: one per active step of a notification, with status and execution details.
import { type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { hasKeyOf, type JobKey, jobKeyColumns, rowsByKey } from "../keys.ts";
import type { StoredDetail, Tables } from "../tables.ts";
import { type JobSource, unpackJobs } from "./finished-jobs.ts";

export type JobRow = Selectable<Tables["jobs"]>;

/** In the order of their steps; each has the id of its notification. */
export async function findJobs(db: Db, notifications: JobSource[]): Promise<JobRow[]> {
  const { finished = [], stored = [] } = Object.groupBy(notifications, ({ finished_jobs }) =>
    finished_jobs ? "finished" : "stored",
  );
  const keys = stored.map(({ environment_id, id }) => ({ environment_id, notification_id: id }));
  if (keys.length === 0) return finished.flatMap(unpackJobs);
  const { rows } = await sql<JobRow>`
    select j.* from ${rowsByKey("jobs", "j", "notification_id", keys)}
    order by j.notification_id, j.step_index`.execute(db);
  return [...finished.flatMap(unpackJobs), ...rows];
}

/** Cancels the waiting jobs of the matching notifications, and jobs merged into a digest that is still open. */
export async function cancelWaitingJobs(
  db: Db,
  environmentId: string,
  target: { workflowIds: string[] } | { subscriberId: string },
  canceled: StoredDetail,
  now: Date,
): Promise<void> {
  const condition =
    "workflowIds" in target
      ? sql`n.workflow_id = any(${target.workflowIds}::uuid[])`
      : sql`n.subscriber_id = ${target.subscriberId}`;
  await sql`
    update jobs j set status = 'canceled', wake_at = null, updated_at = ${now},
      details = j.details || ${JSON.stringify([canceled])}::jsonb
    from notifications n
    where j.environment_id = ${environmentId} and j.notification_id = n.id
      and n.environment_id = ${environmentId} and ${condition}
      and (j.status in ('pending', 'queued', 'delayed') or (j.status = 'merged' and exists (
        select 1 from digest_windows w where w.leader_notification_id = n.digested_into)))`.execute(db);
}

/** Cancels jobs whose message has not been sent. */
export async function cancelJobs(
  db: Db,
  environmentId: string,
  jobs: Omit<JobKey, "environment_id">[],
  canceled: StoredDetail,
  now: Date,
): Promise<void> {
  if (jobs.length === 0) return;
  const keys = jobs.map(({ notification_id, job_id }) => ({ environment_id: environmentId, notification_id, job_id }));
  await sql`
    update jobs j set status = 'canceled', wake_at = null, updated_at = ${now},
      details = details || ${JSON.stringify([canceled])}::jsonb
    from ${rowsOf("r", jobKeyColumns, keys)}
    where ${hasKeyOf("j", "notification_id", keys)} and j.id = r.job_id and j.status in ('queued', 'delayed')`.execute(
    db,
  );
}
