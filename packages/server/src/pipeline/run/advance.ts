// The core of the engine: a pure function from a run, the facts and the time to the changes that have to be written.
// The stages, the dry-run and the tests all call it; progress.ts loads the facts for a batch and writes the results in
// one transaction.
import { isChannel, type JobStatus } from "@tidings/contract";
import { spanTime } from "../../lib/trace-context.ts";
import { OverBudgetError, withinBudget } from "../../lib/work.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { withinAttention } from "../attention/budget.ts";
import { detail } from "../rules/details.ts";
import { startBridgedStep } from "../steps/bridge.ts";
import { checkGate, checkResend } from "../steps/gate.ts";
import { stepHandlers } from "../steps/registry.gen.ts";
import type { Facts, JobState, Progress, Run, StepInput, StepResult } from "./run.ts";
import { emptySecretDetails } from "./variables.ts";

type Step = (input: StepInput) => StepResult;

/** A message that the step is about to send needs a place in the attention budgets. */
const startStep = (input: StepInput): StepResult => withinAttention(input, runStep);

/** The gate decides whether the step runs at all. */
function runStep(input: StepInput): StepResult {
  if (input.run.version.definition.isBridged) return startBridgedStep(input, stepHandlers[input.job.step.type].run);
  const { stopped, passed } = checkGate(input);
  const result = stopped ?? stepHandlers[input.job.step.type].run(input);
  if (result.kind === "claim") return result;
  const notes = stopped ? passed : [...passed, ...emptySecretDetails(input)];
  return notes.length === 0 ? result : { ...result, details: [...notes, ...result.details] };
}

/** Continues a step whose wait is over. A held channel step starts again: preferences and schedule may have changed. */
const wakeOf = ({ step }: JobState): Step | undefined => stepHandlers[step.type].wake;

/**
 * The job waits for its subscriber's schedule to open. A job that waits for the retry of a delivery is also `delayed`,
 * but it has a provider, and its message has a deliver task.
 */
export const isHeld = (job: Pick<JobState, "status" | "step" | "providerId">): boolean =>
  job.status === "delayed" && isChannel(job.step.type) && job.providerId === null;

/** The job waits for a time at which a `wake` task continues the run. */
export const isSleeping = (job: JobState): boolean =>
  job.status === "delayed" && (wakeOf(job) !== undefined || isHeld(job));

/** Nothing to write. */
export function emptyProgress(run: Run, now: Date): Progress {
  return {
    run,
    now,
    messages: [],
    sending: [],
    wakeAt: null,
    digestedInto: null,
    claim: null,
    asking: null,
    isPaused: false,
  };
}

/**
 * Advances the run until a job has to wait. It changes the run's jobs in place, and nothing else. Between two steps
 * `isPauseDue` is checked; a run that paused continues from there when it is advanced again.
 */
export function advance(run: Run, facts: Facts, now: Date, isPauseDue: () => boolean = () => false): Progress {
  const progress = emptyProgress(run, now);

  for (const job of run.jobs) {
    const isDue = isSleeping(job) && ((job.wakeAt !== null && job.wakeAt <= now) || facts.arrivals.has(job.id));
    if (job.status !== "pending" && !isDue) {
      if (!isFinished(job)) return progress;
      if (job.status === "failed" && stopsRun(job)) cancelAfter(run, job, now);
      continue;
    }
    const reason = cancelReason(run);
    if (reason) {
      cancelFrom(run, job, reason, now);
      return progress;
    }
    const step = (isDue && wakeOf(job)) || startStep;
    const hasNext = applyResult(progress, job, runWithinBudget(step, { run, job, facts, now }), now);
    // After a claim the step runs again, with the result of the claim.
    if (run.trace && !progress.claim) run.trace.steps.push({ job, endedAt: spanTime() });
    if (!hasNext) return progress;
    if (isPauseDue()) return { ...progress, isPaused: true };
  }
  return progress;
}

/**
 * One budget of work for the step's conditions, templates and html. Templates and rules turn an exceeded budget into an
 * own error; here it can only come from the filters of the step or of an integration.
 */
function runWithinBudget(step: Step, input: StepInput): StepResult {
  try {
    return withinBudget(() => step(input));
  } catch (error) {
    if (!(error instanceof OverBudgetError)) throw error;
    return { kind: "failed", details: [detail("condition_failed", input.now, { raw: { reason: error.message } })] };
  }
}

/** What a step would send now, without the gate before it: an existing message is created again. */
export const makeMessages = (input: StepInput): StepResult =>
  runWithinBudget(stepHandlers[input.job.step.type].run, input);

/**
 * What a step sends when it is sent again by hand. `hasConditions`: its own conditions count, because it has not passed
 * them yet.
 */
export const sendAgain = (input: StepInput, hasConditions: boolean): StepResult =>
  runWithinBudget((given) => {
    const stopped = checkResend(given, hasConditions);
    if (stopped) return stopped;
    const run = stepHandlers[given.job.step.type].run;
    return given.run.version.definition.isBridged ? startBridgedStep(given, run) : run(given);
  }, input);

const finished: ReadonlySet<string> = new Set<JobStatus>(["completed", "failed", "skipped", "canceled", "merged"]);

export const isFinished = (job: { status: string }): boolean => finished.has(job.status);

/** Without a response there is no wait, and no result for later steps. */
const stopsRun = ({ step, bridge }: JobState): boolean =>
  step.shouldStopOnFail ||
  (bridge !== null &&
    bridge.answer === undefined &&
    !isChannel(step.type) &&
    !stepHandlers[step.type].continuesOnFailure?.(step.controlValues));

const jobsAfter = (run: Run, job: JobState): JobState[] => run.jobs.slice(run.jobs.indexOf(job) + 1);

function cancelReason(run: Run): string | null {
  if (run.isWorkflowDeleted) return "the workflow was deleted";
  return run.subscriber ? null : "the subscriber was deleted";
}

/** Cancels this job and all later ones that are not finished. */
function cancelFrom(run: Run, first: JobState, reason: string, now: Date): void {
  for (const job of run.jobs.slice(run.jobs.indexOf(first))) {
    if (isFinished(job)) continue;
    job.status = "canceled";
    job.wakeAt = null;
    job.newDetails.push(detail("step_canceled", now, { raw: { reason } }));
  }
}

/** Why the steps behind a failed step are canceled. */
export const failedStepReason = ({ step }: JobState): string => `step ${step.stepId} failed`;

function cancelAfter(run: Run, job: JobState, now: Date): void {
  const [next] = jobsAfter(run, job);
  if (next) cancelFrom(run, next, failedStepReason(job), now);
}

function skipAfter(run: Run, job: JobState, details: StoredDetail[]): void {
  for (const later of jobsAfter(run, job)) {
    later.status = "skipped";
    later.newDetails.push(...details);
  }
}

/** Writes one step's result into the run. True when the next step may start. */
function applyResult(progress: Progress, job: JobState, result: StepResult, now: Date): boolean {
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
      if (result.ends) skipAfter(progress.run, job, [result.ends]);
      return !result.ends;
    case "skipped":
      job.status = "skipped";
      job.output = result.output ?? null;
      if (result.rollUp) job.mergedInto = result.rollUp;
      if (result.stopsChain) skipAfter(progress.run, job, result.details);
      return !result.stopsChain;
    case "failed": {
      job.status = "failed";
      const stops = result.stopsChain || job.step.shouldStopOnFail;
      if (stops) cancelAfter(progress.run, job, now);
      return !stops;
    }
    case "asking":
      job.status = "queued";
      job.bridge = { askedAt: now.getTime(), tries: 0 };
      progress.asking = job.id;
      return false;
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
      for (const later of jobsAfter(progress.run, job)) {
        later.status = "merged";
        later.newDetails.push(...result.details);
      }
      job.mergedInto = result.into;
      progress.digestedInto = result.notificationId;
      return false;
  }
}
