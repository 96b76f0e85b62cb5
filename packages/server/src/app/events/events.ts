// Triggering events. Each event of a request is evaluated on its own (evaluation.ts); the accepted ones are stored
// together with their tasks for the pipeline in the transaction of the request, so nothing is lost once the response is
// sent. Requests that wait for their turn share a transaction (http/triggers/batch.ts).
import type { Input, Output, TriggerEvent, TriggerResult } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { Failure, refusalOf } from "../../failure.ts";
import { storeAndStart } from "../../pipeline/trigger/trigger.ts";
import { claimTransactionIds, insertEventParts } from "../../store/events/events.ts";
import { insertRefusedEvents } from "../../store/events/refused-events.ts";
import { resolveContexts } from "../../store/subscribers/contexts.ts";
import { upsertTenants } from "../../store/subscribers/tenants.ts";
import type { Audience } from "../../store/tables.ts";
import type { TriggerTarget } from "../../store/workflows/workflows.ts";
import { environmentClock } from "../environments/clock.ts";
import {
  type AcceptedEvent,
  checkPayloadSizes,
  type Evaluation,
  evaluateEvents,
  type RequestedEvent,
  type Traced,
  throwIfRefused,
} from "./evaluation.ts";
import { mergeTenants } from "./tenants.ts";

/** The outcomes of requests that share a transaction, in order. One that is refused has changed nothing. */
type Outcomes<Id extends "events.trigger" | "events.triggerBulk" | "events.broadcast"> = Promise<
  (Output<Id> | Failure)[]
>;

export async function trigger(
  ctx: Ctx,
  caller: Caller,
  inputs: (Input<"events.trigger"> & Traced)[],
): Outcomes<"events.trigger"> {
  const events = inputs.map((request) => ({ request, event: request.body }));
  const outcomes = await acceptEvents(ctx, caller, events);
  return inputs.map((request) => onlyResult(outcomes.get(request)!));
}

export async function triggerBulk(
  ctx: Ctx,
  caller: Caller,
  inputs: (Input<"events.triggerBulk"> & Traced)[],
): Outcomes<"events.triggerBulk"> {
  const events = inputs.flatMap((request) => request.body.events.map((event) => ({ request, event })));
  const outcomes = await acceptEvents(ctx, caller, events);
  return inputs.map((request) => {
    const outcome = outcomes.get(request)!;
    return outcome instanceof Failure ? outcome : outcome.map(({ result }) => result);
  });
}

export async function broadcast(
  ctx: Ctx,
  caller: Caller,
  inputs: (Input<"events.broadcast"> & Traced)[],
): Outcomes<"events.broadcast"> {
  const events = inputs.map((request) => ({ request, event: { ...request.body, to: [] } }));
  const outcomes = await acceptEvents(ctx, caller, events, { audience: { kind: "everyone" } });
  return inputs.map((request) => onlyResult(outcomes.get(request)!));
}

/** Throws when the event is refused. `target`: a version of the workflow other than the saved one. */
export async function triggerOne(
  ctx: Ctx,
  caller: Caller,
  event: TriggerEvent,
  target?: TriggerTarget,
): Promise<TriggerResult> {
  const request = {};
  const outcomes = await acceptEvents(ctx, caller, [{ request, event }], { targets: target && [target] });
  const outcome = onlyResult(outcomes.get(request)!);
  if (outcome instanceof Failure) throw outcome;
  return outcome;
}

type RequestOutcome = Evaluation[] | Failure;

/** The outcome of a request with one event. */
function onlyResult(outcome: RequestOutcome): TriggerResult | Failure {
  if (outcome instanceof Failure) return outcome;
  const [evaluation] = outcome;
  return refusalOf(() => throwIfRefused(evaluation!)) ?? evaluation!.result;
}

/**
 * Evaluates the events, and stores the accepted ones with their contexts, tenants, attachments, search values and
 * tasks. All requests are of the caller's environment; their events are evaluated in order, as if the requests had come
 * one after the other. Returns the outcome of each request.
 */
async function acceptEvents(
  ctx: Ctx,
  caller: Caller,
  events: RequestedEvent[],
  { audience = null, targets }: { audience?: Audience | null; targets?: TriggerTarget[] } = {},
): Promise<Map<object, RequestOutcome>> {
  const { environmentId } = caller;
  const outcomes = refuseLargePayloads(events);
  const open = events.filter(({ request }) => !outcomes.has(request));
  const clock = await environmentClock(ctx, caller);
  const now = clock.now(environmentId);
  const evaluations = await evaluateEvents(ctx, caller, open, { audience, now, targets });
  const accepted = await dropDuplicates(ctx, environmentId, evaluations);
  await storeEventParts(ctx, environmentId, accepted, now);
  const requests = Map.groupBy(accepted, ({ request }) => request).values();
  const rows = [...requests].map((own) => own.map((one) => one.accepted.event));
  await storeAndStart({ ...ctx, clock }, environmentId, rows);
  const refused = evaluations.flatMap((one) => one.refused ?? []);
  if (refused.length > 0) await insertRefusedEvents(ctx.db, environmentId, refused);
  for (const { result } of evaluations) ctx.metrics.events.inc({ status: result.status });
  for (const [request, own] of Map.groupBy(evaluations, ({ request }) => request)) outcomes.set(request, own);
  return outcomes;
}

/** The requests that are refused as a whole. */
function refuseLargePayloads(events: RequestedEvent[]): Map<object, RequestOutcome> {
  const refusals = new Map<object, RequestOutcome>();
  for (const [request, own] of Map.groupBy(events, ({ request }) => request)) {
    const refusal = refusalOf(() => checkPayloadSizes(own.map(({ event }) => event)));
    if (refusal) refusals.set(request, refusal);
  }
  return refusals;
}

type AcceptedEvaluation = Evaluation & { accepted: AcceptedEvent };

/**
 * Claims the transaction ids that callers gave. An event whose id another request has claimed in the meantime was
 * accepted there and is dropped here; its result is the same.
 */
async function dropDuplicates(
  ctx: Ctx,
  environmentId: string,
  evaluations: Evaluation[],
): Promise<AcceptedEvaluation[]> {
  const evaluated = evaluations.filter((one): one is AcceptedEvaluation => one.accepted !== undefined);
  const hasGivenId = ({ event }: Evaluation) => event.transactionId !== undefined;
  const claims = evaluated
    .filter(hasGivenId)
    .map(({ accepted: { event } }) => ({ transaction_id: event.transaction_id, event_id: event.id }));
  const won = await claimTransactionIds(ctx.db, environmentId, claims);
  return evaluated.filter((one) => !hasGivenId(one) || won.has(one.accepted.event.id));
}

/** What is stored in addition to the events. */
async function storeEventParts(
  ctx: Ctx,
  environmentId: string,
  evaluations: AcceptedEvaluation[],
  now: Date,
): Promise<void> {
  const accepted = evaluations.map((one) => one.accepted);
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
}

/** Each context once, with the data of the first event that names it. */
function namedContexts(accepted: AcceptedEvent[]) {
  const contexts = accepted.flatMap((one) => one.contexts).reverse();
  return [...new Map(contexts.map((entry) => [`${entry.type}:${entry.id}`, entry])).values()];
}
