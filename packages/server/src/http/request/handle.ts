// Handles the requests of one operation: makes a call of each (call.ts) and sends its response. Operations that write
// run in one transaction (write.ts), those that trigger events in that of a batch (triggers/batcher.ts). External calls
// run before the transaction, by the handler's `check`; its `run` gets their result.
import { type Operation, type OperationId, operations, readsOnly } from "@tidings/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Ctx, MemberCaller, NetworkCtx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { isStatementTimeout } from "../../store/db.ts";
import type { TraceSpan } from "../../tracing.ts";
import { sourceOf } from "../auth/member-sessions.ts";
import type { AnyCaller, Handler } from "../handler.ts";
import { createTriggerBatcher, type TriggerLimits } from "../triggers/batcher.ts";
import { type Call, type CallResponse, createCallMaker } from "./call.ts";
import type { LockGates } from "./lock-gate.ts";
import type { Translator } from "./vocabulary.ts";
import { writeCalls } from "./write.ts";

type Respond = (call: Call) => Promise<CallResponse>;
type Limits = TriggerLimits & { gates: LockGates };

export function createRequestHandler(ctx: NetworkCtx, id: OperationId, handler: Handler, limits: Limits) {
  const operation: Operation = operations[id];
  const makeCall = createCallMaker(ctx, id);
  const respond = createResponder(ctx, id, handler, limits);
  // Other limits hold for events (admission.ts), for reads (slots) and for external calls.
  const isLimited = !("batch" in handler) && !("check" in handler) && !readsOnly(operation);
  const gate = limits.gates.gateOf(id, isLimited);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const source = () => sourceOf(ctx, request);
    const call = makeCall(request, reply, { caller: callerOf(ctx, operation, request), source });
    const response = await gate(call.request.caller?.environmentId ?? "", () => respond(call));
    return send(reply, response, call.translator);
  };
}

function callerOf(ctx: NetworkCtx, { access }: Operation, request: FastifyRequest): AnyCaller | null {
  if (access === "open") return { origin: request.headers.origin, source: sourceOf(ctx, request) };
  return access === "member" ? request.member : request.caller;
}

function createResponder(ctx: NetworkCtx, id: OperationId, handler: Handler, limits: TriggerLimits): Respond {
  if ("batch" in handler) return createTriggerBatcher(ctx, id, handler, limits);
  const { run, check } = handler;
  const prepare = (call: Call) => {
    let found: unknown;
    const precheck = async (): Promise<void> => {
      found = await check?.(ctx, call.caller, call.readInput());
    };
    const execute = (scope: Ctx): Promise<CallResponse> => {
      const input = call.readInput();
      return call.complete(scope, () => run(scope, call.caller, input, found));
    };
    return { precheck: check ? precheck : undefined, execute };
  };
  return readsOnly(operations[id])
    ? (call) => read(ctx, call, prepare(call))
    : (call) => write(ctx, call, prepare(call));
}

/** What a call does: external calls, then the work with the database. */
type Prepared = { precheck?: () => Promise<void>; execute(scope: Ctx): Promise<CallResponse> };

/** Reads have their own connection pool, of which one environment can use only a part at a time. */
async function read(
  ctx: NetworkCtx,
  { request, operation }: Call,
  { precheck, execute }: Prepared,
): Promise<CallResponse> {
  await precheck?.();
  const { db, slots, fromReplica } = ctx.reads;
  const release = await slots.acquire(request.caller?.environmentId ?? "");
  try {
    return await (operation.isFromReplica
      ? fromReplica((replica) => execute({ ...ctx, db: replica }))
      : execute({ ...ctx, db }));
  } catch (error) {
    throw isStatementTimeout(error)
      ? failure("QUERY_TOO_EXPENSIVE", { seconds: String(ctx.config.reads.seconds) })
      : error;
  } finally {
    release();
  }
}

async function write(ctx: NetworkCtx, call: Call, { precheck, execute }: Prepared): Promise<CallResponse> {
  const [response] = await writeCalls(ctx, [call], { precheck, run: async (scope) => [await execute(scope)] });
  // Under a key the committed response is stored, and returned at once: a repeat gets exactly the same.
  return call.key === null && response!.settled ? response!.settled() : response!;
}

function send(
  reply: FastifyReply,
  { status, body, isText }: CallResponse,
  translator: Translator | null,
): FastifyReply {
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
    /** The signed-in member, for operations outside of an environment. */
    member: MemberCaller | null;
    /** Whether the request has been charged to its rate limit. */
    isCounted: boolean;
    /** The span of the request, where traces are exported. */
    span: TraceSpan | null;
    /** The trace context that the events of the request get. */
    trace: string | null;
  }
}
