// Settling: the results of a group of calls are written in one transaction. retry.ts decides what follows from each,
// effects.ts says what that changes, and this file writes it. Only here does an outcome change state.
import type { Ctx } from "../../context.ts";
import { timeOfId } from "../../lib/ids.ts";
import { findUnfinished, lockJobs, updateJobs } from "../../store/events/jobs.batch.ts";
import { type AttemptResult, finishAttempts } from "../../store/messages/attempts.batch.ts";
import { insertDeadLetters } from "../../store/messages/dead-letters.batch.ts";
import { recordOutcomes } from "../../store/messages/messages.batch.ts";
import { type Batch, openBatch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { enqueueUnsends } from "../retract/unsend-tasks.ts";
import { rankIn } from "../tasks.ts";
import { logDeliveries, outcomeCode } from "../trace/sends.ts";
import { emitMessages, type MessageChange } from "../webhooks/events.ts";
import { wakeRuns } from "./cancel.ts";
import { type ExpiredToken, removeDeviceTokens } from "./dead-tokens.ts";
import { applyEarlyReceipts } from "./early-receipts.ts";
import { cancelEffect, type Effect, effectOf } from "./effects.ts";
import { recordHealth } from "./health.ts";
import { endJobs } from "./job-ends.ts";
import type { CalledSend, FinishedSend } from "./plan.ts";
import { finishMessages } from "./prepare.ts";

/**
 * `isWritten`: the message had not been deleted, canceled or confirmed during the call. `isRetracted`: it may have been
 * retracted during the call, and its result decides what happens to it.
 */
type Settled = { finished: FinishedSend; effect: Effect; isWritten: boolean; isRetracted: boolean };

export async function settle(tx: Ctx, group: FinishedSend[]): Promise<() => void> {
  const batch = await openBatch(tx, new Set(group.map(({ message }) => message.environment_id)));
  await finishMessages(
    batch,
    group.map(({ task, message }) => ({ task, messageId: message.id })),
  );
  const called = group.filter((finished): finished is CalledSend => finished.outcome !== null);
  await finishAttempts(
    batch.db,
    called.map((one) => attemptResult(one, batch.clock.now(one.message.environment_id))),
  );
  const settled = await recordMessages(batch, group);
  const ended = await recordJobs(batch, settled);
  await emitMessages(batch, settled.flatMap(eventsOf));
  await insertDeadLetters(
    batch.db,
    settled.flatMap(({ effect }) => effect.deadLetter ?? []),
  );
  await removeDeviceTokens(batch, group.flatMap(deadTokenOf));
  await enqueueTimed(
    batch,
    "deliver",
    settled.flatMap(({ effect }) => effect.deliver ?? []),
  );
  await enqueueUnsends(
    batch,
    settled.flatMap(({ finished, isRetracted }) => (isRetracted ? finished.message : [])),
  );
  await wakeUnfinishedRuns(
    batch,
    group.filter(({ message }) => ended.has(message.job_id)),
  );
  await applyEarlyReceipts(batch, group);
  // Last, because it locks the integration: every other group with a failure of that integration waits for the lock.
  await recordHealth(batch, called);
  countMessages(batch, settled);
  return () => logDeliveries(tx, settled);
}

const attemptResult = ({ attemptId, message, outcome }: CalledSend, at: Date): AttemptResult => ({
  environment_id: message.environment_id,
  message_id: message.id,
  id: attemptId,
  finished_at: at,
  outcome: outcomeCode(outcome),
  reason: outcome.kind === "accepted" ? null : outcome.reason,
  provider_message_id: outcome.kind === "accepted" ? (outcome.providerMessageId ?? null) : null,
});

/** A message that was deleted, canceled or confirmed during the call is not changed, unless it was sent. */
async function recordMessages(batch: Batch, group: FinishedSend[]): Promise<Settled[]> {
  const intended = group.map((finished) => ({ finished, effect: effectOf(batch, finished) }));
  const written = await recordOutcomes(
    batch.db,
    intended.map(({ effect }) => effect.message),
  );
  const isCanceled = ({ message }: Effect) => message.status !== "sent" && !written.has(message.id);
  const jobs = await lockJobs(
    batch.db,
    intended.flatMap(({ effect }) => (isCanceled(effect) ? effect.job : [])),
  );
  const statuses = new Map(jobs.map((job) => [job.id, job.status]));
  return intended.map(({ finished, effect }) => ({
    finished,
    effect: isCanceled(effect)
      ? cancelEffect(effect, statuses.get(effect.job.job_id), batch.clock.now(finished.message.environment_id))
      : effect,
    isWritten: written.has(effect.message.id),
    isRetracted: isCanceled(effect) || written.get(effect.message.id)?.is_retracted === true,
  }));
}

/** Returns the ids of the jobs that have ended. */
async function recordJobs(batch: Batch, settled: Settled[]): Promise<Set<string>> {
  const { updates, ended } = await endJobs(
    batch.db,
    settled.map(({ finished, effect }) => ({ channel: finished.message.channel, update: effect.job })),
  );
  await updateJobs(batch.db, updates);
  return ended;
}

/** Messages that are retried, and messages that were deleted during the call, emit no event. */
function eventsOf({ finished, effect, isWritten }: Settled): MessageChange[] {
  const { message, outcome } = finished;
  const { id, status, error_text, updated_at } = effect.message;
  if (status === "pending" || !isWritten) return [];
  const event = { environmentId: message.environment_id, messageId: id, at: updated_at };
  if (status === "sent") return [{ ...event, type: "message.sent" }];
  const isInvalidToken = outcome?.kind === "dead-token";
  const push = message.channel === "push" ? { push: { isInvalidToken, deviceToken: message.address ?? "" } } : {};
  return [{ ...event, type: "message.failed", error: { message: error_text ?? "", ...push } }];
}

const deadTokenOf = ({ message, outcome }: FinishedSend): ExpiredToken[] =>
  outcome?.kind === "dead-token" && message.channel === "push" && message.address
    ? [{ subscriber_id: message.subscriber_id, integration_id: message.integration_id!, token: message.address }]
    : [];

/** Most messages are the last step of their run: then there is no run to wake. */
async function wakeUnfinishedRuns(batch: Batch, ended: FinishedSend[]): Promise<void> {
  const unfinished = await findUnfinished(
    batch.db,
    ended.map(({ message }) => message),
  );
  const waiting = ended.filter(({ message }) => unfinished.has(message.notification_id));
  await wakeRuns(
    batch,
    waiting.map(({ message: { environment_id, notification_id }, task }) => ({
      environment_id,
      notification_id,
      rank: rankIn(task.data),
    })),
  );
}

function countMessages({ metrics }: Batch, settled: Settled[]): void {
  for (const { finished, effect, isWritten } of settled) {
    const { status } = effect.message;
    if (status === "pending" || !isWritten) continue;
    const { id, channel } = finished.message;
    metrics.messages.inc({ channel, status });
    if (status === "sent") metrics.deliverySeconds.observe({ channel }, (Date.now() - timeOfId(id)) / 1000);
  }
}
