// Triggering events. Each event of a request is evaluated on its own (pipeline/trigger/evaluation.ts); the accepted
// ones are stored together with their tasks for the pipeline in the transaction of the request, so nothing is lost once
// the response is sent. Requests that wait for their turn share a transaction (http/triggers/batch.ts).
import type { Input, Output, TriggerEvent, TriggerResult } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { Failure, refusalOf } from "../../failure.ts";
import { type AcceptOptions, acceptEvents, type RequestOutcome } from "../../pipeline/trigger/accept.ts";
import { type RequestedEvent, type Traced, throwIfRefused } from "../../pipeline/trigger/evaluation.ts";
import { storeAndStart } from "../../pipeline/trigger/trigger.ts";
import type { TriggerTarget } from "../../store/workflows/workflows.ts";
import { environmentClock } from "../environments/clock.ts";

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
  const outcomes = await acceptRequests(ctx, caller, events);
  return inputs.map((request) => onlyResult(outcomes.get(request)!));
}

export async function triggerBulk(
  ctx: Ctx,
  caller: Caller,
  inputs: (Input<"events.triggerBulk"> & Traced)[],
): Outcomes<"events.triggerBulk"> {
  const events = inputs.flatMap((request) => request.body.events.map((event) => ({ request, event })));
  const outcomes = await acceptRequests(ctx, caller, events);
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
  const outcomes = await acceptRequests(ctx, caller, events, { audience: { kind: "everyone" } });
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
  const outcomes = await acceptRequests(ctx, caller, [{ request, event }], { targets: target && [target] });
  const outcome = onlyResult(outcomes.get(request)!);
  if (outcome instanceof Failure) throw outcome;
  return outcome;
}

/** The outcome of a request with one event. */
function onlyResult(outcome: RequestOutcome): TriggerResult | Failure {
  if (outcome instanceof Failure) return outcome;
  const [evaluation] = outcome;
  return refusalOf(() => throwIfRefused(evaluation!)) ?? evaluation!.result;
}

async function acceptRequests(
  ctx: Ctx,
  caller: Caller,
  events: RequestedEvent[],
  options: Pick<AcceptOptions, "audience" | "targets"> = {},
): Promise<Map<object, RequestOutcome>> {
  const batch = { ...ctx, clock: await environmentClock(ctx, caller) };
  return acceptEvents(batch, caller, events, { ...options, store: storeAndStart });
}
