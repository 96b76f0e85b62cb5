// The stage `unsend`: messages that a provider has, and can edit or delete, and messages that were retracted while
// their provider was being called. The calls are made outside of transactions, at least once: to edit or delete twice
// does no harm.
import { type UnsendOutcome, unsend } from "@tidings/providers";
import type { Ctx, NetworkCtx } from "../../context.ts";
import type { JsonObject } from "../../lib/json.ts";
import { storableText } from "../../lib/text/storable-text.ts";
import { findIntegrationsOfBatch } from "../../store/integrations/integrations.batch.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { listAttempts, type MessageRow } from "../../store/messages/messages.ts";
import type { NewTask, Task } from "../../store/queue/queue.ts";
import { findMessagesByIds, findOpenRetracted, type RetractedRow } from "../../store/retractions/retracted-messages.ts";
import { findRetraction, type RetractionRow } from "../../store/retractions/retractions.ts";
import { type Batch, openBatch, transactWithRetry } from "../batch.ts";
import { inFlightGroup } from "../clock/clock.ts";
import { createCallStage } from "../deliver/calls.ts";
import { createSecretsReader, loadMessageParts, toProviderMessage } from "../deliver/message.ts";
import type { Admission } from "../deliver/pacing.ts";
import { openMessage } from "../encrypted-parts.ts";
import { costOf, environmentOf, type UnsendTask } from "../tasks.ts";
import { prepareCorrections, type RenderedCorrection } from "./corrections.ts";
import { type CalledUnsend, type KnownUnsend, type PreparedUnsend, settleUnsends } from "./settle-unsend.ts";
import { stateOfSent } from "./take-back.ts";
import { uncertainReason } from "./words.ts";

/** Tasks taken at once. */
export const unsendBatch = 10;
/** Calls in flight at once in this process; one environment has at most half of them, one integration a quarter. */
const window = 100;
const gatherMs = 20;

export function createUnsendStage(ctx: NetworkCtx) {
  return createCallStage<UnsendTask, PreparedUnsend, CalledUnsend>(ctx, {
    kind: "unsend",
    window,
    batch: unsendBatch,
    gatherMs,
    // A result that cannot be written repeats the call.
    settleTries: 3,
    settlePauseMs: 500,
    prepare,
    slotOf: ({ environmentId, integrationId }) => ({ environmentId, lane: integrationId ?? "" }),
    call: (one) => ("known" in one ? one : callProvider(ctx, one).then((outcome) => ({ ...one, outcome }))),
    settle: settleUnsends,
    transact: transactWithRetry,
  });
}

/** Never rejects: one message must not lose the results of the others. */
async function callProvider(
  ctx: NetworkCtx,
  { call }: Extract<PreparedUnsend, { call: unknown }>,
): Promise<UnsendOutcome> {
  const { providerId, sent, unsending, credentials } = call;
  try {
    const outcome = await unsend(providerId, sent, unsending, credentials, ctx.io);
    return "reason" in outcome ? { ...outcome, reason: toLine(outcome.reason) } : outcome;
  } catch (error) {
    ctx.log.error({ err: error, provider: providerId }, "a provider adapter failed to retract a message");
    return { kind: "failed", reason: "the provider adapter failed", canRetry: true };
  }
}

const toLine = (text: string): string => storableText(text.replace(/\p{Cc}+/gu, " "), 500);

type Facts = {
  open: Map<string, RetractedRow>;
  messages: Map<string, MessageRow>;
  retractions: Map<string, RetractionRow>;
  /** Messages whose last call has no result, or an unknown one. */
  uncertain: Set<string>;
  corrections: Map<string, RenderedCorrection>;
};

/** Returns the messages to settle: those to call for, and those whose state is known. The others are done. */
async function prepare(tx: Ctx, tasks: Task<UnsendTask>[], admission: Admission): Promise<PreparedUnsend[]> {
  const claimed = await tx.queue.keep(tx.db, "unsend", tasks);
  const prepared: PreparedUnsend[] = [];
  for (const [environmentId, own] of Map.groupBy(claimed, environmentOf)) {
    const batch = await openBatch(tx, [environmentId]);
    prepared.push(...(await prepareEnvironment(batch, environmentId, own, admission)));
  }
  return prepared;
}

async function prepareEnvironment(
  batch: Batch,
  environmentId: string,
  tasks: Task<UnsendTask>[],
  admission: Admission,
): Promise<PreparedUnsend[]> {
  const facts = await loadFacts(
    batch,
    environmentId,
    tasks.flatMap(({ data }) => data.messageIds),
  );
  const prepared: PreparedUnsend[] = [];
  const asked: { task: Task<UnsendTask>; row: RetractedRow; message: MessageRow }[] = [];
  const done: { task: Task<UnsendTask>; messageId: string }[] = [];
  for (const task of tasks) {
    for (const messageId of task.data.messageIds) {
      const row = facts.open.get(messageId);
      const known = row && knownState(row, facts);
      if (!row) done.push({ task, messageId });
      else if (known) prepared.push({ task, environmentId, row, integrationId: null, known });
      else asked.push({ task, row, message: facts.messages.get(messageId)! });
    }
  }
  const { calls, later } = await prepareCalls(batch, environmentId, asked, { facts, admission });
  await enqueueLater(batch, environmentId, later);
  const finished = [...done, ...later.map(({ task, row }) => ({ task, messageId: row.id }))];
  await batch.queue.finishParts(
    batch.db,
    "unsend",
    "messageIds",
    finished.map(({ task, messageId }) => ({ task, part: messageId })),
  );
  return [...prepared, ...calls];
}

async function loadFacts(batch: Batch, environmentId: string, ids: string[]): Promise<Facts> {
  const { db, secrets } = batch;
  const open = await findOpenRetracted(db, environmentId, ids);
  const openIds = open.map(({ id }) => id);
  const messages = (await findMessagesByIds(db, environmentId, openIds)).map((row) => openMessage(secrets, row));
  const retractions = new Map<string, RetractionRow>();
  for (const id of new Set(open.flatMap(({ retraction_id }) => retraction_id ?? []))) {
    const found = await findRetraction(db, environmentId, id);
    if (found) retractions.set(id, found);
  }
  const attempts = await listAttempts(db, environmentId, openIds, openIds.length * 50);
  const uncertain = attempts.flatMap(({ message_id: id, outcome }) =>
    outcome === null || outcome === "unknown" ? id : [],
  );
  const byId = new Map(messages.map((message) => [message.id, message]));
  const corrections = new Map<string, RenderedCorrection>();
  for (const [retractionId, own] of Map.groupBy(open, (row) => row.retraction_id)) {
    const correction = retractionId === null ? null : retractions.get(retractionId)?.correction;
    if (!correction) continue;
    const stored = own.flatMap(({ id }) => byId.get(id) ?? []);
    const correctionOf = await prepareCorrections(batch, environmentId, correction, stored);
    for (const message of stored) {
      const rendered = correctionOf(message);
      if (!("fault" in rendered)) corrections.set(message.id, rendered);
    }
  }
  return {
    open: new Map(open.map((row) => [row.id, row])),
    messages: byId,
    retractions,
    uncertain: new Set(uncertain),
    corrections,
  };
}

/** The state of a message that needs no call; undefined where the provider is asked. */
function knownState(
  { id, retraction_id }: RetractedRow,
  { messages, uncertain, corrections }: Facts,
): KnownUnsend | undefined {
  const message = messages.get(id);
  if (!message) return { state: "cannot_unsend", reason: "the message was deleted here, so its provider is not known" };
  if (message.status !== "sent") {
    return uncertain.has(id)
      ? { state: "cannot_unsend", reason: uncertainReason }
      : { state: "canceled", reason: null };
  }
  const rendered = corrections.get(id);
  const { state, reason } = stateOfSent(message, rendered !== undefined);
  if (state === "taking_back") return undefined;
  if (retraction_id === null) return { state: "superseded", reason };
  return { state, reason, ...(rendered && { corrected: { message, rendered } }) };
}

type Asked = { task: Task<UnsendTask>; row: RetractedRow; message: MessageRow };

async function prepareCalls(
  batch: Batch,
  environmentId: string,
  asked: Asked[],
  { facts, admission }: { facts: Facts; admission: Admission },
): Promise<{ calls: PreparedUnsend[]; later: (Asked & { until: Date })[] }> {
  const ids = [...new Set(asked.flatMap(({ message }) => message.integration_id ?? []))];
  const integrations = new Map((await findIntegrationsOfBatch(batch.db, ids)).map((row) => [row.id, row]));
  const readSecrets = createSecretsReader(batch);
  const sends = asked.flatMap((one) => {
    const integration = integrations.get(one.message.integration_id ?? "");
    return integration ? [{ message: one.message, integration }] : [];
  });
  const parts = await loadMessageParts(batch, sends);
  const calls: PreparedUnsend[] = [];
  const later: (Asked & { until: Date })[] = [];
  for (const one of asked) {
    const { task, row, message } = one;
    const integration = integrations.get(message.integration_id ?? "");
    const rendered = facts.corrections.get(message.id);
    const base = { task, environmentId, row, integrationId: integration?.id ?? null };
    const known = integration ? contentsOf(message, integration, rendered) : "the integration was deleted";
    if (typeof known === "string") {
      calls.push({ ...base, known: { state: "cannot_unsend", reason: known } });
      continue;
    }
    const slot = { environmentId, lane: integration!.id };
    const admitted = admission.admit(slot, { isProbe: false, now: batch.now().getTime() });
    if (admitted.kind === "wait") later.push({ ...one, until: new Date(admitted.until) });
    else calls.push({ ...base, call: known, corrected: rendered && { message, rendered } });
  }
  return { calls, later };

  function contentsOf(message: MessageRow, integration: IntegrationRow, rendered: RenderedCorrection | undefined) {
    const { credentials, configurations } = readSecrets(integration);
    if (!credentials) return "the stored credentials cannot be read";
    if (!message.outgoing) return "the address of the message is no longer stored";
    const contentOf = (row: MessageRow) => toProviderMessage(row, integration.provider_id, configurations, parts);
    const sent = { content: contentOf(message), providerMessageId: message.provider_message_id };
    const changed = rendered && { ...message, subject: rendered.subject ?? message.subject, content: rendered.text };
    const unsending = changed
      ? ({ kind: "replace", content: contentOf(changed) } as const)
      : ({ kind: "delete" } as const);
    return { providerId: integration.provider_id, sent, unsending, credentials: credentials as JsonObject };
  }
}

/** Messages of an integration without a free slot, in real time. */
async function enqueueLater(batch: Batch, environmentId: string, later: (Asked & { until: Date })[]): Promise<void> {
  const tasks = later.map(({ task, message, until }): NewTask => {
    const data: UnsendTask = { messageIds: [message.id], tries: task.data.tries };
    const group = batch.clock.isStopped(environmentId) ? inFlightGroup(environmentId) : undefined;
    const lane = message.integration_id ?? undefined;
    return { data, environmentId, lane, cost: costOf("unsend", data), startAfter: until, group };
  });
  await batch.queue.enqueue(batch.db, "unsend", tasks);
}
