// One request of one operation: parsed by now, authenticated and counted. Writing operations run in one transaction,
// under the caller's idempotency key if there is one; order of checks: idempotency, validation, existence, state. What has
// to be asked outside is asked before the transaction, which gets the answer and no way to ask.
import { type Operation, type OperationId, operations, readsOnly } from "@tidings/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { firstOf, isAlso, isPending, outputOf, plainTextOf } from "../answer.ts";
import type { Caller, Ctx, OutsideCtx } from "../context.ts";
import { Failure, type FieldFaults, failure, invalid } from "../failure.ts";
import { Crowded } from "../lib/turnstile.ts";
import { inRepeatableTransaction, isStatementTimeout } from "../store/db.ts";
import {
  type Check,
  compileBody,
  compileQuery,
  faultsOf,
  mergeFaults,
  unreadableNumbers,
  unstorableTexts,
  withLimits,
} from "../validation.ts";
import { errorAnswer } from "./errors.ts";
import { readIdempotencyKey, runOnce } from "./idempotency.ts";
import { rawRequestOf } from "./raw.ts";
import type { Handler } from "./routes.ts";
import { createTranslator } from "./vocabulary.ts";

const jsonType = "application/json; charset=utf-8";

/** Answers that must not be kept under an idempotency key although they are 4xx. */
const passing = new Set(["IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_KEY_REUSED", "RATE_LIMITED"]);

/** No JSON text begins so: those that were kept before all answers were encrypted are told apart by it. */
const isEncrypted = /^v\d+\./;

type Answer = { status: number; body: string | null; isText?: boolean };
/** With `settled`, the answer is worth waiting for once the request has committed. */
type Worked = Answer & { settled?: () => Promise<Answer> };
type Checks = { query?: Check; body?: Check };
/** A request that was read and has asked outside. */
type Asked = { input: unknown; found: unknown };

export function createRequestHandler(ctx: OutsideCtx, id: OperationId, handler: Handler) {
  const operation: Operation = operations[id];
  const { ask, act } = typeof handler === "function" ? { ask: undefined, act: handler } : handler;
  // Validation speaks the caller's words; everything between it and the answer, stored answers included, the contract's.
  const words = createTranslator(ctx.config.vocabulary, operation);
  const inWords = <S extends object>(schema: S): S => (words ? words.schema(schema) : schema);
  const { maxRecipients } = ctx.config;
  const checks: Checks = {
    query: operation.query && compileQuery(inWords(operation.query)),
    body: operation.body && compileBody(withLimits(inWords(operation.body), { maxRecipients })),
  };
  const { status, also = status } = operation.success;
  const isWrite = !readsOnly(operation);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { caller } = request;
    reply.code(status);

    const word = (answer: unknown): Answer => {
      const text = plainTextOf(answer);
      if (text !== undefined) return { status, body: text, isText: true };
      const code = isAlso(answer) ? also : status;
      const hasBody = operation.success.schema !== undefined;
      // The status chooses the serialiser.
      return { status: code, body: hasBody ? (reply.code(code).serialize(outputOf(answer)) as string) : null };
    };
    const read = (): unknown => {
      const checked = readInput(operation, checks, request);
      return words ? words.read(checked) : checked;
    };
    let asked: Asked | undefined;
    const askOutside =
      ask &&
      (async (): Promise<void> => {
        const input = read();
        asked = { input, found: await ask(ctx, caller, input as never) };
      });
    const work = async (scope: Ctx): Promise<Worked> => {
      const { input, found } = asked ?? { input: read(), found: undefined };
      const answer = await act(scope, caller, input as never, found as never);
      const settled = isPending(answer) ? async () => word(await answer.settled(ctx)) : undefined;
      return { ...word(firstOf(answer)), settled };
    };

    // An answer may hold keys, device tokens or addresses of webhooks: it is kept for a repeat encrypted.
    const seal = <A extends Answer>(answer: A): A =>
      answer.body ? { ...answer, body: ctx.secrets.encrypt(answer.body) } : answer;
    const unseal = (answer: Answer): Answer =>
      answer.body && isEncrypted.test(answer.body) ? { ...answer, body: ctx.secrets.decrypt(answer.body) } : answer;

    const answerWith = ({ status, body, isText }: Answer) =>
      isText ? sendText(reply, body) : send(reply, status, words && body !== null ? words.write(body) : body);

    if (!isWrite) return answerWith(await readWith(ctx, caller, work));

    // Without a caller there is nobody whose key it could be.
    const key = caller && readIdempotencyKey(request.headers["idempotency-key"]);
    if (!caller || key === null) {
      try {
        await askOutside?.();
        const answer = await inRepeatableTransaction(ctx.db, (tx) => work({ ...ctx, db: tx }));
        return answerWith(answer.settled ? await answer.settled() : answer);
      } catch (error) {
        // A conflict may carry the record that exists, and with it words.
        const refusal = words && wordFailure(error, request, reply);
        if (!refusal) throw error;
        return answerWith(refusal);
      }
    }
    const answer = await runOnce(
      ctx.db,
      { environmentId: caller.environmentId, key, method: request.method, url: request.url, body: request.body },
      // Not waited for: what is kept for a repeat is the answer as it was committed.
      async (tx) => {
        const { status, body } = await work({ ...ctx, db: tx });
        return seal({ status, body });
      },
      (error) => {
        const refusal = wordFailure(error, request, reply);
        return refusal && seal(refusal);
      },
      askOutside,
    );
    reply.header("idempotency-key", key);
    if (answer.isReplay) reply.header("idempotency-replay", "true");
    return answerWith(unseal(answer));
  };
}

/** Reads have connections of their own, of which one environment has only some at a time. */
async function readWith(
  ctx: OutsideCtx,
  caller: Caller | null,
  work: (scope: Ctx) => Promise<Worked>,
): Promise<Worked> {
  const { db, places } = ctx.reads;
  const leave = await places.enter(caller?.environmentId ?? "").catch((error) => {
    throw error instanceof Crowded ? failure("RATE_LIMITED", {}, { headers: { "retry-after": "1" } }) : error;
  });
  try {
    return await work({ ...ctx, db });
  } catch (error) {
    throw isStatementTimeout(error)
      ? failure("QUERY_TOO_EXPENSIVE", { seconds: String(ctx.config.reads.seconds) })
      : error;
  } finally {
    leave();
  }
}

function wordFailure(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (!(error instanceof Failure) || error.status >= 500) return null;
  const { status, headers, body } = errorAnswer(error, request);
  reply.headers(headers);
  return { status, body: JSON.stringify(body), isKept: !passing.has(error.code) };
}

function send(reply: FastifyReply, status: number, body: string | null): FastifyReply {
  reply.code(status);
  if (body === null) return reply.send();
  return reply.header("content-type", jsonType).serializer(String).send(body);
}

/** The text may be a stranger's own words: no browser is to take it for a page. */
const sendText = (reply: FastifyReply, text: string | null): FastifyReply =>
  reply.headers({ "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" }).send(text);

function readInput(operation: Operation, checks: Checks, request: FastifyRequest) {
  if (operation.bodyType === "raw") return { params: readParams(request), query: {}, body: rawRequestOf(request) };
  const query = { ...(request.query as Record<string, unknown>) };
  const faults: FieldFaults = {};
  if (checks.query) {
    if (!checks.query(query)) mergeFaults(faults, faultsOf(checks.query.errors ?? []));
    mergeFaults(faults, unreadableNumbers(query), unstorableTexts(query));
  }
  if (checks.body) {
    if (request.body === undefined || request.body === null) {
      mergeFaults(faults, { general: { messages: ["Request body is required"] } });
    } else {
      if (!checks.body(request.body)) mergeFaults(faults, faultsOf(checks.body.errors ?? []));
      if (request.mayHoldUnstorableText) mergeFaults(faults, unstorableTexts(request.body));
    }
  }
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return { params: readParams(request), query, body: operation.body ? request.body : undefined };
}

/**
 * Ids in paths are never refused for their form. One with U+0000, which the database does not take, is looked up with a
 * character in its place that no identifier may have: it is simply not found.
 */
function readParams(request: FastifyRequest): Record<string, string> {
  const params = Object.entries(request.params as Record<string, string>);
  return Object.fromEntries(params.map(([name, value]) => [name, value.replaceAll("\0", "\ufffd")]));
}

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
    /** Whether the request has been charged to its rate limit. */
    isCounted: boolean;
  }
}
