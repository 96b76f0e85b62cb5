// Before a batch is sent, in one transaction: which messages are still wanted, through which integration each is sent,
// and whether it may be sent now. Each message that may is written as an attempt before the call; the others wait,
// without an attempt.
import type { Ctx } from "../../context.ts";
import { createAddressHashes } from "../../lib/suppression-hash.ts";
import { emptyJobUpdate, type JobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import { findHealthOfBatch } from "../../store/integrations/breakers.batch.ts";
import { findActiveIntegrationsOfBatch, findIntegrationsOfBatch } from "../../store/integrations/integrations.batch.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import {
  type DeliveryState,
  endLostAttempts,
  findDeliveryStates,
  insertAttempts,
  summarizeAttempts,
} from "../../store/messages/attempts.batch.ts";
import { findSentMessages, holdPendingMessages } from "../../store/messages/messages.batch.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import { heldGroup } from "../../store/queue/held.ts";
import type { Task } from "../../store/queue/queue.ts";
import { findSuppressedAddresses } from "../../store/subscribers/subscribers.batch.ts";
import { type Batch, openBatch } from "../batch.ts";
import { type Clock, enqueueTimed, inFlightGroup, type Timed } from "../clock/clock.ts";
import { openMessage } from "../encrypted-parts.ts";
import { enqueueUnsends } from "../retract/unsend-tasks.ts";
import { detail } from "../rules/details.ts";
import { loadVersions } from "../run/versions.ts";
import { costOf, type DeliverTask, environmentOf, keysIn, rankIn } from "../tasks.ts";
import { cancelUnwantedMessages } from "./cancel.ts";
import { toHealth } from "./health.ts";
import { hasSeveralMessages } from "./job-ends.ts";
import {
  createSecretsReader,
  type IntegrationSecrets,
  loadMessageParts,
  rateOf,
  toProviderMessage,
  withOrigin,
} from "./message.ts";
import { type Admission, type RateLimitedSend, reserveCallTimes, type Slot } from "./pacing.ts";
import { type PlanFacts, type PlannedSend, type PlannedWait, planMessages } from "./plan.ts";
import { listRecipients, removeCopies } from "./recipients.ts";
import { withUnsubscribe } from "./unsubscribe.ts";

type Facts = Omit<PlanFacts, "probes">;

/** Decrypts an integration, once for the batch. */
type ReadSecrets = (integration: IntegrationRow) => IntegrationSecrets;

/** Returns the messages to send now. Those that wait, or that are no longer sent, leave their tasks here. */
export async function prepare(tx: Ctx, tasks: Task<DeliverTask>[], admission: Admission): Promise<PlannedSend[]> {
  // A message cannot be unsent, so a lapsed claim has to show before the call, not when its result is written.
  const claimed = await tx.queue.keep(tx.db, "deliver", tasks);
  const { batch, messages, states } = await loadWantedMessages(tx, claimed);
  const facts = await loadFacts(batch, [...messages.values()], states);
  const parts = claimed.flatMap((task) => task.data.messageIds.map((messageId) => ({ task, messageId })));
  const due = parts.flatMap(({ task, messageId }) => {
    const message = messages.get(messageId);
    return message ? [{ task, message }] : [];
  });
  const plans = await planMessages(batch, due, facts);

  const readSecrets = createSecretsReader(batch);
  const { sends, waits } = await applyLimits(batch, plans, { admission, readSecrets, now: facts.now.getTime() });
  await writeWaits(batch, waits, facts);
  const unwanted = parts.filter(({ messageId }) => !messages.has(messageId));
  const keys = unwanted.map(({ task, messageId: id }) => ({ environment_id: environmentOf(task), id }));
  // A worker that vanished may have called the provider before the message was canceled.
  await endLostAttempts(batch.db, keys, facts.now);
  await enqueueUnsends(
    batch,
    keys.map((key) => ({ ...key, integration_id: null })),
  );
  await finishMessages(batch, [...unwanted, ...waits.map(({ task, message }) => ({ task, messageId: message.id }))]);
  await writeAttempts(batch, sends);
  return addContents(batch, sends, facts, readSecrets);
}

/** The pending messages of the tasks, locked, by id. Those that are no longer wanted are canceled and left out. */
async function loadWantedMessages(tx: Ctx, tasks: Task<DeliverTask>[]) {
  const held = await holdPendingMessages(
    tx.db,
    keysIn(tasks, ({ messageIds }) => messageIds),
  );
  const pending = held.map((message) => openMessage(tx.secrets, message));
  const states = await findDeliveryStates(tx.db, pending);
  const batch = await openBatch(tx, new Set(pending.map((message) => message.environment_id)));
  await cancelUnwantedMessages(batch, pending, states);
  const canceled = new Set(states.flatMap((state) => (state.stopped === null ? [] : state.message_id)));
  const messages = new Map(pending.filter(({ id }) => !canceled.has(id)).map((row) => [row.id, row]));
  return { batch, messages, states };
}

/** A message that no longer has a place in its task, because its result is written or another task has it. */
export const finishMessages = (
  { queue, db }: Ctx,
  messages: { task: Task<DeliverTask>; messageId: string }[],
): Promise<void> =>
  queue.finishParts(
    db,
    "deliver",
    "messageIds",
    messages.map(({ task, messageId }) => ({ task, part: messageId })),
  );

export const slotOfSend = ({ task, message, integration }: PlannedSend): Slot => ({
  environmentId: message.environment_id,
  lane: integration.id,
  ...rankIn(task.data),
});

type Limits = { admission: Admission; readSecrets: ReadSecrets; now: number };

/** Each call takes a slot of the concurrency window, and a time where its integration has a rate limit; or it waits. */
async function applyLimits(
  batch: Batch,
  plans: (PlannedSend | PlannedWait)[],
  { admission, readSecrets, now }: Limits,
): Promise<{ sends: PlannedSend[]; waits: PlannedWait[] }> {
  const sends: PlannedSend[] = [];
  const waits: PlannedWait[] = [];
  const limited: RateLimitedSend[] = [];
  const addWait = ({ task, message }: PlannedSend, until: number) => {
    // A message that waited for a circuit counts as waiting until it is sent.
    const { heldBy } = task.data;
    waits.push({ task, message, until: new Date(until), isRealTime: true, heldBy, isReleased: heldBy !== undefined });
  };
  for (const plan of plans) {
    if ("until" in plan) waits.push(plan);
    else if (plan.attemptId === null) sends.push(plan);
    else {
      const { integration, isProbe } = plan;
      const slot = slotOfSend(plan);
      const admitted = admission.admit(slot, { isProbe, now });
      const perSecond = rateOf(integration, readSecrets(integration));
      if (admitted.kind === "wait") addWait(plan, admitted.until);
      else if (perSecond && !isProbe) limited.push({ send: plan, slot, perSecond });
      else sends.push(plan);
    }
  }
  for (const { send, startAt, until } of await reserveCallTimes(batch.db, limited, admission, now)) {
    if (startAt !== undefined) sends.push({ ...send, startAt });
    else addWait(send, until);
  }
  return { sends, waits };
}

async function loadFacts(batch: Batch, messages: MessageRow[], states: DeliveryState[]): Promise<Facts> {
  const now = batch.now();
  const tried = await summarizeAttempts(batch.db, messages, now);
  const active = await findActiveIntegrationsOfBatch(
    batch.db,
    [...new Set(messages.map((message) => message.environment_id))],
    [...new Set(messages.map((message) => message.channel))],
  );
  const chosen = [...new Set(messages.flatMap((message) => message.integration_id ?? []))];
  const activeIds = new Set(active.map((one) => one.id));
  // An integration that was switched off or deleted after the message was created is not called; the message names it.
  const others = await findIntegrationsOfBatch(
    batch.db,
    chosen.filter((id) => !activeIds.has(id)),
  );
  const integrations = new Map([...active, ...others].map((one) => [one.id, one]));
  const health = new Map(
    (await findHealthOfBatch(batch.db, [...integrations.keys()])).map((row) => [row.integration_id, toHealth(row)]),
  );
  return {
    clock: batch.clock,
    now,
    deliveryStates: new Map(states.map((row) => [row.message_id, row])),
    versions: await loadVersions(
      batch,
      states.map((row) => row.workflow_version_id),
    ),
    tried: Map.groupBy(tried, (row) => row.message_id),
    active,
    integrations,
    health,
    suppressed: await findSuppressedAddresses(
      batch.db,
      messages.map((message) => ({ ...message, addresses: listRecipients(message) })),
      createAddressHashes(batch.secrets),
    ),
  };
}

/** A wait is not an attempt: the task is enqueued for later, and the first wait adds a detail to the job. */
async function writeWaits(batch: Batch, waits: PlannedWait[], { deliveryStates }: Facts): Promise<void> {
  const { clock } = batch;
  const delayed = waits.flatMap(({ message, until, why }): JobUpdate[] => {
    if (!why || hasSeveralMessages(message.channel) || deliveryStates.get(message.id)?.job_status !== "queued")
      return [];
    const now = clock.now(message.environment_id);
    const { reason, integration } = why;
    const paused = integration && { integrationId: integration.id, integration: integration.identifier };
    const details = [detail(why.detail, now, { raw: { until: until.toISOString(), reason, ...paused } })];
    return [{ ...emptyJobUpdate(message, now), status: "delayed", details, wake_at: until }];
  });
  await updateJobs(batch.db, delayed);
  const toTask = ({ task, message, until, heldBy, isReleased }: PlannedWait): Timed & { heldBy?: string } => ({
    environmentId: message.environment_id,
    data: {
      messageIds: [message.id],
      ...rankIn(task.data),
      ...(heldBy && { heldBy, ...(isReleased && { isReleased }) }),
    } satisfies DeliverTask,
    at: until,
    lane: message.integration_id ?? undefined,
    heldBy,
  });
  await enqueueTimed(batch, "deliver", waits.filter((wait) => !wait.isRealTime).map(toTask));
  await batch.queue.enqueue(
    batch.db,
    "deliver",
    waits
      .filter((wait) => wait.isRealTime)
      .map(toTask)
      .map(({ environmentId, data, at, lane, heldBy }) => ({
        data,
        environmentId,
        lane,
        cost: costOf("deliver", data),
        ...rankIn(data),
        startAfter: at,
        group: clock.isStopped(environmentId) ? inFlightGroup(environmentId) : heldBy && heldGroup(heldBy),
      })),
  );
}

/** When the attempt starts. A test clock does not move while a call waits for its reserved time. */
function startOf(clock: Clock, { environment_id }: MessageRow, startAt = 0): Date {
  const now = clock.now(environment_id);
  return startAt > now.getTime() && !clock.isStopped(environment_id) ? new Date(startAt) : now;
}

function writeAttempts({ db, clock }: Batch, sends: PlannedSend[]): Promise<void> {
  return insertAttempts(
    db,
    sends.flatMap(({ attemptId, message, integration, number, startAt }) =>
      attemptId === null
        ? []
        : {
            id: attemptId,
            environment_id: message.environment_id,
            message_id: message.id,
            integration_id: integration.id,
            number,
            round: message.round,
            started_at: startOf(clock, message, startAt),
          },
    ),
  );
}

async function addContents(
  batch: Batch,
  sends: PlannedSend[],
  { deliveryStates, versions }: Facts,
  readSecrets: ReadSecrets,
): Promise<PlannedSend[]> {
  const parts = await loadMessageParts(batch, sends);
  const replaced = await loadReplaced(batch, sends);
  return sends.map((send) => {
    const { attemptId, message, integration, leftOut } = send;
    if (attemptId === null) return send;
    const { credentials, configurations } = readSecrets(integration);
    try {
      const whole = toProviderMessage(message, integration.provider_id, configurations, parts);
      const state = deliveryStates.get(message.id)!;
      const content = withOrigin(removeCopies(whole, leftOut), state);
      const version = versions.get(state.workflow_version_id);
      const old = replaced.get(String(message.outgoing?.replaces));
      const replaces = old && {
        content: toProviderMessage(old, integration.provider_id, configurations, parts),
        providerMessageId: old.provider_message_id,
      };
      return { ...send, credentials, replaces, content: withUnsubscribe(batch, message, version, content) };
    } catch (error) {
      // Without content the message fails; an exception would repeat the whole batch for ever.
      batch.log.error({ err: error, messageId: message.id }, "a message cannot be put together");
      return { ...send, credentials };
    }
  });
}

/** Earlier messages that these replace, by id; only of events with a supersede key. */
async function loadReplaced({ db, secrets }: Batch, sends: PlannedSend[]): Promise<Map<string, MessageRow>> {
  const keys = sends.flatMap(({ message, integration }) => {
    const id = message.outgoing?.replaces;
    const isPossible = typeof id === "string" && message.integration_id === integration.id;
    return isPossible ? [{ environment_id: message.environment_id, id }] : [];
  });
  const rows = await findSentMessages(db, keys);
  return new Map(rows.map((row) => [row.id, openMessage(secrets, row)]));
}
