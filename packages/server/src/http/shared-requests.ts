// Requests that share a transaction. A transaction of its own costs a request to trigger events some 5 ms of processor time,
// however few events it has: a dozen statements, each with a round trip, and a commit. So the requests of an environment that wait
// for their turn (admission.ts) are worked on together when it comes: their keys are claimed, their events written and their answers
// stored by the same statements. Each gets the answer that it would get alone, and one that arrives alone does not wait
// (docs/decisions/0024-shared-transactions.md).
import type { Caller, NetworkCtx } from "../context.ts";
import { Failure, refusalOf } from "../failure.ts";
import { hintAfter } from "../lib/inbox-hints.ts";
import { isObject } from "../lib/json.ts";
import { mapWithPauses } from "../lib/pauses.ts";
import { recipientsPerBatch } from "../pipeline/tasks.ts";
import { isDatabaseUnavailable } from "../store/db.ts";
import type { Admission } from "./admission.ts";
import { type Answer, answerWrite, type Call, failureAnswer, serialize } from "./handle.ts";
import { readIdempotencyKey, runTogether } from "./idempotency.ts";
import type { Handler, Shared } from "./routes.ts";
import { openAnswer, sealAnswer } from "./stored-answers.ts";

/** What one transaction takes at most: as many recipients as a batch of the pipeline, or 2 MB of requests. */
const mostCost = recipientsPerBatch;
const bytesPerCost = 4_096;
/** How long a request waits for others to share with, while other transactions of its environment are under way. */
const waitMs = 3;

/** A request that may share a transaction: that of an API key. */
type Sharer = Call & { caller: Caller; key: string | null; cost: number };

/** How requests that accept events are answered: when they are admitted, and together where the handler allows that. */
export function createAdmittedAnswer(
  ctx: NetworkCtx,
  admission: Admission,
  handler: Handler,
  isSingle: boolean,
): (call: Call) => Promise<Answer> {
  const answerAlone = (call: Call) =>
    admission.run({ environmentId: call.request.caller!.environmentId, isSingle }, () => answerWrite(call));
  if (!("runMany" in handler)) return answerAlone;
  const gather = admission.gather<Sharer, Answer>(isSingle, {
    costOf: ({ cost }) => cost,
    mostCost,
    waitMs,
    run: (sharers) => answerAll(ctx, handler, sharers),
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

/** Whether the input fits. One that does not runs alone: the order of checks puts the key before the input. */
const hasFittingInput = ({ readInput }: Sharer): boolean => refusalOf(readInput) === null;

type SharedHandler = Shared<Caller | null, never, unknown>;

async function answerAll(
  ctx: NetworkCtx,
  handler: SharedHandler,
  sharers: Sharer[],
): Promise<PromiseSettledResult<Answer>[]> {
  // Of two requests with the same key, the second runs alone and is answered with what the first has stored.
  const firstOfKeys = new Map(sharers.toReversed().map((sharer) => [sharer.key, sharer]));
  const firsts = sharers.filter((sharer) => sharer.key === null || firstOfKeys.get(sharer.key) === sharer);
  const fits = firsts.length > 1 ? await mapWithPauses(firsts, hasFittingInput) : [];
  const answers = await answerTogether(
    ctx,
    handler,
    firsts.filter((_, index) => fits[index]),
  );
  const results: PromiseSettledResult<Answer>[] = [];
  for (const sharer of sharers) {
    const shared = answers.get(sharer);
    const [result] = await Promise.allSettled([shared ?? answerWrite(sharer)]);
    results.push(result);
  }
  return results;
}

/** Answers the requests in one transaction; none of them when that fails, or when there is one only: they have to run alone. */
async function answerTogether(
  ctx: NetworkCtx,
  handler: SharedHandler,
  sharers: Sharer[],
): Promise<Map<Sharer, Answer>> {
  if (sharers.length < 2) return new Map();
  try {
    const answers = await hintAfter(ctx.hints, (hints) => runInOne({ ...ctx, hints }, handler, sharers));
    return new Map(sharers.map((sharer, index) => [sharer, answers[index]!]));
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    ctx.log.warn({ err: error, requests: sharers.length }, "requests could not share a transaction and run alone");
    return new Map();
  }
}

async function runInOne(ctx: NetworkCtx, { runMany }: SharedHandler, sharers: Sharer[]): Promise<Answer[]> {
  const { caller } = sharers[0]!;
  const requests = sharers.map(({ request: { method, url, body }, key }) => ({ method, url, body, key }));
  const answers = await runTogether(ctx.db, caller.environmentId, requests, {
    work: async (db, indexes) => {
      const running = indexes.map((index) => sharers[index]!);
      const inputs = running.map((sharer) => sharer.readInput() as never);
      const outcomes = await runMany({ ...ctx, db }, caller, inputs);
      return running.map((sharer, index) => toAnswer(sharer, outcomes[index]));
    },
    seal: (text) => sealAnswer(ctx.secrets, text),
    open: (stored) => openAnswer(ctx.secrets, stored),
  });
  return sharers.map((sharer, index) => {
    const answer = answers[index]!;
    if (sharer.key !== null) sharer.reply.header("idempotency-key", sharer.key);
    if (answer instanceof Failure) return toAnswer(sharer, answer);
    if (answer.isReplay) sharer.reply.header("idempotency-replay", "true");
    return answer;
  });
}

/** `isKept`: the answer is stored under the key of the request. */
function toAnswer({ operation, request, reply }: Sharer, outcome: unknown): Answer & { isKept: boolean } {
  if (!(outcome instanceof Failure)) return { ...serialize(operation, outcome, reply, undefined), isKept: true };
  const answer = failureAnswer(outcome, request, reply);
  if (!answer) throw outcome;
  return answer;
}
