import type { JobUpdate } from "../../../../src/store/events/jobs.batch.ts";
import type { JobRow } from "../../../../src/store/events/jobs.ts";
import type { JobKey, NotificationKey } from "../../../../src/store/keys.ts";
import { rowsStatement, stored } from "../../world/session.ts";

export * from "../../../../src/store/events/jobs.batch.ts";

const byStep = (a: JobRow, b: JobRow): number =>
  a.notification_id === b.notification_id
    ? a.step_index - b.step_index
    : a.notification_id < b.notification_id
      ? -1
      : 1;

export const findJobsOfBatch = rowsStatement(
  "findJobsOfBatch",
  () => [],
  (tx, keys: NotificationKey[]): JobRow[] => {
    const ids = new Set(keys.map((key) => key.notification_id));
    return tx.where<JobRow>("jobs", (job) => ids.has(job.notification_id)).sort(byStep);
  },
);

export const lockJobs = rowsStatement(
  "lockJobs",
  () => [],
  async (tx, keys: JobKey[]): Promise<Pick<JobRow, "id" | "status">[]> => {
    const ids = new Set(keys.map((key) => key.job_id));
    const jobs = await tx.lockWhere<JobRow>("jobs", ({ id }) => ids.has(id));
    return jobs.map(({ id, status }) => ({ id, status }));
  },
);

export const findUnfinished = rowsStatement(
  "findUnfinished",
  () => new Set<string>(),
  (tx, keys: NotificationKey[]): Set<string> => {
    const ids = new Set(keys.map((key) => key.notification_id));
    const open = tx.where<JobRow>(
      "jobs",
      (job) => ids.has(job.notification_id) && (job.status === "pending" || job.status === "delayed"),
    );
    return new Set(open.map((job) => job.notification_id));
  },
);

export const updateJobs = rowsStatement(
  "updateJobs",
  () => undefined,
  async (tx, updates: JobUpdate[]): Promise<void> => {
    for (const update of updates) {
      await tx.change<JobRow>("jobs", update.job_id, (job) => ({
        status: update.status,
        provider_id: update.provider_id ?? job.provider_id,
        details: [...job.details, ...stored(update.details)],
        output: stored(update.output) ?? job.output,
        digest: stored(update.digest) ?? job.digest,
        bridge: stored(update.bridge) ?? job.bridge,
        merged_into: update.merged_into,
        wake_at: update.wake_at,
        updated_at: update.updated_at,
      }));
    }
  },
);
