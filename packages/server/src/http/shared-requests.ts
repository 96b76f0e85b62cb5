// Requests that share a transaction. A transaction of its own costs a request to trigger events some 5 ms of processor time,
// however few events it has: a dozen statements, each with a round trip, and a commit. So the requests of an environment that wait
// for their turn (admission.ts) are worked on together when it comes (shared-transaction.ts), in this thread or, under load, in another
// one (handed-requests.ts). One that arrives alone does not wait (docs/decisions/0024-shared-transactions.md).
import type { OperationId } from "@tidings/contract";
import type { NetworkCtx } from "../context.ts";
import { refusalOf } from "../failure.ts";
import { isObject } from "../lib/json.ts";
import { recipientsPerBatch } from "../pipeline/tasks.ts";
import type { Admission } from "./admission.ts";
import type { Answer, Call } from "./call.ts";
import { handOver, type Threads } from "./handed-requests.ts";
import { answerWrite } from "./handle.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import type { Handler } from "./routes.ts";
import { answerAll, type SharedCall } from "./shared-transaction.ts";

/** What one transaction takes at most: as many recipients as a batch of the pipeline, or 2 MB of requests. */
const mostCost = recipientsPerBatch;
const bytesPerCost = 4_096;
/** How long a request waits for others to share with, while other transactions of its environment are under way. */
const waitMs = 3;

type Sharer = SharedCall & { cost: number };

/** How requests that accept events are answered: when they are admitted, and together where the handler allows that. */
export function createAdmittedAnswer(
  ctx: NetworkCtx,
  id: OperationId,
  handler: Handler,
  { admission, threads }: { admission: Admission; threads: Threads },
): (call: Call) => Promise<Answer> {
  const isSingle = id === "events.trigger";
  const answerAlone = (call: Call) =>
    admission.run({ environmentId: call.request.caller!.environmentId, isSingle }, () => answerWrite(call));
  if (!("runMany" in handler)) return answerAlone;
  const answerHere = (sharers: Sharer[]) => answerAll(ctx, handler, sharers);
  const gather = admission.gather<Sharer, Answer>(isSingle, {
    costOf: ({ cost }) => cost,
    mostCost,
    waitMs,
    run: (sharers) =>
      threads.run(isSingle, (thread) => {
        if (!thread || sharers.some(({ request }) => request.text === null)) return answerHere(sharers);
        ctx.metrics.handedOver.inc(sharers.length);
        return handOver(thread, id, sharers);
      }),
  });
  return (call) => {
    const sharer = toSharer(call);
    return sharer ? gather(sharer.caller.environmentId, sharer) : answerAlone(call);
  };
}

/** Null when the request has to be answered alone. */
function toSharer(call: Call): Sharer | null {
  const { caller, headers, body } = call.request;
  const readKey = () => readIdempotencyKey(headers["idempotency-key"]);
  if (!caller || caller.person || refusalOf(readKey)) return null;
  const bytes = Number(headers["content-length"] ?? Number.POSITIVE_INFINITY);
  return { ...call, caller, key: readKey(), cost: Math.max(countRecipients(body), bytes / bytesPerCost) };
}

/** Recipients in a body that is not checked yet: checking it takes long enough to wait for its turn. */
function countRecipients(body: unknown): number {
  const events: unknown[] = isObject(body) && Array.isArray(body.events) ? body.events : [body];
  return events.reduce<number>((sum, event) => {
    const to = isObject(event) ? event.to : undefined;
    return sum + (Array.isArray(to) ? Math.max(1, to.length) : 1);
  }, 0);
}
