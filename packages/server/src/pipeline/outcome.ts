// Settling: what one attempt to send means for its message, its job and what happens next. The only place that turns an
// outcome into state.
import type { Outcome } from "@tidings/providers";
import type { Ctx } from "../context.ts";
import { finishAttempts } from "../store/attempts.ts";
import type { Db } from "../store/db.ts";
import { insertDeadLetters, type NewDeadLetter } from "../store/dead-letters.ts";
import { findUnfinished, type JobUpdate, unchanged, updateJobs } from "../store/jobs.ts";
import { type MessageOutcome, recordOutcomes } from "../store/messages.ts";
import { type DeadToken, removeDeviceTokens } from "../store/subscribers.ts";
import type { StoredDetail } from "../store/tables.ts";
import { chanceIn, enqueueTimed, readClock, type Timed } from "./clock.ts";
import { recordHealth } from "./deliver/health.ts";
import { endJobs } from "./deliver/job-ends.ts";
import type { Send } from "./deliver/plan.ts";
import { wakesOf } from "./deliver/withdraw.ts";
import { detail } from "./rules/details.ts";
import { afterAttempt, type FaultClass, isReplayable, type NextStep } from "./rules/retry.ts";
import { whySuppressed } from "./rules/suppressed.ts";
import type { Clock } from "./run.ts";
import { emitMessages, type MessageChange } from "./webhook-events.ts";

/** `outcome` is null when the message was too old to be sent, or its address is suppressed. */
export type Settled = Send & { outcome: Outcome | null };

type Effect = { message: MessageOutcome; job: JobUpdate; deliver?: Timed; deadLetter?: NewDeadLetter };

export async function settle(ctx: Ctx, tx: Db, group: Settled[]): Promise<void> {
  const clock = await readClock(ctx, tx, new Set(group.map(({ message }) => message.environment_id)));
  const at = ({ message }: Settled) => clock.now(message.environment_id);
  await ctx.queue.finish(
    tx,
    "deliver",
    group.map((settled) => settled.task),
  );
  const made = group.filter((settled): settled is Made => settled.outcome !== null);
  await finishAttempts(
    tx,
    made.map((settled) => toResult(settled, at(settled))),
  );
  const intended = group.map((settled) => effectOf(ctx, settled, clock));
  const written = await recordOutcomes(
    tx,
    intended.map((effect) => effect.message),
  );
  const effects = intended.map((effect, index) => {
    const isWithdrawn = effect.message.status === "pending" && !written.has(effect.message.id);
    return isWithdrawn ? withdrawn(effect, at(group[index]!)) : effect;
  });
  const { updates, ended } = await endJobs(
    tx,
    effects.map(({ job }, index) => ({ channel: group[index]!.message.channel, update: job })),
  );
  await updateJobs(tx, updates);
  await emitMessages(
    ctx,
    tx,
    group.flatMap((settled, index) => eventsOf(settled, effects[index]!.message, written)),
  );
  await insertDeadLetters(
    tx,
    effects.flatMap((effect) => (effect.deadLetter && written.has(effect.message.id) ? effect.deadLetter : [])),
  );
  await removeDeviceTokens(tx, group.flatMap(deadTokenOf), ctx.now());
  await recordHealth(ctx, tx, made);
  await enqueueTimed(
    ctx,
    tx,
    clock,
    "deliver",
    effects.flatMap((effect) => effect.deliver ?? []),
  );
  const over = group.flatMap(({ message }) => (ended.has(message.job_id) ? message : []));
  // Most messages are the last step of their run: there is nothing left to wake.
  const unfinished = await findUnfinished(tx, [...new Set(over.map((message) => message.notification_id))]);
  const runs = over.flatMap(({ notification_id, environment_id }) =>
    unfinished.has(notification_id) ? [[notification_id, environment_id] as const] : [],
  );
  await enqueueTimed(ctx, tx, clock, "wake", wakesOf(new Map(runs)));
  for (const [index, { message }] of effects.entries()) {
    if (message.status === "pending") continue;
    ctx.metrics.messages.inc({ channel: group[index]!.message.channel, status: message.status });
  }
}

/** A message that is to be tried again has not happened yet; one that was deleted meanwhile is nobody's news. */
function eventsOf({ message, outcome }: Settled, end: MessageOutcome, written: Set<string>): MessageChange[] {
  if (end.status === "pending" || !written.has(end.id)) return [];
  const event = { environmentId: message.environment_id, messageId: end.id, at: end.updated_at };
  if (end.status === "sent") return [{ ...event, type: "message.sent" }];
  const isInvalidToken = outcome?.kind === "dead-token";
  const push = message.channel === "push" ? { push: { isInvalidToken, deviceToken: message.address ?? "" } } : {};
  return [{ ...event, type: "message.failed", error: { message: end.error_text ?? "", ...push } }];
}

type Made = Send & { outcome: Outcome };

const toResult = ({ attemptId, outcome }: Made, at: Date) => ({
  id: attemptId!,
  finished_at: at,
  outcome: outcome.kind === "rejected" ? `rejected:${outcome.class}` : outcome.kind,
  reason: outcome.kind === "accepted" ? null : outcome.reason,
  provider_message_id: outcome.kind === "accepted" ? (outcome.providerMessageId ?? null) : null,
});

/** The message was deleted or its event canceled during the call: it is not tried again, and the run goes on. */
function withdrawn({ message, job }: Effect, at: Date): Effect {
  const canceled = detail("step_canceled", at, { raw: { reason: "the message was withdrawn" } });
  return { message, job: { ...job, status: "canceled", wake_at: null, details: [...job.details, canceled] } };
}

const deadTokenOf = ({ message, outcome }: Settled): DeadToken[] =>
  outcome?.kind === "dead-token" && message.channel === "push" && message.address
    ? [{ subscriber_id: message.subscriber_id, integration_id: message.integration_id!, token: message.address }]
    : [];

/** The first word of `<word>_unexpected_error`. */
const errorWords: Record<string, string> = { email: "mail", sms: "sms", chat: "chat", push: "push" };

/** What follows from the outcome, before anything is written. */
function decide(ctx: Ctx, settled: Settled, clock: Clock): NextStep {
  const { outcome, number: attempt, onUnknown, hadUnknown, deadline } = settled;
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
  return afterAttempt(outcome, tried, ctx.config.delivery.retry, chanceIn(clock, environmentId));
}

function effectOf(ctx: Ctx, settled: Settled, clock: Clock): Effect {
  const { message, integration, insteadOf, number } = settled;
  const at = clock.now(message.environment_id);
  const decision = decide(ctx, settled, clock);
  const providerId = integration.provider_id;
  const isRetry = number > 1;
  const outcome = (status: string, changes: Partial<MessageOutcome> = {}): MessageOutcome => ({
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
  const job = (status: string, details: StoredDetail[], changes: Partial<JobUpdate> = {}): JobUpdate => ({
    ...unchanged(message.job_id, at),
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
      job: job("completed", [detail("message_sent", at, { providerId, isRetry, raw })]),
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
  return givenUp(ctx, settled, decision, { outcome, job, failed }, at);
}

const deliverAgain = ({ message }: Settled, integrationId: string, at?: Date): Timed => ({
  environmentId: message.environment_id,
  data: { messageId: message.id },
  at,
  flow: integrationId,
});

type Fault = { reason: string; class: FaultClass };

type Words = {
  outcome(status: string, changes?: Partial<MessageOutcome>): MessageOutcome;
  job(status: string, details: StoredDetail[]): JobUpdate;
  failed: StoredDetail;
};

/** The end of the road. What neither the recipient nor the content is to blame for can be replayed. */
function givenUp(ctx: Ctx, settled: Settled, fault: Fault, { outcome, job, failed }: Words, at: Date): Effect {
  const { message, integration } = settled;
  const faultClass = fault.class;
  const canReplay = isReplayable(faultClass);
  const error_id = canReplay ? `${errorWords[message.channel]}_unexpected_error` : "provider_rejected";
  const subject = settled.outcome ? "The provider did not take the message" : "The message was not sent";
  const error_text = `${subject}: ${fault.reason}`;
  const details = [failed];
  if (settled.outcome?.kind === "dead-token") {
    details.push(detail("device_token_removed", at, { providerId: integration.provider_id }));
  }
  if (!canReplay) return { message: outcome("error", { error_id, error_text }), job: job("failed", details) };
  const id = ctx.newId();
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
