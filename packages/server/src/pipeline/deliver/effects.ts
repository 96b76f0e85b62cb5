// What follows from one attempt to send, for its message, its job and the queue. Nothing is read or written here: outcome.ts
// writes it, and finds out whether the message is still there for it.
import type { JobStatus } from "@tidings/contract";
import type { Note, Outcome } from "@tidings/providers";
import { emptyJobUpdate, type JobUpdate } from "../../store/events/jobs.batch.ts";
import type { NewDeadLetter } from "../../store/messages/dead-letters.batch.ts";
import type { MessageOutcome } from "../../store/messages/messages.batch.ts";
import type { StoredDetail, StoredMessageStatus } from "../../store/tables.ts";
import type { Batch } from "../batch.ts";
import { chanceIn, type Timed } from "../clock/clock.ts";
import { detail } from "../rules/details.ts";
import { isFinished } from "../run/advance.ts";
import { afterAttempt, type FaultClass, isReplayable, type NextStep } from "./retry.ts";
import type { Settled } from "./settle.ts";
import { copiesLeftOut, whySuppressed } from "./suppressed.ts";

export type Effect = { message: MessageOutcome; job: JobUpdate; deliver?: Timed; deadLetter?: NewDeadLetter };

/** The first word of `<word>_unexpected_error`. */
const errorWords: Record<string, string> = { email: "mail", sms: "sms", chat: "chat", push: "push" };

/** What becomes of a message whose last attempt nobody has settled. */
const unsettled: Outcome = { kind: "unknown", reason: "its last attempt ended without a result" };

function decide({ config, clock }: Batch, settled: Settled): NextStep {
  const { number: attempt, onUnknown, hadUnknown, deadline } = settled;
  const outcome = settled.isSpent ? unsettled : settled.outcome;
  if (settled.suppressed) {
    return { kind: "give_up", reason: whySuppressed(settled.suppressed), class: "recipient" };
  }
  if (outcome === null) {
    const before = settled.message.error_text ? `; ${settled.message.error_text}` : "";
    const reason = `the time in which it may be delivered was over at ${deadline.toISOString()}${before}`;
    return { kind: "give_up", reason, class: "transient" };
  }
  const environmentId = settled.message.environment_id;
  const tried = { attempt, onUnknown, hadUnknown, deadline, now: clock.now(environmentId) };
  return afterAttempt(outcome, tried, config.delivery.retry, chanceIn(clock, environmentId));
}

export function effectOf(batch: Batch, settled: Settled): Effect {
  const { message, integration, insteadOf, number } = settled;
  const at = batch.clock.now(message.environment_id);
  const decision = decide(batch, settled);
  const providerId = integration.provider_id;
  const isRetry = number > 1;
  const outcome = (status: StoredMessageStatus, changes: Partial<MessageOutcome> = {}): MessageOutcome => ({
    id: message.id,
    status,
    error_id: null,
    error_text: null,
    integration_id: integration.id,
    provider_id: providerId,
    provider_message_id: null,
    updated_at: at,
    ...changes,
  });
  const job = (status: JobStatus, details: StoredDetail[], changes: Partial<JobUpdate> = {}): JobUpdate => ({
    ...emptyJobUpdate(message.job_id, at),
    status,
    provider_id: providerId,
    details: [
      ...(insteadOf ? [switched(insteadOf.identifier, "it is paused after failures in a row")] : []),
      ...details,
    ],
    ...changes,
  });
  const switched = (after: string, reason?: string): StoredDetail =>
    detail("next_integration", at, {
      providerId,
      isRetry: true,
      raw: { integration: integration.identifier, after, reason },
    });

  if (decision.kind === "sent") {
    const raw = { providerMessageId: decision.providerMessageId ?? null, attempt: number };
    return {
      message: outcome("sent", { provider_message_id: decision.providerMessageId ?? null }),
      job: job("completed", [
        ...copiesLeftOut(settled.leftOut, at),
        ...(decision.notTaken
          ? [detail("copies_refused", at, { providerId, raw: { refused: decision.notTaken } })]
          : []),
        ...(decision.notes ?? []).map((note) => noteDetail(note, providerId, at)),
        detail("message_sent", at, { providerId, isRetry, raw }),
      ]),
    };
  }
  const { reason } = decision;
  if (decision.kind === "repeat") {
    const until = new Date(at.getTime() + decision.afterMs);
    const raw = { reason, attempt: number, next: until.toISOString() };
    return {
      message: outcome("pending", { error_text: `Will be repeated: ${reason}` }),
      job: job("delayed", [detail("provider_retry", at, { providerId, isRetry: true, raw })], { wake_at: until }),
      deliver: deliverAgain(settled, integration.id, until),
    };
  }
  const failed = settled.suppressed
    ? detail("recipient_suppressed", at, { raw: { reason, suppressionId: settled.suppressed.suppression_id } })
    : detail("provider_error", at, { providerId, isRetry, raw: { reason, attempt: number } });
  const next = decision.kind === "next_integration" ? settled.next : null;
  if (next) {
    const raw = { integration: next.identifier, after: integration.identifier };
    const moved = detail("next_integration", at, { providerId: next.provider_id, isRetry: true, raw });
    return {
      message: outcome("pending", {
        integration_id: next.id,
        provider_id: next.provider_id,
        error_text: `Tried with another integration: ${reason}`,
      }),
      job: job("queued", [failed, moved], { provider_id: next.provider_id }),
      deliver: deliverAgain(settled, next.id),
    };
  }
  return givenUp(batch, settled, decision, { outcome, job, failed }, at);
}

/** What the provider took the message without. */
const noteDetail = ({ about, name, reason }: Note, providerId: string, at: Date): StoredDetail =>
  about === "override"
    ? detail("override_ignored", at, { providerId, raw: { override: name, reason } })
    : detail("attachment_not_inline", at, { providerId, raw: { attachment: name, reason } });

const deliverAgain = ({ message }: Settled, integrationId: string, at?: Date): Timed => ({
  environmentId: message.environment_id,
  data: { messageId: message.id },
  at,
  lane: integrationId,
});

type Fault = { reason: string; class: FaultClass };

type Words = {
  outcome(status: StoredMessageStatus, changes?: Partial<MessageOutcome>): MessageOutcome;
  job(status: JobStatus, details: StoredDetail[]): JobUpdate;
  failed: StoredDetail;
};

/** The end of the road. What neither the recipient nor the content is to blame for can be replayed. */
function givenUp(batch: Batch, settled: Settled, fault: Fault, { outcome, job, failed }: Words, at: Date): Effect {
  const { message, integration } = settled;
  const faultClass = fault.class;
  const canReplay = isReplayable(faultClass);
  const error_id = canReplay ? `${errorWords[message.channel]}_unexpected_error` : "provider_rejected";
  const unsent = settled.isSpent ? "The message is not sent again" : "The message was not sent";
  const subject = settled.outcome ? "The provider did not take the message" : unsent;
  const error_text = `${subject}: ${fault.reason}`;
  const details = [failed];
  if (settled.outcome?.kind === "dead-token") {
    details.push(detail("device_token_removed", at, { providerId: integration.provider_id }));
  }
  if (!canReplay) return { message: outcome("error", { error_id, error_text }), job: job("failed", details) };
  const id = batch.newId();
  details.push(detail("dead_letter", at, { raw: { deadLetterId: id, errorClass: faultClass } }));
  return {
    message: outcome("error", { error_id, error_text }),
    job: job("failed", details),
    deadLetter: {
      id,
      message_id: message.id,
      step_id: settled.stepId,
      provider_id: integration.provider_id,
      integration_id: integration.id,
      error_class: faultClass,
      error_id,
      error_text,
      attempts: settled.attempts,
      created_at: at,
    },
  };
}

/**
 * The message was deleted, withdrawn or confirmed during the call: it is not tried again and leaves no letter. Its job has
 * usually ended with it (`before`) and stays as it is.
 */
export function withdrawn({ message, job }: Effect, before: JobStatus | undefined, at: Date): Effect {
  const details = job.details.filter(({ d }) => d !== "dead_letter");
  if (before !== undefined && isFinished({ status: before })) {
    return { message, job: { ...job, status: before, wake_at: null, details } };
  }
  const canceled = detail("step_canceled", at, { raw: { reason: "the message was withdrawn" } });
  return { message, job: { ...job, status: "canceled", wake_at: null, details: [...details, canceled] } };
}
