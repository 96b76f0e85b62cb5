// Runs calls that write, in one transaction: a single call, or a batch of calls to trigger events (triggers/batch.ts).
// Order of checks: idempotency, validation, existence, state.
import type { Ctx } from "../../context.ts";
import { hintAfter } from "../../lib/inbox-hints.ts";
import { type Call, type CallResponse, refuseCall } from "./call.ts";
import { runOncePerKey } from "./idempotency.ts";

type Write = {
  /** External calls, made before the transaction. */
  precheck?: () => Promise<void>;
  /**
   * Returns the responses to the calls that have no stored one, in order. `scope`: the context with the transaction.
   */
  run(scope: Ctx, calls: Call[]): Promise<CallResponse[]>;
};

/** `calls`: at least one, all of one environment. Errors of several calls are thrown: see runOncePerKey. */
export async function writeCalls(ctx: Ctx, calls: Call[], { precheck, run }: Write): Promise<CallResponse[]> {
  const environmentId = calls[0]!.request.caller?.environmentId ?? "";
  const responses: CallResponse[] = await hintAfter(ctx.hints, (hints) =>
    runOncePerKey<Call, CallResponse>(ctx, environmentId, calls, {
      precheck,
      run: (db, open) => run({ ...ctx, db, hints }, open),
      refuse: refuseCall,
    }),
  );
  for (const [index, { sentKey, reply }] of calls.entries()) {
    if (sentKey === null) continue;
    reply.header("idempotency-key", sentKey);
    if (responses[index]!.isReplay) reply.header("idempotency-replay", "true");
  }
  return responses;
}
