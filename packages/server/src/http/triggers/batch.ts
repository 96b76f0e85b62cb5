// A batch: calls of one operation and one environment that share a transaction. Their keys are claimed, their events
// written and their responses stored by the same statements. Each gets the response that it would get alone.
import { mayRaisePriority, type NetworkCtx } from "../../context.ts";
import { Failure, refusalOf } from "../../failure.ts";
import { mapWithPauses } from "../../lib/load/pauses.ts";
import { findDatabaseFault } from "../../store/faults.ts";
import type { BatchHandler } from "../handler.ts";
import { type Call, type CallResponse, refuseCall } from "../request/call.ts";
import { writeCalls } from "../request/write.ts";

/** The results of a batch, in the order of its calls. */
export type BatchResults = PromiseSettledResult<CallResponse>[];

export async function runBatch(ctx: NetworkCtx, handler: BatchHandler, calls: Call[]): Promise<BatchResults> {
  try {
    const responses = await respondTogether(ctx, handler, calls);
    return responses.map((value) => ({ status: "fulfilled", value }));
  } catch (reason) {
    // When the database fails, each call would wait again for what all of them have waited for.
    const isDivisible = calls.length > 1 && (findDatabaseFault(reason) ?? "conflict") === "conflict";
    if (!isDivisible) return calls.map(() => ({ status: "rejected", reason }));
    ctx.log.warn({ err: reason, requests: calls.length }, "requests could not share a transaction and run alone");
    const results: BatchResults = [];
    for (const call of calls) results.push(...(await runBatch(ctx, handler, [call])));
    return results;
  }
}

async function respondTogether(ctx: NetworkCtx, { batch }: BatchHandler, calls: Call[]): Promise<CallResponse[]> {
  // Long bodies take time to check, so this is done before the transaction. Stored responses come before these
  // refusals.
  const refusals = new Map(await mapWithPauses(calls, (call) => [call, refusalOf(call.readInput)] as const));
  return writeCalls(ctx, calls, {
    async run(scope, open) {
      const valid = open.filter((call) => !refusals.get(call));
      const inputs = valid.map(inputOf);
      const outcomes = valid.length > 0 ? await batch(scope, valid[0]!.request.caller, inputs) : [];
      const outcomeOf = new Map<Call, unknown>([
        ...refusals,
        ...valid.map((call, at) => [call, outcomes[at]] as const),
      ]);
      const responses: CallResponse[] = [];
      for (const call of open) {
        const outcome = outcomeOf.get(call);
        if (!(outcome instanceof Failure)) responses.push(await call.complete(scope, async () => outcome));
        else responses.push(refuseOrThrow(call, outcome));
      }
      return responses;
    },
  });
}

/** The caller is that of the first call: what another key of the environment may is part of the input. */
function inputOf({ request: { trace, caller }, readInput }: Call) {
  const mayRaise = caller !== null && mayRaisePriority(caller);
  return trace || mayRaise ? { ...readInput(), trace, mayRaisePriority: mayRaise } : readInput();
}

/** A refusal is a response too: its call has written nothing. An internal error fails the batch. */
function refuseOrThrow(call: Call, refusal: Failure): CallResponse {
  const response = refuseCall(call, refusal);
  if (!response) throw refusal;
  return response;
}
