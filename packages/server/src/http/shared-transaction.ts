// Answers requests of one environment in one transaction: their keys are claimed, their events written and their answers stored by
// the same statements. Each gets the answer that it would get alone.
import type { Caller, NetworkCtx } from "../context.ts";
import { Failure } from "../failure.ts";
import { hintAfter } from "../lib/inbox-hints.ts";
import { mapWithPauses } from "../lib/load/pauses.ts";
import { findDatabaseFault } from "../store/faults.ts";
import { type Answer, type Call, failureAnswer, serialize } from "./call.ts";
import { answerWrite } from "./handle.ts";
import { runTogether } from "./idempotency.ts";
import type { Shared } from "./routes.ts";
import { openAnswer, sealAnswer } from "./stored-answers.ts";

export type SharedHandler = Shared<Caller | null, never, unknown>;

/** A call of an API key that may share a transaction; `key`: its idempotency key. */
export type SharedCall = Call & { caller: Caller; key: string | null };

export async function answerAll(
  ctx: NetworkCtx,
  handler: SharedHandler,
  calls: SharedCall[],
): Promise<PromiseSettledResult<Answer>[]> {
  // Of two requests with the same key, the second runs alone and is answered with what the first has stored.
  const firstOfKeys = new Map(calls.toReversed().map((call) => [call.key, call]));
  const firsts = calls.filter((call) => call.key === null || firstOfKeys.get(call.key) === call);
  const fits = firsts.length > 1 ? await mapWithPauses(firsts, hasFittingInput) : [];
  const answers = await answerTogether(
    ctx,
    handler,
    firsts.filter((_, index) => fits[index]),
  );
  const results: PromiseSettledResult<Answer>[] = [];
  for (const call of calls) {
    const shared = answers.get(call);
    const [result] = await Promise.allSettled([shared ?? answerWrite(call)]);
    results.push(result);
  }
  return results;
}

/**
 * Whether the input fits. One that does not runs alone: the order of checks puts the key before the input. So does one that cannot
 * be checked: the error is its own.
 */
function hasFittingInput({ readInput }: SharedCall): boolean {
  try {
    readInput();
    return true;
  } catch {
    return false;
  }
}

/** Answers the calls in one transaction; none of them when that fails, or when there is one only: they have to run alone. */
async function answerTogether(
  ctx: NetworkCtx,
  handler: SharedHandler,
  calls: SharedCall[],
): Promise<Map<SharedCall, Answer>> {
  if (calls.length < 2) return new Map();
  try {
    const answers = await hintAfter(ctx.hints, (hints) => runInOne({ ...ctx, hints }, handler, calls));
    return new Map(calls.map((call, index) => [call, answers[index]!]));
  } catch (error) {
    // Each of them would wait again for what all of them have waited for.
    if ((findDatabaseFault(error) ?? "conflict") !== "conflict") throw error;
    ctx.log.warn({ err: error, requests: calls.length }, "requests could not share a transaction and run alone");
    return new Map();
  }
}

async function runInOne(ctx: NetworkCtx, { runMany }: SharedHandler, calls: SharedCall[]): Promise<Answer[]> {
  const { caller } = calls[0]!;
  const requests = calls.map(({ request: { method, url, body }, key }) => ({ method, url, body, key }));
  const answers = await runTogether(ctx.db, caller.environmentId, requests, {
    work: async (db, indexes) => {
      const running = indexes.map((index) => calls[index]!);
      const inputs = running.map((call) => call.readInput() as never);
      const outcomes = await runMany({ ...ctx, db }, caller, inputs);
      return running.map((call, index) => toAnswer(call, outcomes[index]));
    },
    seal: (text) => sealAnswer(ctx.secrets, text),
    open: (stored) => openAnswer(ctx.secrets, stored),
  });
  return calls.map((call, index) => {
    const answer = answers[index]!;
    if (call.key !== null) call.reply.header("idempotency-key", call.key);
    if (answer instanceof Failure) return toAnswer(call, answer);
    if (answer.isReplay) call.reply.header("idempotency-replay", "true");
    return answer;
  });
}

/** `isKept`: the answer is stored under the key of the request. */
function toAnswer({ operation, request, reply }: SharedCall, outcome: unknown): Answer & { isKept: boolean } {
  if (!(outcome instanceof Failure)) return { ...serialize(operation, outcome, undefined), isKept: true };
  const answer = failureAnswer(outcome, request, reply);
  if (!answer) throw outcome;
  return answer;
}
