// Stage 4: what leaves the building. Every call to a provider is recorded before it is made and after it returned; the
// retry decision is rules/retry.ts; the result settles message, job and attempt in one transaction together with the
// task that follows from it.
import { type EmailMessage, send } from "@tidings/providers";
import type { Ctx } from "../context.ts";
import { insertAttempts, summarizeAttempts } from "../store/attempts.ts";
import { type Db, inTransaction } from "../store/db.ts";
import { findActiveIntegrations, findIntegrationsByIds, type IntegrationRow } from "../store/integrations.ts";
import { findPendingMessages, type MessageRow } from "../store/messages.ts";
import type { Task } from "../store/queue.ts";
import { type Settled, settle } from "./outcome.ts";
import { candidatesFor, nextCandidate } from "./rules/integration-choice.ts";
import { afterAttempt } from "./rules/retry.ts";
import type { DeliverTask } from "./tasks.ts";

/** A message about to be sent: through which integration, the how-manieth time. */
type Attempt = {
  id: string;
  task: Task<DeliverTask>;
  message: MessageRow;
  integration: IntegrationRow;
  number: number;
  /** Where to go when this integration has had its chances. */
  next: IntegrationRow | null;
};

/** How long a finished send may wait for others before its result is written: they then share a transaction. */
const gatherMs = 20;

export async function runDeliver(ctx: Ctx, tasks: Task<DeliverTask>[]): Promise<void> {
  const attempts = await inTransaction(ctx.db, (tx) => prepare(ctx, tx, tasks));
  const waiting = attempts.map((attempt) => sendOne(ctx, attempt));
  for await (const group of gather(waiting, gatherMs)) {
    await inTransaction(ctx.db, (tx) => settle(ctx, tx, group));
  }
}

/** Chooses integrations and writes the attempts down. Tasks whose message needs nothing any more are finished here. */
async function prepare(ctx: Ctx, tx: Db, tasks: Task<DeliverTask>[]): Promise<Attempt[]> {
  const now = ctx.now();
  const messages = await findPendingMessages(
    tx,
    tasks.map((task) => task.data.messageId),
  );
  const byId = new Map(messages.map((message) => [message.id, message]));
  const tried = Map.groupBy(await summarizeAttempts(tx, [...byId.keys()], now), (row) => row.message_id);
  const environments = [...new Set(messages.map((message) => message.environment_id))];
  const active = await findActiveIntegrations(tx, environments);

  const attempts: Attempt[] = [];
  const idle: Task<DeliverTask>[] = [];
  for (const task of tasks) {
    const message = byId.get(task.data.messageId);
    if (!message) {
      idle.push(task);
      continue;
    }
    const used = tried.get(message.id) ?? [];
    const chosen = active.find(({ id }) => id === message.integration_id) ?? (await findGone(tx, message));
    const candidates = candidatesFor(active, message.environment_id, "email");
    const others = new Set([...used.map((row) => row.integration_id), chosen.id]);
    attempts.push({
      id: ctx.newId(),
      task,
      message,
      integration: chosen,
      number: (used.find((row) => row.integration_id === chosen.id)?.attempts ?? 0) + 1,
      next: nextCandidate(candidates, others),
    });
  }
  if (idle.length > 0) await ctx.queue.finish(tx, "deliver", idle);
  await insertAttempts(
    tx,
    attempts.map(({ id, message, integration, number }) => ({
      id,
      environment_id: message.environment_id,
      message_id: message.id,
      integration_id: integration.id,
      number,
      started_at: now,
    })),
  );
  return attempts;
}

/** An integration that was switched off or deleted after the message was made: the job finishes with it. Rare. */
async function findGone(tx: Db, message: MessageRow): Promise<IntegrationRow> {
  const [row] = await findIntegrationsByIds(tx, message.environment_id, [message.integration_id!]);
  return row!;
}

async function sendOne(ctx: Ctx, attempt: Attempt): Promise<Settled> {
  const { integration, message, number } = attempt;
  const credentials = integration.credentials
    ? (JSON.parse(ctx.secrets.decrypt(integration.credentials)) as Record<string, unknown>)
    : {};
  const outcome = await send(integration.provider_id, toEmail(message), credentials, ctx.io);
  ctx.metrics.attempts.inc({ provider: integration.provider_id, outcome: outcome.kind });
  const next = afterAttempt(outcome, number, Math.random);
  return { ...attempt, attemptId: attempt.id, outcome, decision: next, nextIntegration: attempt.next, at: ctx.now() };
}

const toEmail = (message: MessageRow): EmailMessage => ({
  id: message.id,
  channel: "email",
  to: [message.email ?? ""],
  subject: message.subject ?? "",
  html: message.content ?? "",
  text: String(message.outgoing?.text ?? ""),
});

/** Yields results in groups as they come in: the first of a group waits a moment for others, never for the slowest. */
async function* gather<T>(pending: Promise<T>[], waitMs: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  let left = pending.length;
  let wake = () => {};
  for (const promise of pending) {
    promise.then((value) => {
      group.push(value);
      wake();
    }, wake);
  }
  // A send never rejects; if one does all the same, the batch fails and its tasks are repeated.
  const failed = Promise.all(pending).then(() => new Promise<never>(() => {}));
  while (left > 0) {
    if (group.length === 0) {
      const arrived = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([arrived, failed]);
      if (group.length < left) await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    const ready = group;
    group = [];
    left -= ready.length;
    yield ready;
  }
}
