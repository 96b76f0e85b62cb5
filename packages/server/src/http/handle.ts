// Handles one request of one operation, which has been parsed, authenticated and counted by now. Writing operations run in
// one transaction, under the caller's idempotency key if there is one. Order of checks: idempotency, validation, existence,
// state. External calls are made before the transaction, by the handler's `check`; its `run` gets their result.
import { isAudited, type Operation, type OperationId, operations, type Role, readsOnly } from "@tidings/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { committedAnswer, isAlternateSuccess, isPending, outputOf, plainTextOf, sessionCookieOf } from "../answer.ts";
import { runAudited } from "../app/people/audited-change.ts";
import type { Caller, Ctx, NetworkCtx, PersonCaller, Visitor } from "../context.ts";
import { Failure, failure } from "../failure.ts";
import { hintAfter } from "../lib/inbox-hints.ts";
import { inRepeatableTransaction, isStatementTimeout } from "../store/db.ts";
import { errorAnswer } from "./errors.ts";
import { readIdempotencyKey, runOnce } from "./idempotency.ts";
import { createInputReader } from "./input.ts";
import { setSessionCookie } from "./people/cookies.ts";
import { sourceOf } from "./people/person-auth.ts";
import { hideFrom } from "./people/visible-fields.ts";
import type { Handler } from "./routes.ts";
import { openAnswer, sealAnswer } from "./stored-answers.ts";
import { createTranslator, type OperationInput, type Translator } from "./vocabulary.ts";

/** Errors that are not stored under an idempotency key although they are 4xx: a repeat may succeed. */
const uncacheableErrors = new Set(["IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_KEY_REUSED", "RATE_LIMITED"]);

export type Answer = { status: number; body: string | null; isText?: boolean };

/** One request with its answer still to come. */
export type Call = {
  ctx: NetworkCtx;
  operation: Operation;
  translator: Translator | null;
  request: FastifyRequest;
  reply: FastifyReply;
  /** The input, checked against the contract; throws when it does not fit. */
  readInput(): OperationInput;
  /** The external calls, once, ahead of `execute`. */
  precheck?: () => Promise<void>;
  /** `settled`: the final answer, for which a request without an idempotency key waits after the commit. */
  execute(scope: Ctx): Promise<Answer & { settled?: () => Promise<Answer> }>;
};

/** `answer`: how calls are answered, unless as all reads or writes are. */
export function createRequestHandler(
  ctx: NetworkCtx,
  id: OperationId,
  handler: Handler,
  answer?: (call: Call) => Promise<Answer>,
) {
  const operation: Operation = operations[id];
  const { check, run } = checkAndRunOf(handler);
  const translator = createTranslator(ctx.config.vocabulary, operation);
  const readInput = createInputReader(operation, translator, ctx.config);
  const answerCall = answer ?? (readsOnly(operation) ? answerRead : answerWrite);
  const isLoggedFor = { person: isAudited(operation, "person"), key: isAudited(operation, "key") };
  const isLogged = (caller: AnyCaller | null): caller is Caller | PersonCaller =>
    caller !== null && !("origin" in caller) && isLoggedFor[caller.person ? "person" : "key"];

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const caller = callerOf(operation, request);
    const role = request.caller?.person?.role;
    let input: OperationInput | undefined;
    const readOnce = () => (input ??= readInput(request));
    let found: unknown;
    const precheck = async (): Promise<void> => {
      found = await check?.(ctx, caller as never, readOnce() as never);
    };
    const execute: Call["execute"] = async (scope) => {
      const input = readOnce();
      const change = () => run(scope, caller as never, input as never, found as never);
      const answer = isLogged(caller)
        ? await runAudited(scope, { operation, caller, input, source: sourceOf(request) }, change)
        : await change();
      const cookie = sessionCookieOf(answer);
      if (cookie !== undefined) setSessionCookie(reply, ctx.config, cookie);
      const settled = isPending(answer)
        ? async () => serialize(operation, await answer.settled(ctx), reply, role)
        : undefined;
      return { ...serialize(operation, committedAnswer(answer), reply, role), settled };
    };
    const call = { ctx, operation, translator, request, reply, readInput: readOnce, execute };
    return send(reply, await answerCall({ ...call, precheck: check && precheck }), translator);
  };
}

type Prechecked = Extract<Handler, { check: unknown }>;

function checkAndRunOf(handler: Handler): Pick<Prechecked, "run"> & Partial<Prechecked> {
  if (typeof handler === "function") return { run: handler };
  if (!("runMany" in handler)) return handler;
  return {
    async run(scope, caller, input) {
      const [outcome] = await handler.runMany(scope, caller, [input]);
      if (outcome instanceof Failure) throw outcome;
      return outcome;
    },
  };
}

type AnyCaller = Caller | PersonCaller | Visitor;

function callerOf({ access }: Operation, request: FastifyRequest): AnyCaller | null {
  if (access === "open") return { origin: request.headers.origin, source: sourceOf(request) };
  return access === "person" ? request.person : request.caller;
}

/** `role`: of the person who asked, who may not see every field; absent for programs. */
export function serialize(
  { success }: Operation,
  answer: unknown,
  reply: FastifyReply,
  role: Role | undefined,
): Answer {
  const text = plainTextOf(answer);
  if (text !== undefined) return { status: success.status, body: text, isText: true };
  const status = isAlternateSuccess(answer) ? (success.also ?? success.status) : success.status;
  if (success.schema === undefined || status === 204) return { status, body: null };
  // The status chooses the serialiser.
  const output = role === undefined ? outputOf(answer) : hideFrom(role, outputOf(answer));
  return { status, body: reply.code(status).serialize(output) as string };
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

/** The answer to a refusal that the caller should read; null for faults of ours. */
export function failureAnswer(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (!(error instanceof Failure) || error.status >= 500) return null;
  const { status, headers, body } = errorAnswer(error, request);
  reply.headers(headers);
  return { status, body: JSON.stringify(body), isKept: !uncacheableErrors.has(error.code) };
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
