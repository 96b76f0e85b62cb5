// A step that got no content from its bridge has failed, and its task was set aside as a failed task. Replaying the
// task opens the step again, and the steps behind it that were canceled because it failed.
import { emptyJobUpdate, type JobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import type { Task } from "../../store/queue/queue.ts";
import type { Batch } from "../batch.ts";
import { detail } from "../rules/details.ts";
import { failedStepReason } from "../run/advance.ts";
import type { JobState, Run } from "../run/run.ts";
import type { BridgeTask } from "../tasks.ts";

export async function reopenJobs(batch: Batch, runs: Run[], tasks: Task<BridgeTask>[]): Promise<void> {
  const wanted = new Set(tasks.map(({ data }) => data.jobId));
  const updates: JobUpdate[] = [];
  for (const run of runs) {
    const now = batch.clock.now(run.environmentId);
    const failed = run.jobs.find(
      ({ id, status, bridge }) => wanted.has(id) && status === "failed" && bridge !== null && !bridge.answer,
    );
    if (!failed || run.isWorkflowDeleted || !run.subscriber) continue;
    const change = (job: JobState, changes: Partial<JobUpdate> & Pick<JobUpdate, "status">) => {
      const key = { environment_id: run.environmentId, notification_id: run.notificationId, job_id: job.id };
      updates.push({ ...emptyJobUpdate(key, now), ...changes });
      job.status = changes.status;
    };
    failed.bridge = { askedAt: now.getTime(), tries: 0 };
    change(failed, { status: "queued", bridge: failed.bridge, details: [detail("bridge_asked", now)] });
    for (const job of run.jobs) {
      const isStopped = job.status === "canceled" && job.details.at(-1)?.r?.reason === failedStepReason(failed);
      if (job.stepIndex > failed.stepIndex && isStopped) change(job, { status: "pending" });
    }
  }
  await updateJobs(batch.db, updates);
}
