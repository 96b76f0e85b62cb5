// The stage `deliver`: messages of email, SMS, chat and push go to their providers. Each call is recorded as an attempt
// before it starts, and its result settles attempt, message and job in one transaction with the tasks that follow from
// it. The files of this folder, in the order in which a message passes them:
//
//   stage.ts            the stage: its sizes, and the call to the provider
//   calls.ts            prepare → call → settle, without a worker waiting for its calls; shared with webhooks/stage.ts
//   concurrency.ts      slots for the calls in flight; the rules for them and for rate limits are pacing.ts
//   prepare.ts          one transaction: which messages of a batch are sent now, which wait; writes the attempts
//   cancel.ts           messages that are no longer sent, because of a deletion or a cancel
//   plan.ts             the integration of each message, or its wait; by the circuit breaker (breaker.ts) and the
//                       suppressed addresses (recipients.ts)
//   message.ts          the content for the provider; unsubscribe.ts and peer-details.ts add to it
//   settle.ts           one transaction: writes what follows from the results
//   retry.ts            the decision after an attempt: sent, retry, failover to the next integration, give up
//   effects.ts          what the decision changes: message, job, next task, dead letter
//   job-ends.ts         the status of a chat or push job, which has several messages
//   dead-tokens.ts      removes device tokens that the provider reports as expired
//   health.ts           records the results in the circuit breakers
//   receipts.ts         delivery reports of providers, by receipt-rules.ts; they may confirm a message (confirm.ts)
//   early-receipts.ts   reports that arrive before the result of their call is written
import { type Message, type Outcome, type SentMessage, send, unsend } from "@tidings/providers";
import type { Ctx, NetworkCtx } from "../../context.ts";
import type { JsonObject } from "../../lib/json.ts";
import { storableId, storableText } from "../../lib/text/storable-text.ts";
import { type IntegrationRow, showIntegration } from "../../store/integrations/integrations.ts";
import { transact } from "../batch.ts";
import type { DeliverTask } from "../tasks.ts";
import { beginSendSpan, endSendSpan } from "../trace/sends.ts";
import { createCallStage } from "./calls.ts";
import type { FinishedSend, PlannedSend } from "./plan.ts";
import { prepare, slotOfSend } from "./prepare.ts";
import { settle } from "./settle.ts";

/**
 * Messages prepared at once, and tasks fetched at once: few enough that a worker seldom waits for slots, enough to
 * share queries.
 */
export const deliverBatch = ({ config }: Ctx): number => Math.max(1, Math.floor(config.delivery.window / 8));

export function createDeliverStage(ctx: NetworkCtx) {
  return createCallStage<DeliverTask, PlannedSend, FinishedSend>(ctx, {
    kind: "deliver",
    window: ctx.config.delivery.window,
    batch: deliverBatch(ctx),
    gatherMs: 50,
    // Writing a result again is better than sending again: the database has to be unavailable for 10 s until a message
    // whose result is not written goes to another worker, as one with an unknown outcome.
    settleTries: 10,
    settlePauseMs: 1_000,
    prepare,
    slotOf: slotOfSend,
    startOf: ({ startAt }) => startAt,
    call: (planned) => finishSend(ctx, planned),
    settle,
    transact,
  });
}

function finishSend(ctx: NetworkCtx, planned: PlannedSend): FinishedSend | Promise<FinishedSend> {
  const { attemptId } = planned;
  if (attemptId === null) return { ...planned, attemptId, outcome: null };
  const began = performance.now();
  const span = beginSendSpan(ctx, planned);
  return callProvider(ctx, planned).then((outcome) => {
    endSendSpan(span, outcome);
    return { ...planned, attemptId, outcome, tookMs: performance.now() - began, span: span?.context ?? null };
  });
}

/** Never rejects: one message must not lose the results of the others. */
async function callProvider(ctx: NetworkCtx, planned: PlannedSend): Promise<Outcome> {
  const { task, integration, content, credentials, replaces } = planned;
  if (integration.is_hidden) await revealIntegration(ctx, integration);
  if (!credentials) return rejectLocally("the stored credentials cannot be read");
  if (!content) return rejectLocally("the message cannot be put together from what is stored of it");
  try {
    const { provider_id: providerId } = integration;
    const changed = replaces && (await changeSent(ctx, providerId, { replaces, content, credentials }));
    const io = task.data.priority === "high" ? urgentIo(ctx) : ctx.io;
    const outcome = toStorable(changed ?? (await send(providerId, content, credentials, io)));
    ctx.metrics.attempts.inc({ provider: integration.provider_id, outcome: outcome.kind });
    return outcome;
  } catch (error) {
    ctx.log.error({ err: error, provider: integration.provider_id }, "a provider adapter failed");
    return { kind: "unknown", reason: "the provider adapter failed" };
  }
}

type Change = { replaces: SentMessage; content: Message; credentials: JsonObject };

/** Changes an earlier message to this one. Undefined where the provider cannot: then this one is sent. */
async function changeSent(
  { io }: NetworkCtx,
  providerId: string,
  { replaces, content, credentials }: Change,
): Promise<Outcome | undefined> {
  const outcome = await unsend(providerId, replaces, { kind: "replace", content }, credentials, io);
  if (outcome.kind === "replaced") {
    const providerMessageId = outcome.providerMessageId ?? replaces.providerMessageId ?? undefined;
    return { kind: "accepted", providerMessageId };
  }
  if (outcome.kind === "failed" && outcome.canRetry) return { kind: "retry", reason: outcome.reason };
  return undefined;
}

/** A mail server is called over few connections: a high mail takes the next one that is free. */
const urgentIo = ({ io }: NetworkCtx): NetworkCtx["io"] => ({ ...io, smtp: (settings) => io.smtp(settings, true) });

/**
 * The first message through a hidden integration makes it visible. If that cannot be written, the next message tries
 * again.
 */
const revealIntegration = (ctx: Ctx, { environment_id, id }: IntegrationRow): Promise<void> =>
  showIntegration(ctx.db, environment_id, id).catch((error) =>
    ctx.log.warn({ err: error, integrationId: id }, "a hidden integration that is in use could not be shown"),
  );

const rejectLocally = (reason: string): Outcome => ({
  kind: "rejected",
  class: "config",
  reason,
  isDecidedLocally: true,
});

/** An event may override any number of members that its provider does not support; each makes a note. */
const maxNotes = 20;

/** Providers may respond with any bytes and with ids of any length; the database does not take all of them. */
const toStorable = (outcome: Outcome): Outcome =>
  outcome.kind === "accepted"
    ? {
        ...outcome,
        providerMessageId: storableId(outcome.providerMessageId),
        refusedCopies: outcome.refusedCopies?.map((address) => toStorableLine(address)),
        notes: outcome.notes?.slice(0, maxNotes).map((note) => ({ ...note, name: toStorableLine(note.name, 200) })),
      }
    : { ...outcome, reason: toStorableLine(outcome.reason) };

const toStorableLine = (text: string, maxLength?: number): string =>
  storableText(text.replace(/\p{Cc}+/gu, " "), maxLength);
