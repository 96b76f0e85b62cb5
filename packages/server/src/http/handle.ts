// One request of one operation: parsed by now, authenticated and counted. Writing operations run in one transaction,
// under the caller's idempotency key if there is one; order of checks: idempotency, validation, existence, state.
import { type Operation, type OperationId, operations } from "@tidings/contract";
import type { ValidateFunction } from "ajv";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isAlso, outputOf } from "../answer.ts";
import type { Caller, Ctx } from "../context.ts";
import { Failure, type FieldFaults, invalid } from "../failure.ts";
import { inRepeatableTransaction } from "../store/db.ts";
import { compileBody, compileQuery, faultsOf, mergeFaults, unreadableNumbers, unstorableTexts } from "../validation.ts";
import { errorAnswer } from "./errors.ts";
import { readIdempotencyKey, runOnce } from "./idempotency.ts";
import type { Handler } from "./routes.ts";
import { createTranslator } from "./vocabulary.ts";

const jsonType = "application/json; charset=utf-8";

/** Answers that must not be kept under an idempotency key although they are 4xx. */
const passing = new Set(["IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_KEY_REUSED", "RATE_LIMITED"]);

type Answer = { status: number; body: string | null };
type Checks = { query?: ValidateFunction; body?: ValidateFunction };

export function createRequestHandler(ctx: Ctx, id: OperationId, handler: Handler) {
  const operation: Operation = operations[id];
  // Validation speaks the caller's words; everything between it and the answer, stored answers included, the contract's.
  const words = createTranslator(ctx.config.vocabulary, operation);
  const inWords = <S extends object>(schema: S): S => (words ? words.schema(schema) : schema);
  const checks: Checks = {
    query: operation.query && compileQuery(inWords(operation.query)),
    body: operation.body && compileBody(inWords(operation.body)),
  };
  const { status, also = status } = operation.success;
  const isWrite = operation.method !== "GET";

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const caller = request.caller!;
    reply.code(status);

    const work = async (scope: Ctx): Promise<Answer> => {
      const checked = readInput(operation, checks, request);
      const input = words ? words.read(checked) : checked;
      const answer = await handler(scope, caller, input as never);
      const code = isAlso(answer) ? also : status;
      const hasBody = operation.success.schema !== undefined;
      // The status chooses the serialiser.
      return { status: code, body: hasBody ? (reply.code(code).serialize(outputOf(answer)) as string) : null };
    };

    // Secrets are encrypted at rest, also in an answer that is kept for a repeat.
    const seal = (answer: Answer): Answer =>
      operation.isSecretAnswer && answer.body ? { ...answer, body: ctx.secrets.encrypt(answer.body) } : answer;
    const unseal = (answer: Answer): Answer =>
      operation.isSecretAnswer && answer.status < 300 && answer.body
        ? { ...answer, body: ctx.secrets.decrypt(answer.body) }
        : answer;

    const answerWith = (answer: Answer) =>
      send(reply, answer.status, words && answer.body !== null ? words.write(answer.body) : answer.body);

    if (!isWrite) return answerWith(await work(ctx));

    const key = readIdempotencyKey(request.headers["idempotency-key"]);
    if (key === null) {
      try {
        return answerWith(await inRepeatableTransaction(ctx.db, (tx) => work({ ...ctx, db: tx })));
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
      async (tx) => seal(await work({ ...ctx, db: tx })),
      (error) => wordFailure(error, request, reply),
    );
    reply.header("idempotency-key", key);
    if (answer.isReplay) reply.header("idempotency-replay", "true");
    return answerWith(unseal(answer));
  };
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

function readInput(operation: Operation, checks: Checks, request: FastifyRequest) {
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
