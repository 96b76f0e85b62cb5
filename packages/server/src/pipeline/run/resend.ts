// One step of a run, sent again by hand: its messages are created again, by the version of the workflow that the event
// began with, for the current subscriber. They are new messages with their own ids, since a provider may drop a
// message whose id it knows. No other step of the run starts because of it.
import { type Channel, isChannel, maxResends, resendPauseSeconds } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { normalizeAddress } from "../../lib/addresses.ts";
import { createAddressHashes } from "../../lib/suppression-hash.ts";
import { unpackFinishedJobs } from "../../store/events/finished-jobs.batch.ts";
import { lockJobs } from "../../store/events/jobs.batch.ts";
import { lockNotifications } from "../../store/events/notifications.batch.ts";
import { hurryProbes } from "../../store/integrations/breakers.batch.ts";
import type { RowKey } from "../../store/keys.ts";
import { findOpenAttempts } from "../../store/messages/attempts.batch.ts";
import { closeLettersOf } from "../../store/messages/dead-letters.ts";
import { holdPendingMessages, recordOutcomes } from "../../store/messages/messages.batch.ts";
import { findMessagesOfNotification, type StoredMessage } from "../../store/messages/messages.ts";
import { findSuppression, type SuppressionRow } from "../../store/subscribers/suppressions.ts";
import { type Batch, openBatch } from "../batch.ts";
import { messageOutcome } from "../deliver/effects.ts";
import { detail } from "../rules/details.ts";
import { describeStep } from "../rules/step-outcome-text.ts";
import { emptyProgress, isFinished, isHeld, sendAgain } from "./advance.ts";
import { loadDigests } from "./digests.ts";
import { loadFacts } from "./facts.ts";
import { writeProgress } from "./progress.ts";
import type { JobState, MessageDraft, Run, StepResult } from "./run.ts";
import { loadRuns } from "./wake.ts";

export type Resend =
  | { kind: "resent"; run: Run; channel: Channel; isSent: boolean; messageIds: string[] }
  | { kind: "not_found" | "limit" }
  /** The step cannot be sent again at all, is being sent, or a rule keeps it from being sent. */
  | { kind: "impossible" | "busy" | "refused"; reason: string };

/** The most messages of a notification: as many as an explanation reads. */
const maxMessages = 1_000;

type Job = { run: Run; job: JobState; channel: Channel };

/**
 * `by`: the name of the member, or of the API key. The notification is locked: a second call finds what the first
 * wrote.
 */
export async function resendStep(tx: Ctx, key: RowKey, stepId: string, by: string): Promise<Resend> {
  const [notification] = await lockNotifications(tx.db, [key]);
  if (!notification) return { kind: "not_found" };
  if (notification.finished_jobs) await unpackFinishedJobs(tx.db, notification);
  const [run] = await loadRuns(tx, [key]);
  const job = run?.jobs.find(({ step }) => step.stepId === stepId);
  if (!run || !job) return { kind: "not_found" };
  const refusal = checkJob(run, job, tx.now());
  if (refusal) return refusal;
  const messages = (await findMessagesOfNotification(tx.db, key.environment_id, notification, maxMessages)).filter(
    (message) => message.job_id === job.id,
  );
  const found = { run, job, channel: job.step.type as Channel };
  const pending = await holdPending(tx, found, messages);
  if (pending === null) return { kind: "busy", reason: "its message is on its way to the provider" };
  const batch = await openBatch(tx, [run.environmentId]);
  const result = await makeAgain(batch, found);
  const drafts = await checkResult(batch, found, result);
  if ("kind" in drafts) return drafts;
  await replaceMessages(batch, found, { pending, drafts, by });
  await closeLettersOf(
    tx.db,
    run.environmentId,
    messages.map(({ id }) => id),
    batch.clock.now(run.environmentId),
  );
  await writeMessages(batch, found, { drafts, result, by });
  const messageIds = drafts.map(({ id }) => id);
  return { kind: "resent", run, channel: found.channel, isSent: result.kind === "done", messageIds };
}

/** Why the step cannot be sent again, whatever its content. */
function checkJob(run: Run, job: JobState, now: Date): Resend | null {
  const { step, status, details, bridge } = job;
  const impossible = (reason: string): Resend => ({ kind: "impossible", reason });
  if (!isChannel(step.type)) return impossible(`a ${step.type} step sends nothing`);
  if (run.isWorkflowDeleted) return impossible("its workflow was deleted");
  if (!run.subscriber) return impossible("its subscriber was deleted");
  if (status === "pending") return impossible("it has not begun; a step before it has not ended");
  if (status === "canceled") return impossible("it was canceled");
  if (status === "merged")
    return impossible("its event was merged into a digest; send the step of the digest's run again");
  if (status === "queued" || status === "running") {
    return { kind: "busy", reason: "its message is on its way to the provider" };
  }
  if (run.version.definition.isBridged && !bridge?.answer) {
    return impossible("its content comes from your code, which returned none; trigger a new event instead");
  }
  const goesOn = run.jobs.some((other) => other.stepIndex > job.stepIndex && !isFinished(other));
  if (status === "completed" && step.shouldStopOnFail && goesOn) {
    return impossible(
      "later steps still wait, and would be canceled if it failed this time; wait until they have ended",
    );
  }
  const earlier = details.filter(({ d }) => d === "resent");
  if (earlier.length >= maxResends) return { kind: "limit" };
  // In real time: the clock of an environment may appear still.
  const lastAt = Number(earlier.at(-1)?.r?.at ?? 0);
  if (lastAt > now.getTime() - resendPauseSeconds * 1_000) {
    return { kind: "busy", reason: `it was sent again a moment ago by ${earlier.at(-1)!.r!.by}` };
  }
  return null;
}

/**
 * Locks the messages that wait for their provider; null when one of them is being sent, or the step has ended
 * meanwhile.
 */
async function holdPending(tx: Ctx, { run, job }: Job, messages: StoredMessage[]): Promise<StoredMessage[] | null> {
  const waiting = messages.filter(({ status }) => status === "pending");
  const pending = await holdPendingMessages(tx.db, waiting);
  const isCalled = (await findOpenAttempts(tx.db, run.environmentId, pending)).length > 0;
  const key = { environment_id: run.environmentId, notification_id: run.notificationId, job_id: job.id };
  const [stored] = await lockJobs(tx.db, [key]);
  return isCalled || stored?.status !== job.status ? null : pending;
}

async function makeAgain(batch: Batch, { run, job }: Job): Promise<StepResult> {
  // A step that never came to its content has its conditions before it; one that did has passed them.
  const hasConditions = job.status === "skipped" || isHeld(job);
  const status = job.status;
  // Facts are loaded for steps that may still run. A digest of the run that is due stays open: the run itself closes
  // it.
  job.status = "pending";
  const ended = { ...run, jobs: run.jobs.filter((one) => isFinished(one) && one.status !== "canceled") };
  const facts = await loadFacts(batch, [run], new Map(), { digests: await loadDigests(batch, [ended]) });
  const result = sendAgain({ run, job, facts, now: batch.clock.now(run.environmentId) }, hasConditions);
  job.status = status;
  return result;
}

const causes: Record<SuppressionRow["reason"], string> = {
  bounce: "after a hard bounce",
  complaint: "after a complaint",
  manual: "by hand",
};

/** The messages to send, or why there are none. */
async function checkResult(
  { db, secrets }: Batch,
  { run, job, channel }: Job,
  result: StepResult,
): Promise<MessageDraft[] | Resend> {
  const refused = (reason: string): Resend => ({ kind: "refused", reason });
  if (result.kind === "done") return result.message ? [result.message] : refused("the step made no message");
  if (result.kind !== "sending") {
    if (!("details" in result)) return refused("the step made no message");
    const { name, stepId, type } = job.step;
    const status = result.kind === "failed" ? "failed" : "skipped";
    const described = { step: { name, stepId, type }, status, providerId: null, wakeAt: null } as const;
    const settings = { tense: "dry-run", workflow: run.version.definition.workflowId } as const;
    const { reason } = describeStep({ ...described, details: result.details }, settings, { next: [] });
    const text = result.kind === "failed" ? result.message?.errorText : undefined;
    return refused(text ?? reason);
  }
  const [first] = result.messages;
  if ((channel === "email" || channel === "sms") && first?.address) {
    const suppression = await findSuppression(
      db,
      run.environmentId,
      { channel, address: first.address },
      createAddressHashes(secrets),
    );
    if (suppression) {
      return refused(
        `${normalizeAddress(first.address)} was put on the suppression list ${causes[suppression.reason]}; take it off the list first`,
      );
    }
  }
  return result.messages;
}

/**
 * Messages that waited are replaced. An integration that is paused after failures is tried with the new ones at once.
 */
async function replaceMessages(
  batch: Batch,
  { run }: Job,
  { pending, drafts, by }: { pending: StoredMessage[]; drafts: MessageDraft[]; by: string },
): Promise<void> {
  const at = batch.clock.now(run.environmentId);
  await recordOutcomes(
    batch.db,
    pending.map((message) => {
      const integration = { id: message.integration_id!, provider_id: message.provider_id! };
      const changes = { error_text: `Replaced by a new message: sent again by ${by}` };
      return messageOutcome({ message, integration, status: "warning", at }, changes);
    }),
  );
  const used = drafts.flatMap(({ integrationId }) => integrationId ?? []);
  await hurryProbes(batch.db, [...new Set(used)], batch.now());
}

async function writeMessages(
  batch: Batch,
  { run, job }: Job,
  { drafts, result, by }: { drafts: MessageDraft[]; result: StepResult; by: string },
): Promise<void> {
  const now = batch.clock.now(run.environmentId);
  const raw = { by, at: batch.now().getTime(), messageId: drafts[0]!.id };
  job.newDetails.push(detail("resent", now, { raw }), ...("details" in result ? result.details : []));
  job.status = result.kind === "done" ? "completed" : "queued";
  if (result.kind === "sending") job.providerId = result.providerId;
  job.wakeAt = null;
  const sending = drafts.filter(({ status }) => status === "pending").map(({ id }) => id);
  await writeProgress(batch, [{ ...emptyProgress(run, now), messages: drafts, sending }]);
}
