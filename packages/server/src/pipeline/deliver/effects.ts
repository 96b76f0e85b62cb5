// What follows from one attempt to send: the changes of its message and job, the next deliver task, a dead letter.
// Nothing is read or written here: settle.ts writes the effects, and finds out whether the message still exists.
import type { JobStatus } from "@tidings/contract";
import type { Note, Outcome } from "@tidings/providers";
import { emptyJobUpdate, type JobUpdate } from "../../store/events/jobs.batch.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { RowKey } from "../../store/keys.ts";
import type { NewDeadLetter } from "../../store/messages/dead-letters.batch.ts";
import type { MessageOutcome } from "../../store/messages/messages.batch.ts";
import type { StoredDetail, StoredMessageStatus } from "../../store/tables.ts";
import type { Batch } from "../batch.ts";
import { randomFor, type Timed } from "../clock/clock.ts";
import { detail } from "../rules/details.ts";
import { isFinished } from "../run/advance.ts";
import { type DeliverTask, rankIn } from "../tasks.ts";
import type { FinishedSend } from "./plan.ts";
import { removedCopyDetails, suppressionRaw, suppressionReason } from "./recipients.ts";
import { decideAfterAttempt, type Failure, isReplayable, type NextStep } from "./retry.ts";

export type Effect = { message: MessageOutcome; job: JobUpdate; deliver?: Timed; deadLetter?: NewDeadLetter };

export function effectOf(batch: Batch, finished: FinishedSend): Effect {
  const at = batch.clock.now(finished.message.environment_id);
  const step = decideNextStep(batch, finished);
  switch (step.kind) {
    case "sent":
      return sentEffect(finished, step, at);
    case "retry":
      return retryEffect(finished, step, at);
    case "next_integration":
      return finished.next
        ? failoverEffect(finished, finished.next, step, at)
        : giveUpEffect(batch, finished, step, at);
    case "give_up":
      return giveUpEffect(batch, finished, step, at);
  }
}

/** The outcome of a message whose attempts are used up, without a result of the last one. */
const missingResult: Outcome = { kind: "unknown", reason: "its last attempt ended without a result" };

/** An attempt chooses its integration anew: one that is no longer in use is not called. */
const offOutcome = ({ integration }: FinishedSend): Outcome => ({
  kind: "rejected",
  class: "config",
  reason: `integration ${integration.identifier} was switched off or deleted`,
});

function decideNextStep({ config, clock }: Batch, finished: FinishedSend): NextStep {
  const { message, number: attempt, onUnknown, hadUnknown, deadline, suppressed } = finished;
  if (suppressed) return { kind: "give_up", reason: suppressionReason(suppressed), class: "recipient" };
  const outcome = finished.isSpent ? missingResult : finished.isOff ? offOutcome(finished) : finished.outcome;
  if (outcome === null) {
    const before = message.error_text ? `; ${message.error_text}` : "";
    const since = message.replayed_at ?? message.created_at;
    const seconds = Math.round((clock.now(message.environment_id).getTime() - since.getTime()) / 1000);
    const waited = finished.attempts > 0 ? "" : `; it waited ${seconds} s without an attempt`;
    const reason = `the time in which it may be delivered was over at ${deadline.toISOString()}${waited}${before}`;
    return { kind: "give_up", reason, class: "transient" };
  }
  const tried = { attempt, onUnknown, hadUnknown, deadline, now: clock.now(message.environment_id) };
  return decideAfterAttempt(outcome, tried, config.delivery.retry, randomFor(clock, message.environment_id));
}

type StepOf<Kind extends NextStep["kind"]> = Extract<NextStep, { kind: Kind }>;

function sentEffect(finished: FinishedSend, { refusedCopies, notes, ...step }: StepOf<"sent">, at: Date): Effect {
  const { integration, number, leftOut } = finished;
  const providerMessageId = step.providerMessageId ?? null;
  const providerId = integration.provider_id;
  const refused = refusedCopies ? [detail("copies_refused", at, { providerId, raw: { refused: refusedCopies } })] : [];
  const sent = detail("message_sent", at, {
    providerId,
    isRetry: number > 1,
    raw: { providerMessageId, attempt: number },
  });
  return {
    message: outcomeOf(finished, "sent", at, { provider_message_id: providerMessageId }),
    job: jobUpdate(finished, "completed", at, [
      ...removedCopyDetails(leftOut, at),
      ...refused,
      ...(notes ?? []).map((note) => noteDetail(note, providerId, at)),
      sent,
    ]),
  };
}

function retryEffect(finished: FinishedSend, { reason, afterMs, class: cause }: StepOf<"retry">, at: Date): Effect {
  const { integration, number } = finished;
  const until = new Date(at.getTime() + afterMs);
  const raw = { reason, attempt: number, next: until.toISOString(), integrationId: integration.id, ...doubtIn(cause) };
  const retried = detail("provider_retry", at, { providerId: integration.provider_id, isRetry: true, raw });
  return {
    message: outcomeOf(finished, "pending", at, { error_text: `Will be repeated: ${reason}` }),
    job: { ...jobUpdate(finished, "delayed", at, [retried]), wake_at: until },
    deliver: deliverTask(finished, integration, until),
  };
}

function failoverEffect(finished: FinishedSend, next: IntegrationRow, failure: Failure, at: Date): Effect {
  const details = [failureDetail(finished, failure, at), switchDetail(next, finished.integration, at)];
  return {
    message: outcomeOf({ ...finished, integration: next }, "pending", at, {
      error_text: `Tried with another integration: ${failure.reason}`,
    }),
    job: { ...jobUpdate(finished, "queued", at, details), provider_id: next.provider_id },
    deliver: deliverTask(finished, next),
  };
}

/** The first word of `<word>_unexpected_error`. */
const errorWords: Record<string, string> = { email: "mail", sms: "sms", chat: "chat", push: "push" };

/** The message has failed. It becomes a dead letter, unless the failure is of its recipient or content. */
function giveUpEffect(batch: Batch, finished: FinishedSend, failure: Failure, at: Date): Effect {
  const { message, integration, outcome } = finished;
  const error_id = isReplayable(failure.class)
    ? `${errorWords[message.channel]}_unexpected_error`
    : "provider_rejected";
  const unsent = finished.isSpent ? "The message is not sent again" : "The message was not sent";
  const error_text = `${outcome ? "The provider did not take the message" : unsent}: ${failure.reason}`;
  const details = [failureDetail(finished, failure, at)];
  if (outcome?.kind === "dead-token") {
    details.push(detail("device_token_removed", at, { providerId: integration.provider_id }));
  }
  const failed = outcomeOf(finished, "error", at, { error_id, error_text });
  if (!isReplayable(failure.class)) return { message: failed, job: jobUpdate(finished, "failed", at, details) };
  const deadLetter: NewDeadLetter = {
    id: batch.newId(),
    environment_id: message.environment_id,
    message_id: message.id,
    step_id: finished.stepId,
    provider_id: integration.provider_id,
    integration_id: integration.id,
    error_class: failure.class,
    error_id,
    error_text,
    attempts: finished.attempts,
    created_at: at,
  };
  const raw = { deadLetterId: deadLetter.id, errorClass: failure.class, integrationId: integration.id };
  details.push(detail("dead_letter", at, { raw }));
  return { message: failed, job: jobUpdate(finished, "failed", at, details), deadLetter };
}

/**
 * The effect when the message was deleted, canceled or confirmed during the call: no retry and no dead letter. Its job
 * has usually ended with it (`jobStatus`) and keeps its status.
 */
export function cancelEffect({ message, job }: Effect, jobStatus: JobStatus | undefined, at: Date): Effect {
  const details = job.details.filter(({ d }) => d !== "dead_letter");
  if (jobStatus !== undefined && isFinished({ status: jobStatus })) {
    return { message, job: { ...job, status: jobStatus, wake_at: null, details } };
  }
  const canceled = detail("step_canceled", at, { raw: { reason: "the message was withdrawn" } });
  return { message, job: { ...job, status: "canceled", wake_at: null, details: [...details, canceled] } };
}

type OutcomeFacts = {
  message: RowKey;
  integration: Pick<IntegrationRow, "id" | "provider_id">;
  status: StoredMessageStatus;
  at: Date;
};

/** The new state of a message; columns that `changes` does not name are emptied. */
export function messageOutcome(
  { message: { environment_id, id }, integration, status, at }: OutcomeFacts,
  changes: Partial<MessageOutcome>,
): MessageOutcome {
  return {
    environment_id,
    id,
    status,
    error_id: null,
    error_text: null,
    integration_id: integration.id,
    provider_id: integration.provider_id,
    provider_message_id: null,
    updated_at: at,
    ...changes,
  };
}

const outcomeOf = (
  { message, integration }: FinishedSend,
  status: StoredMessageStatus,
  at: Date,
  changes: Partial<MessageOutcome>,
): MessageOutcome => messageOutcome({ message, integration, status, at }, changes);

function jobUpdate(finished: FinishedSend, status: JobStatus, at: Date, details: StoredDetail[]): JobUpdate {
  const { message, integration, insteadOf } = finished;
  const paused = insteadOf ? [switchDetail(integration, insteadOf, at, "it is paused after failures in a row")] : [];
  return {
    ...emptyJobUpdate(message, at),
    status,
    provider_id: integration.provider_id,
    details: [...paused, ...details],
  };
}

const deliverTask = ({ message, task }: FinishedSend, integration: IntegrationRow, at?: Date): Timed => ({
  environmentId: message.environment_id,
  data: { messageIds: [message.id], ...rankIn(task.data) } satisfies DeliverTask,
  at,
  lane: integration.id,
});

const switchDetail = (to: IntegrationRow, from: IntegrationRow, at: Date, reason?: string): StoredDetail =>
  detail("next_integration", at, {
    providerId: to.provider_id,
    isRetry: true,
    raw: { integration: to.identifier, after: from.identifier, ...(reason ? { reason } : {}) },
  });

/** Without a response, nobody knows whether the message was sent: if it is canceled then, its step says so. */
const doubtIn = (cause: Failure["class"]) => (cause === "unknown" ? { errorClass: cause } : {});

function failureDetail(
  { integration, number, suppressed }: FinishedSend,
  { reason, class: cause }: Failure,
  at: Date,
): StoredDetail {
  if (suppressed) return detail("recipient_suppressed", at, { raw: { reason, ...suppressionRaw(suppressed) } });
  const raw = { reason, attempt: number, integrationId: integration.id, ...doubtIn(cause) };
  return detail(cause === "recipient" ? "recipient_refused" : "provider_error", at, {
    providerId: integration.provider_id,
    isRetry: number > 1,
    raw,
  });
}

/** A part of the message that the provider did not use. */
const noteDetail = ({ about, name, reason }: Note, providerId: string, at: Date): StoredDetail =>
  about === "override"
    ? detail("override_ignored", at, { providerId, raw: { override: name, reason } })
    : detail("attachment_not_inline", at, { providerId, raw: { attachment: name, reason } });
