// A step that got no response has failed, and its task was set aside as a failed task. Replaying the task opens the
// step again, and the steps behind it that were canceled because it failed.
import { emptyJobUpdate, type JobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import type { Task } from "../../store/queue/queue.ts";
import type { StoredDetail } from "../../store/tables.ts";
import type { Batch } from "../batch.ts";
import { failedStepReason } from "../run/advance.ts";
import type { JobState, Run } from "../run/run.ts";
import type { AskTask } from "../tasks.ts";
import { jobKeyOf } from "./ask.ts";

export async function reopenJobs(
  batch: Batch,
  runs: Run[],
  tasks: Task<AskTask>[],
  asked: (now: Date) => StoredDetail,
): Promise<void> {
  const wanted = new Set(tasks.map(({ data }) => data.jobId));
  const updates: JobUpdate[] = [];
  for (const run of runs) {
    const now = batch.clock.now(run.environmentId);
    const failed = run.jobs.find(
      ({ id, status, bridge }) => wanted.has(id) && status === "failed" && bridge !== null && !bridge.answer,
    );
    if (!failed || run.isWorkflowDeleted || !run.subscriber) continue;
    const change = (job: JobState, changes: Partial<JobUpdate> & Pick<JobUpdate, "status">) => {
      updates.push({ ...emptyJobUpdate(jobKeyOf({ run, job }), now), ...changes });
      job.status = changes.status;
    };
    failed.bridge = { askedAt: now.getTime(), tries: 0 };
    change(failed, { status: "queued", bridge: failed.bridge, details: [asked(now)] });
    for (const job of run.jobs) {
      const isStopped = job.status === "canceled" && job.details.at(-1)?.r?.reason === failedStepReason(failed);
      if (job.stepIndex > failed.stepIndex && isStopped) change(job, { status: "pending" });
    }
  }
  await updateJobs(batch.db, updates);
}
