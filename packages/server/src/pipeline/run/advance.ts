// The core of the engine: a pure function from a run, the facts and the time to what has to happen. Delivery, dry-run,
// explain and tests all call this one; the shells around it load facts for a batch and write results in one transaction.
import { isChannel, type StepType } from "@tidings/contract";
import { OverBudget, withinBudget } from "../../lib/work.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { detail } from "../rules/details.ts";
import { runChat } from "../steps/chat.ts";
import { runCustom } from "../steps/custom.ts";
import { finishDelay, runDelay } from "../steps/delay.ts";
import { closeDigest, runDigest } from "../steps/digest.ts";
import { runEmail } from "../steps/email.ts";
import { gate } from "../steps/gate.ts";
import { runInApp } from "../steps/in-app.ts";
import { runPush } from "../steps/push.ts";
import { runSms } from "../steps/sms.ts";
import { runThrottle } from "../steps/throttle.ts";
import type { Facts, JobState, Progress, Run, StepInput, StepResult } from "./run.ts";

type Step = (input: StepInput) => StepResult;

const steps: Record<StepType, Step> = {
  in_app: runInApp,
  email: runEmail,
  sms: runSms,
  push: runPush,
  chat: runChat,
  delay: runDelay,
  digest: runDigest,
  throttle: runThrottle,
  custom: runCustom,
};

/** Every step first asks whether it may run at all. */
const start: Step = (input) => {
  const { stopped, passed } = gate(input);
  const result = stopped ?? steps[input.job.step.type](input);
  return result.kind === "claim" || passed.length === 0
    ? result
    : { ...result, details: [...passed, ...result.details] };
};

/** What a step does when the time it waited for has come. A held channel step starts anew: everything may have changed. */
const wake: Partial<Record<StepType, Step>> = { delay: finishDelay, digest: closeDigest };

/**
 * Waits for its subscriber's schedule to open, as opposed to a message that waits for the repeat of its delivery: that one
 * has its provider, and its own task.
 */
export const isHeld = (job: Pick<JobState, "status" | "step" | "providerId">): boolean =>
  job.status === "delayed" && isChannel(job.step.type) && job.providerId === null;

/** Waits for a time at which the run itself goes on. */
export const isSleeping = (job: JobState): boolean =>
  job.status === "delayed" && (job.step.type in wake || isHeld(job));

/** What a run needs written when it did not get any further. */
export const noProgress = (run: Run, now: Date): Progress => ({
  run,
  now,
  messages: [],
  sending: [],
  wakeAt: null,
  digestedInto: null,
  claim: null,
  isPaused: false,
});

/**
 * Takes the run as far as it goes without waiting. The run's jobs are changed in place; nothing else is touched. Between
 * two steps it asks whether a pause is due; a run that paused goes on from there when it is advanced again.
 */
export function advance(run: Run, facts: Facts, now: Date, isPauseDue: () => boolean = () => false): Progress {
  const progress = noProgress(run, now);

  for (const job of run.jobs) {
    const isDue = isSleeping(job) && job.wakeAt !== null && job.wakeAt <= now;
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
    const step = (isDue && wake[job.step.type]) || start;
    if (!apply(progress, job, runWithinBudget(step, { run, job, facts, now }), now)) return progress;
    if (isPauseDue()) return { ...progress, isPaused: true };
  }
  return progress;
}

/**
 * One budget of work for all that the step evaluates: its conditions, its templates, its html. Templates and rules tell
 * themselves that it is used up; what is left are the filters of steps and integrations.
 */
function runWithinBudget(step: Step, input: StepInput): StepResult {
  try {
    return withinBudget(() => step(input));
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error;
    return { kind: "failed", details: [detail("condition_failed", input.now, { raw: { reason: error.message } })] };
  }
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

function skipBehind(run: Run, job: JobState, details: StoredDetail[]): void {
  for (const behind of run.jobs.slice(run.jobs.indexOf(job) + 1)) {
    behind.status = "skipped";
    behind.newDetails.push(...details);
  }
}

/** Writes one step's result into the run. Answers whether the next step may begin. */
function apply(progress: Progress, job: JobState, result: StepResult, now: Date): boolean {
  if (result.kind === "claim") {
    progress.claim = result.claim;
    return false;
  }
  job.newDetails.push(...result.details);
  if ("message" in result && result.message) progress.messages.push(result.message);
  if ("messages" in result) progress.messages.push(...result.messages);
  if ("digest" in result && result.digest) job.digest = result.digest;
  job.wakeAt = null;

  switch (result.kind) {
    case "done":
      job.status = "completed";
      job.output = result.output ?? null;
      return true;
    case "skipped":
      job.status = "skipped";
      job.output = result.output ?? null;
      if (result.stopsChain) skipBehind(progress.run, job, result.details);
      return !result.stopsChain;
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
      for (const message of result.messages) if (message.status === "pending") progress.sending.push(message.id);
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
