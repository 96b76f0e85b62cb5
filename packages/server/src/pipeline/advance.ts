// The core of the engine: a pure function from a run, the facts and the time to what has to happen. Delivery, dry-run,
// explain and tests all call this one; the shells around it load facts for a batch and write results in one transaction.
import { detail } from "./rules/details.ts";
import type { Facts, JobState, Progress, Run, StepInput, StepResult } from "./run.ts";
import { finishDelay, runDelay } from "./steps/delay.ts";
import { closeDigest, runDigest } from "./steps/digest.ts";
import { runEmail } from "./steps/email.ts";
import { runInApp } from "./steps/in-app.ts";

const start: Record<JobState["step"]["type"], (input: StepInput) => StepResult> = {
  in_app: runInApp,
  email: runEmail,
  delay: runDelay,
  digest: runDigest,
};

/** What a step does when the time it waited for has come. */
const wake: Partial<Record<JobState["step"]["type"], (input: StepInput) => StepResult>> = {
  delay: finishDelay,
  digest: closeDigest,
};

/** Takes the run as far as it goes without waiting. The run's jobs are changed in place; nothing else is touched. */
export function advance(run: Run, facts: Facts, now: Date): Progress {
  const progress: Progress = { run, messages: [], sending: [], wakeAt: null, digestedInto: null, claim: null };

  for (const job of run.jobs) {
    const isDue = job.status === "delayed" && job.wakeAt !== null && job.wakeAt <= now && job.step.type in wake;
    if (job.status !== "pending" && !isDue) {
      if (!isFinished(job)) return progress;
      if (job.status === "failed" && job.step.shouldStopOnFail) stopBehind(run, job, now);
      continue;
    }
    const gone = reasonGone(run);
    if (gone) {
      cancelFrom(run, job, gone, now);
      return progress;
    }
    const step = isDue ? wake[job.step.type]! : start[job.step.type];
    const goesOn = apply(progress, job, step({ run, job, facts, now }), now);
    if (!goesOn) return progress;
  }
  return progress;
}

const finished = new Set(["completed", "failed", "skipped", "canceled", "merged"]);

export const isFinished = (job: { status: string }): boolean => finished.has(job.status);

function reasonGone(run: Run): string | null {
  if (run.isWorkflowDeleted) return "the workflow was deleted";
  return run.subscriber ? null : "the subscriber was deleted";
}

/** Ends this job and those behind it that have not begun. */
function cancelFrom(run: Run, first: JobState, reason: string, now: Date): void {
  for (const job of run.jobs.slice(run.jobs.indexOf(first))) {
    if (isFinished(job)) continue;
    job.status = "canceled";
    job.wakeAt = null;
    job.newDetails.push(detail("step_canceled", now, { raw: { reason } }));
  }
}

function stopBehind(run: Run, job: JobState, now: Date): void {
  const next = run.jobs[run.jobs.indexOf(job) + 1];
  if (next) cancelFrom(run, next, `step ${job.step.stepId} failed`, now);
}

/** Writes one step's result into the run. Answers whether the next step may begin. */
function apply(progress: Progress, job: JobState, result: StepResult, now: Date): boolean {
  if (result.kind === "claim") {
    progress.claim = result.claim;
    return false;
  }
  job.newDetails.push(...result.details);
  if ("message" in result && result.message) progress.messages.push(result.message);
  if ("digest" in result && result.digest) job.digest = result.digest;
  job.wakeAt = null;

  switch (result.kind) {
    case "done":
      job.status = "completed";
      job.output = result.output ?? null;
      return true;
    case "skipped":
      job.status = "skipped";
      return true;
    case "failed": {
      job.status = "failed";
      const stops = result.stopsChain || job.step.shouldStopOnFail;
      if (stops) stopBehind(progress.run, job, now);
      return !stops;
    }
    case "waiting":
      job.status = "delayed";
      job.wakeAt = result.until;
      progress.wakeAt = result.until;
      return false;
    case "sending":
      job.status = "queued";
      job.providerId = result.providerId;
      progress.sending.push(result.message.id);
      return false;
    case "merged":
      job.status = "merged";
      for (const behind of progress.run.jobs.slice(progress.run.jobs.indexOf(job) + 1)) {
        behind.status = "merged";
        behind.newDetails.push(...result.details);
      }
      job.mergedInto = result.into;
      progress.digestedInto = result.notificationId;
      return false;
  }
}
