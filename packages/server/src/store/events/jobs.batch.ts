// Jobs of the runs that the pipeline advances: inserted, locked and updated in batches.
import type { JobStatus } from "@tidings/contract";
import { sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import { type Insert, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { hasKeyOf, type JobKey, jobsByKey, type NotificationKey, rowsByKey } from "../keys.ts";
import type { JobBridge, StoredDetail } from "../tables.ts";
import type { JobRow } from "./jobs.ts";

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
  bridge: "jsonb",
  merged_into: "uuid",
  wake_at: "timestamptz",
  updated_at: "timestamptz",
};

export const jobInsert = (rows: JobRow[]): Insert => ({ table: "jobs", columns, rows });

export async function findJobsOfBatch(db: Db, notifications: NotificationKey[]): Promise<JobRow[]> {
  if (notifications.length === 0) return [];
  const { rows } = await sql<JobRow>`
    select j.* from ${rowsByKey("jobs", "j", "notification_id", notifications)}
    order by j.notification_id, j.step_index`.execute(db);
  return rows;
}

/**
 * Locked in the order of their notifications, so that two transactions that settle messages of the same jobs cannot
 * deadlock.
 */
export async function lockJobs(db: Db, jobs: JobKey[]): Promise<Pick<JobRow, "id" | "status">[]> {
  if (jobs.length === 0) return [];
  const { rows } = await sql<Pick<JobRow, "id" | "status">>`
    select j.id, j.status from ${jobsByKey(jobs, "for update")}`.execute(db);
  return rows;
}

/**
 * The given notifications with a pending or delayed job: it may have become due while the run was busy with an earlier
 * step that was replayed.
 */
export async function findUnfinished(db: Db, notifications: NotificationKey[]): Promise<Set<string>> {
  if (notifications.length === 0) return new Set();
  const { rows } = await sql<{ notification_id: string }>`
    select distinct j.notification_id from ${rowsByKey("jobs", "j", "notification_id", notifications)}
    where j.status in ('pending', 'delayed')`.execute(db);
  return new Set(rows.map((row) => row.notification_id));
}

export type JobUpdate = JobKey & {
  status: JobStatus;
  provider_id: string | null;
  /** Added behind the details already stored. */
  details: StoredDetail[];
  output: JsonObject | null;
  digest: JsonObject | null;
  /** Null leaves what is stored. */
  bridge: JobBridge | null;
  merged_into: string | null;
  wake_at: Date | null;
  updated_at: Date;
};

/** An update that changes only updated_at; the caller adds the changes. */
export const emptyJobUpdate = (
  { environment_id, notification_id, job_id }: JobKey,
  now: Date,
): Omit<JobUpdate, "status"> => ({
  environment_id,
  notification_id,
  job_id,
  provider_id: null,
  details: [],
  output: null,
  digest: null,
  bridge: null,
  merged_into: null,
  wake_at: null,
  updated_at: now,
});

export async function updateJobs(db: Db, updates: JobUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  const { id, step_index, type, ...changing } = columns;
  await sql`
    update jobs j set status = r.status, provider_id = coalesce(r.provider_id, j.provider_id),
      details = j.details || r.details, output = coalesce(r.output, j.output), digest = coalesce(r.digest, j.digest),
      bridge = coalesce(r.bridge, j.bridge), merged_into = r.merged_into, wake_at = r.wake_at, updated_at = r.updated_at
    from ${rowsOf("r", { ...changing, job_id: "uuid" }, updates)}
    where ${hasKeyOf("j", "notification_id", updates)} and j.id = r.job_id`.execute(db);
}
