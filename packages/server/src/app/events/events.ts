// Triggering events. Each event of a request is evaluated on its own (evaluation.ts); the accepted ones are stored together
// with their tasks for the pipeline in the transaction of the request, so nothing is lost once the answer is sent. Requests
// that arrive while others are being worked on share a transaction (http/shared-requests.ts).
import type { Input, Output, TriggerEvent, TriggerResult } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { Failure, refusalOf } from "../../failure.ts";
import { storeAndStart } from "../../pipeline/trigger/trigger.ts";
import { claimTransactionIds, insertEventParts } from "../../store/events/events.ts";
import { insertRefusedEvents } from "../../store/events/refused-events.ts";
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

/** What a handler answers to each of several requests that share a transaction. One that is refused has changed nothing. */
type Outcomes<Id extends "events.trigger" | "events.triggerBulk"> = Promise<(Output<Id> | Failure)[]>;

export async function triggerBulk(
  ctx: Ctx,
  caller: Caller,
  inputs: Input<"events.triggerBulk">[],
): Outcomes<"events.triggerBulk"> {
  const requests = inputs.map(({ body }) => body.events);
  const accepted = await acceptRequests(ctx, caller, requests, null);
  return accepted.map((outcome) => (outcome instanceof Failure ? outcome : outcome.map(({ result }) => result)));
}

export async function trigger(ctx: Ctx, caller: Caller, inputs: Input<"events.trigger">[]): Outcomes<"events.trigger"> {
  return triggerEach(
    ctx,
    caller,
    inputs.map(({ body }) => body),
    null,
  );
}

export async function broadcast(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"events.broadcast">,
): Promise<Output<"events.broadcast">> {
  return triggerOne(ctx, caller, { ...body, to: [] }, { kind: "everyone" });
}

/** Throws when the event is refused. */
export async function triggerOne(
  ctx: Ctx,
  caller: Caller,
  event: TriggerEvent,
  audience: Audience | null = null,
): Promise<TriggerResult> {
  const [outcome] = await triggerEach(ctx, caller, [event], audience);
  if (outcome instanceof Failure) throw outcome;
  return outcome!;
}

/** Requests with one event each. */
async function triggerEach(
  ctx: Ctx,
  caller: Caller,
  events: TriggerEvent[],
  audience: Audience | null,
): Promise<(TriggerResult | Failure)[]> {
  const requests = events.map((event) => [event]);
  const accepted = await acceptRequests(ctx, caller, requests, audience);
  return accepted.map((outcome, index) => {
    if (outcome instanceof Failure) return outcome;
    const [evaluation] = outcome;
    return refusalOf(() => throwIfRefused(events[index]!, evaluation!)) ?? evaluation!.result;
  });
}

/**
 * Evaluates the events of the requests, and stores the accepted ones with their contexts, tenants, attachments, search values and tasks. All
 * requests are of the caller's environment; their events are evaluated in order, as if the requests had come one after the other.
 */
async function acceptRequests(
  ctx: Ctx,
  caller: Caller,
  requests: TriggerEvent[][],
  audience: Audience | null,
): Promise<(Evaluation[] | Failure)[]> {
  const { environmentId } = caller;
  const refusals = requests.map((events) => refusalOf(() => checkPayloadSizes(events)));
  const open = requests.filter((_, index) => !refusals[index]);
  const events = open.flat();
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
  const values = accepted.flatMap(({ event, searchValues }) =>
    searchValues.map((value) => ({ environment_id: environmentId, value, id: event.id })),
  );
  await insertEventParts(ctx.db, files, values);
  const ofRequests = divide(evaluations, open);
  const kept = new Set(accepted);
  const rows = ofRequests.map((own) =>
    own.flatMap((one) => (one.accepted && kept.has(one.accepted) ? one.accepted.event : [])),
  );
  await storeAndStart({ ...ctx, clock }, environmentId, rows);
  const refused = evaluations.flatMap((one) => one.refused ?? []);
  if (refused.length > 0) await insertRefusedEvents(ctx.db, environmentId, refused);
  for (const { result } of evaluations) ctx.metrics.events.inc({ status: result.status });
  return refusals.map((refusal) => refusal ?? ofRequests.shift()!);
}

/** Divides the items into lists as long as those of `requests`. */
function divide<T>(items: T[], requests: unknown[][]): T[][] {
  const rest = [...items];
  return requests.map(({ length }) => rest.splice(0, length));
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
