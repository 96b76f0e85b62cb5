// Before a batch is sent: which messages are still wanted, through which integration each goes, and whether it may go
// now. What may is written down as an attempt before the call is made; the rest waits, without counting as one.
import { findProvider } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import { emptyJobUpdate, type JobUpdate, updateJobs } from "../../store/events/jobs.batch.ts";
import { findHealthOfBatch } from "../../store/integrations/breakers.batch.ts";
import { findActiveIntegrationsOfBatch, findIntegrationsOfBatch } from "../../store/integrations/integrations.batch.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import {
  type DeliveryState,
  findDeliveryStates,
  insertAttempts,
  summarizeAttempts,
} from "../../store/messages/attempts.batch.ts";
import { holdPendingMessages } from "../../store/messages/messages.batch.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import type { Task } from "../../store/queue/queue.ts";
import { findSuppressedAddresses } from "../../store/subscribers/subscribers.batch.ts";
import { type Batch, openBatch } from "../batch.ts";
import { type Clock, enqueueTimed, type Timed, underWayIn } from "../clock/clock.ts";
import { openMessage } from "../encrypted-parts.ts";
import { detail } from "../rules/details.ts";
import { loadVersions } from "../run/versions.ts";
import { costOf, type DeliverTask } from "../tasks.ts";
import { toHealth } from "./health.ts";
import { createOpener } from "./integration-secrets.ts";
import type { Boarding } from "./lanes.ts";
import { loadEnclosures, toProviderMessage, withOrigin } from "./message.ts";
import { type Paced, pace } from "./paced.ts";
import type { PlanFacts, Send, Wait } from "./plan.ts";
import { planAll } from "./probes.ts";
import { leaveOut, recipientsOf } from "./recipients.ts";
import { withUnsubscribe } from "./unsubscribe.ts";
import { withdraw } from "./withdraw.ts";

/** Answers what is to be sent now. Tasks of messages that need nothing any more, or not yet, are finished here. */
export async function prepare(tx: Ctx, tasks: Task<DeliverTask>[], boarding: Boarding): Promise<Send[]> {
  // What is sent cannot be taken back, so a lapsed claim has to show before, not when the result is written.
  const kept = await tx.queue.keep(tx.db, "deliver", tasks);
  const held = await holdPendingMessages(
    tx.db,
    kept.map((task) => task.data.messageId),
  );
  const pending = held.map((message) => openMessage(tx.secrets, message));
  const deliveryStates = await findDeliveryStates(
    tx.db,
    pending.map((message) => message.id),
  );
  const batch = await openBatch(tx, new Set(pending.map((message) => message.environment_id)));
  await withdraw(batch, pending, deliveryStates);
  const unwanted = new Set(deliveryStates.flatMap((row) => (row.stopped === null ? [] : row.message_id)));
  const messages = new Map(pending.filter(({ id }) => !unwanted.has(id)).map((row) => [row.id, row]));
  const facts = await loadFacts(batch, [...messages.values()], deliveryStates);

  const open = createOpener(batch);
  const sends: Send[] = [];
  const waits: Wait[] = [];
  const paced: Paced[] = [];
  const due = kept.flatMap((task) => {
    const message = messages.get(task.data.messageId);
    return message ? [{ task, message }] : [];
  });
  const idle = kept.filter((task) => !messages.has(task.data.messageId));
  for (const plan of await planAll(batch, due, facts)) {
    if ("until" in plan) waits.push(plan);
    else if (plan.attemptId === null) sends.push(plan);
    else {
      const { task, message, integration, isProbe } = plan;
      const place = { environmentId: message.environment_id, lane: integration.id };
      const entry = boarding.enter(place, { isProbe, now: facts.now.getTime() });
      const perSecond = open(integration).configurations.maxPerSecond ?? knownRate(integration);
      if (entry.kind === "wait") waits.push({ task, message, until: new Date(entry.until), isReal: true });
      else if (perSecond && !isProbe) paced.push({ send: plan, place, perSecond });
      else sends.push(plan);
    }
  }
  for (const { send, startAt, until } of await pace(batch.db, paced, boarding, facts.now.getTime())) {
    if (startAt !== undefined) sends.push({ ...send, startAt });
    else waits.push({ task: send.task, message: send.message, until: new Date(until), isReal: true });
  }
  await writeWaits(batch, waits, facts);
  const done = [...idle, ...waits.map((wait) => wait.task)];
  if (done.length > 0) await batch.queue.finish(batch.db, "deliver", done);
  await writeAttempts(batch, sends);
  const enclosures = await loadEnclosures(batch, sends);
  return sends.map((send) => {
    const { message, integration } = send;
    if (send.attemptId === null) return send;
    const { credentials, configurations } = open(integration);
    try {
      const whole = toProviderMessage(message, integration.provider_id, configurations, enclosures);
      const standing = facts.deliveryStates.get(message.id)!;
      const content = withOrigin(leaveOut(whole, send.leftOut), standing);
      const version = facts.versions.get(standing.workflow_version_id);
      return { ...send, credentials, content: withUnsubscribe(batch, message, version, content) };
    } catch (error) {
      // One that nobody can put together must not come back with its whole batch for ever.
      batch.log.error({ err: error, messageId: message.id }, "a message cannot be put together");
      return { ...send, credentials };
    }
  });
}

/** Calls a second that the provider is known to allow. */
const knownRate = ({ provider_id }: IntegrationRow): number | undefined => findProvider(provider_id)?.limits?.perSecond;

type Facts = Omit<PlanFacts, "probes">;

async function loadFacts(batch: Batch, messages: MessageRow[], deliveryStates: DeliveryState[]): Promise<Facts> {
  const now = batch.now();
  const tried = await summarizeAttempts(
    batch.db,
    messages.map((message) => message.id),
    now,
  );
  const active = await findActiveIntegrationsOfBatch(batch.db, [
    ...new Set(messages.map((message) => message.environment_id)),
  ]);
  const meant = [...new Set(messages.flatMap((message) => message.integration_id ?? []))];
  const known = new Set(active.map((one) => one.id));
  // Switched off or deleted after the message was made: the message is still tried with it first.
  const others = await findIntegrationsOfBatch(
    batch.db,
    meant.filter((id) => !known.has(id)),
  );
  const integrations = new Map([...active, ...others].map((one) => [one.id, one]));
  const health = new Map(
    (await findHealthOfBatch(batch.db, [...integrations.keys()])).map((row) => [row.integration_id, toHealth(row)]),
  );
  return {
    clock: batch.clock,
    now,
    deliveryStates: new Map(deliveryStates.map((row) => [row.message_id, row])),
    versions: await loadVersions(
      batch,
      deliveryStates.map((row) => row.workflow_version_id),
    ),
    tried: Map.groupBy(tried, (row) => row.message_id),
    active,
    integrations,
    health,
    suppressed: await findSuppressedAddresses(
      batch.db,
      messages.map((message) => ({ ...message, addresses: recipientsOf(message) })),
    ),
  };
}

/** Waiting is no attempt: the task comes back later, and the job says so once. */
async function writeWaits(batch: Batch, waits: Wait[], { deliveryStates }: Facts): Promise<void> {
  const { clock } = batch;
  const held = waits.flatMap(({ message, until, reason }): JobUpdate[] => {
    const isSingle = message.channel === "email" || message.channel === "sms";
    if (!reason || !isSingle || deliveryStates.get(message.id)?.job_status !== "queued") return [];
    const now = clock.now(message.environment_id);
    const details = [detail("step_delayed", now, { raw: { until: until.toISOString(), reason } })];
    return [{ ...emptyJobUpdate(message.job_id, now), status: "delayed", details, wake_at: until }];
  });
  await updateJobs(batch.db, held);
  const timed = ({ message, until }: Wait): Timed => ({
    environmentId: message.environment_id,
    data: { messageId: message.id },
    at: until,
    lane: message.integration_id ?? undefined,
  });
  const [real, other] = [waits.filter((wait) => wait.isReal), waits.filter((wait) => !wait.isReal)];
  await enqueueTimed(batch, "deliver", other.map(timed));
  await batch.queue.enqueue(
    batch.db,
    "deliver",
    real.map(timed).map(({ environmentId, data, at, lane }) => ({
      data,
      environmentId,
      lane,
      cost: costOf("deliver", data),
      startAfter: at,
      group: clock.isStopped(environmentId) ? underWayIn(environmentId) : undefined,
    })),
  );
}

/** On a test clock no time passes while a message waits for its moment. */
function startOf(clock: Clock, { environment_id }: MessageRow, startAt = 0): Date {
  const now = clock.now(environment_id);
  return startAt > now.getTime() && !clock.isStopped(environment_id) ? new Date(startAt) : now;
}

const writeAttempts = ({ db, clock }: Batch, sends: Send[]): Promise<void> =>
  insertAttempts(
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
