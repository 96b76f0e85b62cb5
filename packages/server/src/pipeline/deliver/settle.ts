// Settling: what attempts to send mean for their messages, their jobs and what happens next (deliver/effects.ts), written
// in one transaction. The only place that turns an outcome into state.
import type { Outcome } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { findUnfinished, lockJobs, updateJobs } from "../../store/events/jobs.batch.ts";
import { finishAttempts } from "../../store/messages/attempts.batch.ts";
import { insertDeadLetters } from "../../store/messages/dead-letters.batch.ts";
import { type MessageOutcome, recordOutcomes } from "../../store/messages/messages.batch.ts";
import { openBatch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { emitMessages, type MessageChange } from "../webhooks/events.ts";
import { type ExpiredToken, removeDeviceTokens } from "./dead-tokens.ts";
import { applyEarlyReceipts } from "./early-receipts.ts";
import { type Effect, effectOf, withdrawn } from "./effects.ts";
import { recordHealth } from "./health.ts";
import { endJobs } from "./job-ends.ts";
import type { Send } from "./plan.ts";
import { wakesOf } from "./withdraw.ts";

/** `outcome` is null when nothing was sent: see `attemptId`. */
export type Settled = Send & { outcome: Outcome | null };

export async function settle(tx: Ctx, group: Settled[]): Promise<void> {
  const batch = await openBatch(tx, new Set(group.map(({ message }) => message.environment_id)));
  const at = ({ message }: Settled) => batch.clock.now(message.environment_id);
  await batch.queue.finish(
    batch.db,
    "deliver",
    group.map((settled) => settled.task),
  );
  const made = group.filter((settled): settled is Made => settled.outcome !== null);
  await finishAttempts(
    batch.db,
    made.map((settled) => toResult(settled, at(settled))),
  );
  const intended = group.map((settled) => effectOf(batch, settled));
  const written = await recordOutcomes(
    batch.db,
    intended.map((effect) => effect.message),
  );
  const isLost = ({ message }: Effect) => message.status !== "sent" && !written.has(message.id);
  const lost = await lockJobs(
    batch.db,
    intended.filter(isLost).map(({ job }) => job.id),
  );
  const before = new Map(lost.map((job) => [job.id, job.status]));
  const effects = intended.map((effect, index) =>
    isLost(effect) ? withdrawn(effect, before.get(effect.job.id), at(group[index]!)) : effect,
  );
  const { updates, ended } = await endJobs(
    batch.db,
    effects.map(({ job }, index) => ({ channel: group[index]!.message.channel, update: job })),
  );
  await updateJobs(batch.db, updates);
  await emitMessages(
    batch,
    group.flatMap((settled, index) => eventsOf(settled, effects[index]!.message, written)),
  );
  await insertDeadLetters(
    batch.db,
    effects.flatMap((effect) => effect.deadLetter ?? []),
  );
  await removeDeviceTokens(batch, group.flatMap(deadTokenOf));
  await enqueueTimed(
    batch,
    "deliver",
    effects.flatMap((effect) => effect.deliver ?? []),
  );
  const over = group.flatMap(({ message }) => (ended.has(message.job_id) ? message : []));
  // Most messages are the last step of their run: there is nothing left to wake.
  const unfinished = await findUnfinished(batch.db, [...new Set(over.map((message) => message.notification_id))]);
  const runs = over.flatMap(({ notification_id, environment_id }) =>
    unfinished.has(notification_id) ? [[notification_id, environment_id] as const] : [],
  );
  await enqueueTimed(batch, "wake", wakesOf(new Map(runs)));
  await applyEarlyReceipts(batch, group);
  // Last, because everybody who sends through the integration waits for it.
  await recordHealth(batch, made);
  for (const [index, { message }] of effects.entries()) {
    if (message.status === "pending" || !written.has(message.id)) continue;
    batch.metrics.messages.inc({ channel: group[index]!.message.channel, status: message.status });
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

const deadTokenOf = ({ message, outcome }: Settled): ExpiredToken[] =>
  outcome?.kind === "dead-token" && message.channel === "push" && message.address
    ? [{ subscriber_id: message.subscriber_id, integration_id: message.integration_id!, token: message.address }]
    : [];
