// Stage 4: what leaves the building. Every call to a provider is recorded before it is made and after it returned; the
// retry decision is rules/retry.ts; the result settles message, job and attempt in one transaction together with the
// task that follows from it.
import { type EmailMessage, type Outcome, send } from "@tidings/providers";
import type { Ctx } from "../context.ts";
import { findStopped, insertAttempts, summarizeAttempts } from "../store/attempts.ts";
import { type Db, inTransaction, isDatabaseAway } from "../store/db.ts";
import { findActiveIntegrations, findIntegrationsByIds, type IntegrationRow } from "../store/integrations.ts";
import { findPendingMessages, type MessageRow } from "../store/messages.ts";
import { ClaimLost, type Task } from "../store/queue.ts";
import { type Settled, settle, withdraw } from "./outcome.ts";
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

/** The database has to be away this long before a message that was sent is given back, to be sent again. */
const writeRounds = 10;
const writePauseMs = 1_000;

/** Sends were made whose results could not be written. Their tasks go back to the queue, none is repeated at once. */
export class ResultNotWritten extends Error {}

export async function runDeliver(ctx: Ctx, tasks: Task<DeliverTask>[]): Promise<void> {
  const attempts = await inTransaction(ctx.db, (tx) => prepare(ctx, tx, tasks));
  const waiting = attempts.map((attempt) => sendOne(ctx, attempt));
  let failed: unknown;
  for await (const group of gather(waiting, gatherMs)) failed = (await write(ctx, group)) ?? failed;
  if (failed) throw new ResultNotWritten("the result of a delivery could not be written", { cause: failed });
}

/** Writing again is better than sending again. Answers the fault when all rounds failed. */
async function write(ctx: Ctx, group: Settled[]): Promise<unknown> {
  for (let round = 1; ; round++) {
    try {
      await inTransaction(ctx.db, (tx) => settle(ctx, tx, group));
      return undefined;
    } catch (error) {
      // One result that the database does not take must not keep back the others.
      if (group.length > 1 && !isDatabaseAway(error)) {
        let failed: unknown;
        for (const one of group) failed = (await write(ctx, [one])) ?? failed;
        return failed;
      }
      // Another worker has the message; for it, this attempt is one whose outcome is unknown.
      if (error instanceof ClaimLost) return undefined;
      if (round === writeRounds) return error;
      await new Promise((resolve) => setTimeout(resolve, writePauseMs));
    }
  }
}

/** Chooses integrations and writes the attempts down. Tasks whose message needs nothing any more are finished here. */
async function prepare(ctx: Ctx, tx: Db, tasks: Task<DeliverTask>[]): Promise<Attempt[]> {
  const now = ctx.now();
  // What is sent cannot be taken back, so a lapsed claim has to show before, not when the result is written.
  await ctx.queue.confirm(tx, "deliver", tasks);
  const pending = await findPendingMessages(
    tx,
    tasks.map((task) => task.data.messageId),
  );
  const stopped = await findStopped(
    tx,
    pending.map((message) => message.id),
  );
  await withdraw(ctx, tx, pending, stopped);
  const isStopped = new Set(stopped.map((row) => row.message_id));
  const messages = pending.filter((message) => !isStopped.has(message.id));
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
  const { integration, number } = attempt;
  const outcome = storable(await callProvider(ctx, attempt));
  ctx.metrics.attempts.inc({ provider: integration.provider_id, outcome: outcome.kind });
  const next = afterAttempt(outcome, number, Math.random);
  return { ...attempt, attemptId: attempt.id, outcome, decision: next, nextIntegration: attempt.next, at: ctx.now() };
}

/** Never rejects: one message must not take the results of its neighbours with it. */
async function callProvider(ctx: Ctx, { integration, message }: Attempt): Promise<Outcome> {
  let credentials: Record<string, unknown>;
  try {
    credentials = integration.credentials ? JSON.parse(ctx.secrets.decrypt(integration.credentials)) : {};
  } catch (error) {
    ctx.log.error({ err: error, integration: integration.identifier }, "credentials cannot be read");
    return { kind: "rejected", class: "config", reason: "the stored credentials cannot be read" };
  }
  try {
    return await send(integration.provider_id, toEmail(message), credentials, ctx.io);
  } catch (error) {
    ctx.log.error({ err: error, provider: integration.provider_id }, "a provider adapter failed");
    return { kind: "unknown", reason: "the provider adapter failed" };
  }
}

/** Servers answer with any bytes they like; the database does not take all of them in a text. */
const storable = (outcome: Outcome): Outcome =>
  outcome.kind === "accepted"
    ? outcome
    : { ...outcome, reason: outcome.reason.replace(/\p{Cc}+/gu, " ").toWellFormed() };

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
    });
  }
  while (left > 0) {
    if (group.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (group.length < left) await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    const ready = group;
    group = [];
    left -= ready.length;
    yield ready;
  }
}
