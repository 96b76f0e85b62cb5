// Compares the unchanged replay with what happened, step by step, and names the cause of each deviation. Pure.
import { createHash } from "node:crypto";
import { type BacktestCause, isChannel } from "@tidings/contract";
import { hasPseudonym } from "../../lib/personal/personal-texts.ts";
import { type ConfigurationTimes, fingerprintSeparator } from "../../store/backtests/histories.ts";
import { outcomeCode } from "../rules/step-outcome-text.ts";
import { isFinished } from "../run/advance.ts";
import type { JobState, MessageDraft } from "../run/run.ts";
import { leadMs, type PastRun, type PastStep, type Period, type PersonHistory } from "./history.ts";
import { rollUpNotificationId } from "./places.ts";
import { wasFailedByProvider } from "./responses.ts";
import type { Replayed, ReplayedRun } from "./state.ts";

type Deviation = {
  cause: BacktestCause;
  transactionId: string;
  workflowId: string;
  stepId: string;
  was: string;
  replayed: string;
};

export type Calibrated = { compared: number; equal: number; deviations: Deviation[] };

export function calibratePerson(
  history: PersonHistory,
  replayed: Replayed,
  { period, times }: { period: Period; times: ConfigurationTimes },
): Calibrated {
  const result: Calibrated = { compared: 0, equal: 0, deviations: [] };
  for (const past of history.runs) {
    if (past.isLead) continue;
    const rollUp = past.event.startedBy?.rollUp;
    const one = replayed.runs.get(rollUp ? rollUpNotificationId(rollUp.id) : past.notification.id);
    for (const step of past.steps.values()) {
      // What is open, or ended after the period, cannot be compared.
      if (!isFinished(step.job) || step.job.updated_at.getTime() >= period.to) continue;
      result.compared++;
      const job = one?.run.jobs.find((own) => own.step.stepId === step.step.stepId);
      const [was, is] = [wordOf(step), job ? wordOfReplayed(job) : "not begun"];
      if (job && was === is && hasSameContent(step, job, one!.messages)) {
        result.equal++;
        continue;
      }
      result.deviations.push({
        cause: causeOf(history, past, { step, replayed: one, answers: replayed.answers, period, times }),
        transactionId: past.event.transactionId,
        workflowId: past.version.definition.workflowId,
        stepId: step.step.stepId,
        was: was === is ? `${was}, with different content` : was,
        replayed: is,
      });
    }
  }
  return result;
}

const wordOf = ({ step, job }: PastStep): string =>
  word(outcomeCode({ step, status: job.status, details: job.details }));

const wordOfReplayed = ({ step, status, newDetails }: JobState): string =>
  word(outcomeCode({ step, status, details: newDetails }));

/** Why a step was skipped is a part of its outcome; a message that was sent has details of its receipts. */
const word = ({ outcome, code }: { outcome: string; code: string | null }): string =>
  outcome === "skipped" ? `skipped: ${code}` : outcome;

function hasSameContent(past: PastStep, job: JobState, drafts: MessageDraft[]): boolean {
  if (job.step.type === "digest") return countOf(past.job.output) === countOf(job.output);
  if (!isChannel(job.step.type) || past.job.status !== "completed") return true;
  // Deleted by its reader, or replaced by a correction.
  if (past.messages.length === 0 || past.messages.some(({ was_changed }) => was_changed)) return true;
  const own = drafts.filter(({ jobId }) => jobId === job.id).map(fingerprintOf);
  const stored = past.messages.map(({ fingerprint }) => fingerprint);
  return own.length === stored.length && own.sort().join() === stored.sort().join();
}

const countOf = (output: PastStep["job"]["output"]): number => Number(output?.eventCount ?? 0);

const fingerprintOf = ({ subject, content }: MessageDraft): string =>
  createHash("md5")
    .update(`${subject ?? ""}${fingerprintSeparator}${content ?? ""}`)
    .digest("hex");

type Around = {
  step: PastStep;
  replayed: ReplayedRun | undefined;
  answers: Replayed["answers"];
  period: Period;
  times: ConfigurationTimes;
};

/** The first that applies. */
function causeOf(history: PersonHistory, past: PastRun, around: Around): BacktestCause {
  const { step, replayed, period, times } = around;
  const startedAt = past.notification.created_at;
  const isAfter = (time: string | Date | null | undefined) =>
    time !== null && time !== undefined && new Date(time) > startedAt;
  const jobs = [...past.steps.values()];
  const details = jobs.flatMap(({ job }) => job.details);
  if (past.isErased || hasPseudonym(past.event.payload)) return "payload_erased";
  if (replayed?.run.jobs.some(isAssumed)) return "answer_assumed";
  if (details.some(({ d }) => d === "step_canceled" || d === "resent" || d === "digest_closed_early"))
    return "canceled";
  if (jobs.some(wasFailedByProvider)) return "provider_failed";
  if (isAfter(history.person.updated_at)) return "person_changed";
  if (isAfter(history.preferencesAt)) return "preferences_changed";
  if (isAfter(times.integrations[step.step.type])) return "integration_changed";
  if (isAfter(times.workflows[past.version.workflowId])) return "workflow_changed";
  if (isAfter(times.others)) return "configuration_changed";
  const keeps = jobs.some(({ step: { type } }) => keeping.has(type)) || past.event.startedBy?.rollUp !== undefined;
  // An open digest or a count may have begun before what was read.
  if (keeps && startedAt.getTime() < period.from + leadMs && history.runs.some(({ isLead }) => isLead)) {
    return "open_before";
  }
  return "unknown";
}

const keeping: ReadonlySet<string> = new Set(["digest", "throttle", "delay", "wait"]);

const isAssumed = ({ newDetails }: JobState): boolean =>
  newDetails.some(({ d, r }) => d === "request_assumed" || (d === "bridge_failed" && r?.isAssumed === true));
