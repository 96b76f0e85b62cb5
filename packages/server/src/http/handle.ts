// One request of one operation: parsed by now, authenticated and counted. Writing operations run in one transaction,
// under the caller's idempotency key if there is one; order of checks: idempotency, validation, existence, state.
import { type Operation, type OperationId, operations } from "@tidings/contract";
import type { ValidateFunction } from "ajv";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Ctx } from "../context.ts";
import { Failure, type FieldFaults, invalid } from "../failure.ts";
import { inRepeatableTransaction } from "../store/db.ts";
import { compileBody, compileQuery, faultsOf, mergeFaults, unreadableNumbers, unstorableTexts } from "../validation.ts";
import { errorAnswer } from "./errors.ts";
import { readIdempotencyKey, runOnce } from "./idempotency.ts";
import type { Handler } from "./routes.ts";

const jsonType = "application/json; charset=utf-8";

/** Answers that must not be kept under an idempotency key although they are 4xx. */
const passing = new Set(["IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_KEY_REUSED", "RATE_LIMITED"]);

type Checks = { query?: ValidateFunction; body?: ValidateFunction };

export function createRequestHandler(ctx: Ctx, id: OperationId, handler: Handler) {
  const operation: Operation = operations[id];
  const checks: Checks = {
    query: operation.query && compileQuery(operation.query),
    body: operation.body && compileBody(operation.body),
  };
  const { status } = operation.success;
  const isWrite = operation.method !== "GET";

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const caller = request.caller!;
    reply.code(status);

    const work = async (scope: Ctx): Promise<string | null> => {
      const input = readInput(operation, checks, request);
      const output = await handler(scope, caller, input as never);
      return operation.success.schema ? (reply.serialize(output as object) as string) : null;
    };

    if (!isWrite) return send(reply, status, await work(ctx));

    const key = readIdempotencyKey(request.headers["idempotency-key"]);
    if (key === null) {
      return send(reply, status, await inRepeatableTransaction(ctx.db, (tx) => work({ ...ctx, db: tx })));
    }
    const answer = await runOnce(
      ctx.db,
      { environmentId: caller.environmentId, key, method: request.method, url: request.url, body: request.body },
      async (tx) => ({ status, body: await work({ ...ctx, db: tx }) }),
      (error) => wordFailure(error, request, reply),
    );
    reply.header("idempotency-key", key);
    if (answer.isReplay) reply.header("idempotency-replay", "true");
    return send(reply, answer.status, answer.body);
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
