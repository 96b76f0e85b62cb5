// Answers calls (call.ts). Writing operations run in one transaction, under the caller's idempotency key if there is one. Order
// of checks: idempotency, validation, existence, state. External calls are made before the transaction, by the handler's `check`; its `run` gets their result.
import { type Operation, type OperationId, operations, readsOnly } from "@tidings/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, NetworkCtx, PersonCaller } from "../context.ts";
import { failure } from "../failure.ts";
import { hintAfter } from "../lib/inbox-hints.ts";
import { inRepeatableTransaction, isStatementTimeout } from "../store/db.ts";
import { type Answer, type AnyCaller, type Call, createCallMaker, failureAnswer } from "./call.ts";
import { readIdempotencyKey, runOnce } from "./idempotency.ts";
import type { LockGates } from "./limits/lock-gate.ts";
import { sourceOf } from "./people/person-auth.ts";
import type { Handler } from "./routes.ts";
import { openAnswer, sealAnswer } from "./stored-answers.ts";
import type { Translator } from "./vocabulary.ts";

/** `answer`: how calls are answered, unless as all reads or writes are. */
export function createRequestHandler(
  ctx: NetworkCtx,
  id: OperationId,
  handler: Handler,
  gates: LockGates,
  answer?: (call: Call) => Promise<Answer>,
) {
  const operation: Operation = operations[id];
  const makeCall = createCallMaker(ctx, id, handler);
  const isRead = readsOnly(operation);
  const answerUngated = answer ?? (isRead ? answerRead : answerWrite);
  // Other limits hold for events (admission.ts), for reads (slots) and for external calls.
  const gate = gates.gateOf(id, !answer && !isRead && !(typeof handler === "object" && "check" in handler));
  const answerCall = (call: Call): Promise<Answer> =>
    gate(call.request.caller?.environmentId ?? "", () => answerUngated(call));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const source = () => sourceOf(ctx, request);
    const call = makeCall(request, reply, { caller: callerOf(ctx, operation, request), source });
    return send(reply, await answerCall(call), call.translator);
  };
}

function callerOf(ctx: NetworkCtx, { access }: Operation, request: FastifyRequest): AnyCaller | null {
  if (access === "open") return { origin: request.headers.origin, source: sourceOf(ctx, request) };
  return access === "person" ? request.person : request.caller;
}

/** Reads have a connection pool of their own, of which one environment can use only a part at a time. */
async function answerRead({ ctx, request, precheck, execute }: Call): Promise<Answer> {
  await precheck?.();
  const { db, slots } = ctx.reads;
  const release = await slots.acquire(request.caller?.environmentId ?? "");
  try {
    return await execute({ ...ctx, db });
  } catch (error) {
    throw isStatementTimeout(error)
      ? failure("QUERY_TOO_EXPENSIVE", { seconds: String(ctx.config.reads.seconds) })
      : error;
  } finally {
    release();
  }
}

export async function answerWrite(call: Call): Promise<Answer> {
  const { caller, headers } = call.request;
  // Idempotency keys belong to the holder of an API key: stored answers are found by the environment alone, and neither the
  // subscribers of an inbox nor people with different roles may find those of each other.
  if (!caller || caller.person || call.operation.access) return writeWithoutKey(call);
  const key = readIdempotencyKey(headers["idempotency-key"]);
  return key === null ? writeWithoutKey(call) : writeUnderKey(call, caller, key);
}

async function writeWithoutKey({ ctx, translator, request, reply, precheck, execute }: Call): Promise<Answer> {
  try {
    await precheck?.();
    const answer = await hintAfter(ctx.hints, (hints) =>
      inRepeatableTransaction(ctx.db, (tx) => execute({ ...ctx, db: tx, hints })),
    );
    return answer.settled ? await answer.settled() : answer;
  } catch (error) {
    // A conflict may carry the existing record, which has to be translated like any answer.
    const refusal = translator && failureAnswer(error, request, reply);
    if (!refusal) throw error;
    return refusal;
  }
}

async function writeUnderKey({ ctx, request, reply, precheck, execute }: Call, caller: Caller, key: string) {
  const { method, url, body } = request;
  const answer = await hintAfter(ctx.hints, (hints) =>
    runOnce(
      ctx.db,
      { environmentId: caller.environmentId, key, method, url, body },
      {
        before: precheck,
        // The committed answer is stored, without waiting for the settled one: a repeat gets exactly the same.
        work: async (tx) => {
          const { status, body } = await execute({ ...ctx, db: tx, hints });
          return { status, body };
        },
        onFailure: (error) => failureAnswer(error, request, reply),
        seal: (text) => sealAnswer(ctx.secrets, text),
        open: (stored) => openAnswer(ctx.secrets, stored),
      },
    ),
  );
  reply.header("idempotency-key", key);
  if (answer.isReplay) reply.header("idempotency-replay", "true");
  return answer;
}

function send(reply: FastifyReply, { status, body, isText }: Answer, translator: Translator | null): FastifyReply {
  reply.code(status);
  if (body === null) return reply.send();
  // A plain text may hold what another server sent: browsers must not read it as a page.
  if (isText)
    return reply
      .headers({ "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" })
      .send(body);
  const json = translator ? translator.write(body) : body;
  return reply.header("content-type", "application/json; charset=utf-8").serializer(String).send(json);
}

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
    /** The signed-in person, for operations outside of an environment. */
    person: PersonCaller | null;
    /** Whether the request has been charged to its rate limit. */
    isCounted: boolean;
  }
}
