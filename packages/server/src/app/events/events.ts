// Triggering events. Each event of a request is evaluated on its own (evaluation.ts); the accepted ones are stored together
// with their tasks for the pipeline in the transaction of the request, so nothing is lost once the answer is sent.
import type { Input, Output, TriggerEvent, TriggerResult } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { storeAndStart } from "../../pipeline/trigger/trigger.ts";
import { claimTransactionIds, insertEventAttachments } from "../../store/events/events.ts";
import { resolveContexts } from "../../store/subscribers/contexts.ts";
import { upsertTenants } from "../../store/subscribers/tenants.ts";
import type { Audience } from "../../store/tables.ts";
import { environmentClock } from "../environments/clock.ts";
import {
  type AcceptedEvent,
  checkPayloadSizes,
  type Evaluation,
  evaluateEvents,
  throwIfRefused,
} from "./evaluation.ts";
import { mergeTenants } from "./tenants.ts";

export async function triggerBulk(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"events.triggerBulk">,
): Promise<Output<"events.triggerBulk">> {
  checkPayloadSizes(body.events);
  const evaluations = await acceptEvents(ctx, caller, body.events, null);
  return evaluations.map(({ result }) => result);
}

export async function trigger(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"events.trigger">,
): Promise<Output<"events.trigger">> {
  return triggerOne(ctx, caller, body, null);
}

export async function broadcast(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"events.broadcast">,
): Promise<Output<"events.broadcast">> {
  return triggerOne(ctx, caller, { ...body, to: [] }, { kind: "everyone" });
}

async function triggerOne(
  ctx: Ctx,
  caller: Caller,
  event: TriggerEvent,
  audience: Audience | null,
): Promise<TriggerResult> {
  checkPayloadSizes([event]);
  const [evaluation] = await acceptEvents(ctx, caller, [event], audience);
  throwIfRefused(event, evaluation!);
  return evaluation!.result;
}

/** Evaluates the events, and stores the accepted ones with their contexts, tenants, attachments and tasks. */
async function acceptEvents(
  ctx: Ctx,
  caller: Caller,
  events: TriggerEvent[],
  audience: Audience | null,
): Promise<Evaluation[]> {
  const { environmentId } = caller;
  const clock = await environmentClock(ctx, caller);
  const now = clock.now(environmentId);
  const evaluations = await evaluateEvents(ctx, caller, events, { audience, now });
  const evaluated = evaluations.flatMap(({ accepted }) => accepted ?? []);
  const accepted = await dropDuplicates(ctx, environmentId, events, evaluated);
  // In this transaction and not in a worker: once the event is accepted, its contexts can be read and changed.
  await resolveContexts(ctx.db, environmentId, namedContexts(accepted), now);
  const tenants = mergeTenants(accepted.flatMap(({ tenant }) => tenant ?? []));
  await upsertTenants(ctx.db, environmentId, tenants, now);
  const files = accepted.flatMap(({ event, attachments }) =>
    attachments ? { id: event.id, environment_id: environmentId, attachments } : [],
  );
  await insertEventAttachments(ctx.db, files);
  const rows = accepted.map(({ event }) => event);
  await storeAndStart({ ...ctx, clock }, environmentId, rows);
  for (const { result } of evaluations) ctx.metrics.events.inc({ status: result.status });
  return evaluations;
}

/**
 * Claims the transaction ids that callers gave. An event whose id another request has claimed in the meantime was accepted
 * there and is dropped here; its answer is the same.
 */
async function dropDuplicates(
  ctx: Ctx,
  environmentId: string,
  events: TriggerEvent[],
  evaluated: AcceptedEvent[],
): Promise<AcceptedEvent[]> {
  const given = new Set(events.flatMap(({ transactionId }) => transactionId ?? []));
  const claims = evaluated
    .filter(({ event }) => given.has(event.transaction_id))
    .map(({ event }) => ({ transaction_id: event.transaction_id, event_id: event.id }));
  const won = await claimTransactionIds(ctx.db, environmentId, claims);
  return evaluated.filter(({ event }) => !given.has(event.transaction_id) || won.has(event.id));
}

/** Each context once, with the data of the first event that names it. */
function namedContexts(accepted: AcceptedEvent[]) {
  const contexts = accepted.flatMap((one) => one.contexts).reverse();
  return [...new Map(contexts.map((entry) => [`${entry.type}:${entry.id}`, entry])).values()];
}
