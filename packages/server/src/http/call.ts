// A call: one request of one operation, parsed, authenticated and counted, with its answer still to come. Fastify has received the
// request, or another thread, which has handed it over (handed-requests.ts). handle.ts answers calls.
import {
  isAudited,
  type Operation,
  type OperationId,
  operations,
  peopleWith,
  type Role,
  readsOnly,
  refusedMember,
} from "@tidings/contract";
import type { FastifyRequest } from "fastify";
import { committedAnswer, isAlternateSuccess, isPending, outputOf, plainTextOf, sessionCookieOf } from "../answer.ts";
import { runAudited } from "../app/people/audited-change.ts";
import type { Caller, Ctx, NetworkCtx, PersonCaller, Source, Visitor } from "../context.ts";
import { Failure, failure } from "../failure.ts";
import { errorAnswer } from "./errors.ts";
import { createInputReader } from "./input.ts";
import { setSessionCookie } from "./people/cookies.ts";
import { hideFrom } from "./people/visible-fields.ts";
import type { Handler } from "./routes.ts";
import { serialiserOf } from "./serialisers.ts";
import { createTranslator, type OperationInput, type Translator } from "./vocabulary.ts";

/** Errors that are not stored under an idempotency key although they are 4xx: a repeat may succeed. */
const uncacheableErrors = new Set(["IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_KEY_REUSED", "RATE_LIMITED"]);

export type Answer = { status: number; body: string | null; isText?: boolean };

/** What is read of a request. */
export type CallRequest = Pick<
  FastifyRequest,
  "method" | "url" | "headers" | "params" | "query" | "body" | "mayHoldUnstorableText" | "text" | "caller"
> & { log: Pick<FastifyRequest["log"], "error"> };

/** Takes the headers of the answer. */
export type CallReply = {
  header(name: string, value: string): unknown;
  headers(values: Record<string, string>): unknown;
};

export type Call = {
  ctx: NetworkCtx;
  operation: Operation;
  translator: Translator | null;
  request: CallRequest;
  reply: CallReply;
  /** Where the request came from. */
  source(): Source;
  /** The input, checked against the contract; throws when it does not fit. */
  readInput(): OperationInput;
  /** The external calls, once, ahead of `execute`. */
  precheck?: () => Promise<void>;
  /** `settled`: the final answer, for which a request without an idempotency key waits after the commit. */
  execute(scope: Ctx): Promise<Answer & { settled?: () => Promise<Answer> }>;
};

export type AnyCaller = Caller | PersonCaller | Visitor;

export type MakeCall = (
  request: CallRequest,
  reply: CallReply,
  origin: Pick<Call, "source"> & { caller: AnyCaller | null },
) => Call;

export function createCallMaker(ctx: NetworkCtx, id: OperationId, handler: Handler): MakeCall {
  const operation: Operation = operations[id];
  const { check, run } = checkAndRunOf(handler);
  const translator = createTranslator(ctx.config.vocabulary, operation);
  const readInput = createInputReader(operation, translator, ctx.config);
  const isLoggedFor = { person: isAudited(operation, "person"), key: isAudited(operation, "key") };
  const isLogged = (caller: AnyCaller | null): caller is Caller | PersonCaller =>
    caller !== null && !("origin" in caller) && isLoggedFor[caller.person ? "person" : "key"];

  // The connections of reads do not write.
  const auditScope = (scope: Ctx): Ctx => (readsOnly(operation) ? ctx : scope);

  return (request, reply, { caller, source }) => {
    const role = request.caller?.person?.role;
    let input: OperationInput | undefined;
    const readOnce = () => {
      if (input) return input;
      const checked = readInput(request);
      if (role !== undefined) refuseMember(operation, checked.body, role);
      input = checked;
      return checked;
    };
    let found: unknown;
    const precheck = async (): Promise<void> => {
      found = await check?.(ctx, caller as never, readOnce() as never);
    };
    const execute: Call["execute"] = async (scope) => {
      const input = readOnce();
      const change = () => run(scope, caller as never, input as never, found as never);
      const answer = isLogged(caller)
        ? await runAudited(auditScope(scope), { operation, caller, input, source: source() }, change)
        : await change();
      const cookie = sessionCookieOf(answer);
      if (cookie !== undefined) setSessionCookie(reply, ctx.config, source(), cookie);
      const settled = isPending(answer) ? async () => serialize(operation, await answer.settled(ctx), role) : undefined;
      return { ...serialize(operation, committedAnswer(answer), role), settled };
    };
    const call = { ctx, operation, translator, request, reply, source, readInput: readOnce, execute };
    return { ...call, precheck: check && precheck };
  };
}

/** Some members need a higher role than the operation. */
function refuseMember(operation: Operation, body: unknown, role: Role): void {
  const refused = refusedMember(operation, body, role);
  if (!refused) return;
  const { name, needed } = refused;
  throw failure("ROLE_NOT_ALLOWED", { who: peopleWith[needed], what: `set ${name} here`, role });
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

/** `role`: of the person who asked, who may not see every field; absent for programs. */
export function serialize({ success }: Operation, answer: unknown, role: Role | undefined): Answer {
  const text = plainTextOf(answer);
  if (text !== undefined) return { status: success.status, body: text, isText: true };
  const status = isAlternateSuccess(answer) ? (success.also ?? success.status) : success.status;
  if (success.schema === undefined || status === 204) return { status, body: null };
  const output = role === undefined ? outputOf(answer) : hideFrom(role, success.schema, outputOf(answer));
  return { status, body: serialiserOf(success.schema)(output) };
}

/** The answer to a refusal that the caller should read; null for faults of ours. */
export function failureAnswer(error: unknown, request: CallRequest, reply: CallReply) {
  if (!(error instanceof Failure) || error.status >= 500) return null;
  const { status, headers, body } = errorAnswer(error, request);
  reply.headers(headers);
  return { status, body: JSON.stringify(body), isKept: !uncacheableErrors.has(error.code) };
}
