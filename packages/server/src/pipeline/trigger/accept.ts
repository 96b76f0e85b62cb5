// Accepting events, in the transaction of a request or of a run that starts another workflow. What is stored in
// addition to the events, and who gets a transaction id that two of them name.
import type { Ctx } from "../../context.ts";
import { type Failure, refusalOf } from "../../failure.ts";
import { claimTransactionIds, insertEventParts, type NewEvent } from "../../store/events/events.ts";
import { insertRefusedEvents } from "../../store/events/refused-events.ts";
import { resolveContexts } from "../../store/subscribers/contexts.ts";
import { upsertTenants } from "../../store/subscribers/tenants.ts";
import type { Audience } from "../../store/tables.ts";
import type { TriggerTarget } from "../../store/workflows/workflows.ts";
import type { Batch } from "../batch.ts";
import {
  type AcceptedEvent,
  checkPayloadSizes,
  type Evaluation,
  type EventPlace,
  evaluateEvents,
  type RequestedEvent,
} from "./evaluation.ts";
import { mergeTenants } from "./tenants.ts";

export type RequestOutcome = Evaluation[] | Failure;

/**
 * `audience`: whom the events reach in addition to the recipients that they name. `targets`: the workflows, where they
 * are not stored. `store`: stores the accepted events of each request, and starts them or enqueues their tasks.
 */
export type AcceptOptions = {
  audience?: Audience | null;
  targets?: TriggerTarget[];
  store: (batch: Batch, environmentId: string, requests: NewEvent[][]) => Promise<void>;
};

/**
 * Evaluates the events, and stores the accepted ones with their contexts, tenants, attachments, search values and
 * tasks. All requests are of one environment; their events are evaluated in order, as if the requests had come one
 * after the other. Returns the outcome of each request.
 */
export async function acceptEvents(
  ctx: Batch,
  place: EventPlace,
  events: RequestedEvent[],
  { audience = null, targets, store }: AcceptOptions,
): Promise<Map<object, RequestOutcome>> {
  const { environmentId } = place;
  const outcomes = refuseLargePayloads(events);
  const open = events.filter(({ request }) => !outcomes.has(request));
  const now = ctx.clock.now(environmentId);
  const evaluations = await evaluateEvents(ctx, place, open, { audience, now, targets });
  const accepted = await dropDuplicates(ctx, environmentId, evaluations);
  await storeEventParts(ctx, environmentId, accepted, now);
  const requests = Map.groupBy(accepted, ({ request }) => request).values();
  const rows = [...requests].map((own) => own.map((one) => one.accepted.event));
  await store(ctx, environmentId, rows);
  const refused = evaluations.flatMap((one) => one.refused ?? []);
  if (refused.length > 0) await insertRefusedEvents(ctx.db, environmentId, refused);
  for (const { result } of evaluations) ctx.metrics.events.inc({ status: result.status });
  for (const [request, own] of Map.groupBy(evaluations, ({ request }) => request)) outcomes.set(request, own);
  return outcomes;
}

/** The requests that are refused as a whole. */
export function refuseLargePayloads(events: RequestedEvent[]): Map<object, RequestOutcome> {
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
