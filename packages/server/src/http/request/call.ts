// A call: a parsed, authenticated and rate-limited request of one operation that has no response yet. Fastify has
// received the request, or the main thread, which has posted it to this worker thread (triggers/worker-handover.ts).
import {
  isAudited,
  membersWith,
  type Operation,
  type OperationId,
  operations,
  type Role,
  readsOnly,
  refusedField,
  roleOfKey,
  secretPlacesOf,
} from "@tidings/contract";
import type { FastifyRequest } from "fastify";
import { isUnrestricted } from "../../app/environments/api-key-rights.ts";
import { runAudited } from "../../app/members/audited-change.ts";
import type { Caller, Ctx, MemberCaller, NetworkCtx, Source } from "../../context.ts";
import { Failure, failure } from "../../failure.ts";
import {
  committedAnswer,
  isAlternateSuccess,
  isPending,
  outputOf,
  plainTextOf,
  sessionCookieOf,
} from "../../response.ts";
import { setSessionCookie } from "../auth/cookies.ts";
import { fieldOutOfScope } from "../auth/key-rights.ts";
import { errorAnswer } from "../errors.ts";
import type { AnyCaller } from "../handler.ts";
import { type KeyedResponse, readIdempotencyKey } from "./idempotency.ts";
import { createInputReader } from "./input.ts";
import { serialiserOf } from "./serializers.ts";
import { hideFrom } from "./visible-fields.ts";
import { createTranslator, type OperationInput, type Translator } from "./vocabulary.ts";

/** Errors that are not stored under an idempotency key although they are 4xx: a repeat may succeed. */
const transientErrors = new Set(["IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_KEY_REUSED", "RATE_LIMITED"]);

/** `settled`: the final response, for which a request without an idempotency key waits after the commit. */
export type CallResponse = KeyedResponse & { isText?: boolean; settled?: () => Promise<CallResponse> };

/** What is read of a request. */
export type CallRequest = Pick<
  FastifyRequest,
  | "id"
  | "method"
  | "url"
  | "headers"
  | "params"
  | "query"
  | "body"
  | "mayHoldUnstorableText"
  | "text"
  | "caller"
  | "trace"
> & { log: Pick<FastifyRequest["log"], "error"> };

/** Gets the headers of the response. */
type CallReply = {
  header(name: string, value: string): unknown;
  headers(values: Record<string, string>): unknown;
};

export type Call = {
  operation: Operation;
  translator: Translator | null;
  request: CallRequest;
  reply: CallReply;
  caller: AnyCaller | null;
  /** The idempotency key, under which the response is stored. */
  key: string | null;
  /** The idempotency key as it was sent. */
  sentKey: string | null;
  /** Where the request came from. */
  source(): Source;
  /** The input, checked against the contract; throws when it is invalid. */
  readInput(): OperationInput;
  /** Runs the change, with an entry in the audit log where there has to be one, and serializes its output. */
  complete(scope: Ctx, change: () => Promise<unknown>): Promise<CallResponse>;
};

export type MakeCall = (request: CallRequest, reply: CallReply, origin: Pick<Call, "source" | "caller">) => Call;

export function createCallMaker(ctx: NetworkCtx, id: OperationId): MakeCall {
  const operation: Operation = operations[id];
  const translator = createTranslator(ctx.config.vocabulary, operation);
  const readInput = createInputReader(operation, translator, ctx.config);
  const isLoggedFor = { member: isAudited(operation, "member"), key: isAudited(operation, "key") };
  const isLogged = (caller: AnyCaller | null): caller is Caller | MemberCaller =>
    caller !== null && !("origin" in caller) && isLoggedFor[caller.member ? "member" : "key"];

  // The connections of reads do not write.
  const auditScope = (scope: Ctx): Ctx => (readsOnly(operation) ? ctx : scope);

  return (request, reply, { caller, source }) => {
    const role = roleOf(operation, request.caller);
    let input: OperationInput | undefined;
    const readOnce = () => {
      if (input) return input;
      const checked = readInput(request);
      if (role !== undefined) refuseField(operation, checked.body, role, request.caller);
      input = checked;
      return checked;
    };
    const complete: Call["complete"] = async (scope, change) => {
      const answer = isLogged(caller)
        ? await runAudited(auditScope(scope), { operation, caller, input: readOnce(), source: source() }, change)
        : await change();
      const cookie = sessionCookieOf(answer);
      if (cookie !== undefined) setSessionCookie(reply, ctx.config, source(), cookie);
      const settled = isPending(answer) ? async () => serialize(operation, await answer.settled(ctx), role) : undefined;
      return { ...serialize(operation, committedAnswer(answer), role), settled };
    };
    const sentKey = keyOf(operation, request);
    const key = sentKey === null ? null : storedKey(operation, sentKey, request.caller!);
    return { operation, translator, request, reply, caller, key, sentKey, source, readInput: readOnce, complete };
  };
}

/**
 * Idempotency keys belong to the holder of an API key: stored responses are found by the environment alone, and neither
 * the subscribers of an inbox nor people with different roles may find those of each other.
 */
function keyOf(operation: Operation, { caller, headers }: CallRequest): string | null {
  if (readsOnly(operation) || operation.access || !caller || caller.member) return null;
  return readIdempotencyKey(headers["idempotency-key"]);
}

/**
 * Responses with secrets are stored for an API key with fewer rights alone: it must not find those of a key that sees
 * more.
 */
function storedKey(operation: Operation, sent: string, caller: Caller): string {
  const isShared = isUnrestricted(caller) || !secretPlacesOf(operation.success.schema);
  return isShared ? sent : `${caller.apiKeyId} ${sent}`;
}

/** The role of the member who asks, or as which a key asks that may not do everything; absent for full keys. */
const roleOf = (operation: Operation, caller: Caller | null): Role | undefined =>
  caller?.member?.role ?? (caller?.key && (roleOfKey(caller.key, operation) ?? undefined));

/** Some fields need a higher role than the operation. */
function refuseField(operation: Operation, body: unknown, role: Role, caller: Caller | null): void {
  const refused = refusedField(operation, body, role);
  if (!refused) return;
  if (caller?.key) throw fieldOutOfScope(caller.key, operation, refused.name);
  const { name, needed } = refused;
  throw failure("ROLE_NOT_ALLOWED", { who: membersWith[needed], what: `set ${name} here`, role });
}

/** `role`: as which the caller asked, who may not see every field; absent for full keys. */
export function serialize({ success }: Operation, answer: unknown, role: Role | undefined): CallResponse {
  const text = plainTextOf(answer);
  if (text !== undefined) return { status: success.status, body: text, isText: true };
  const status = isAlternateSuccess(answer) ? (success.also ?? success.status) : success.status;
  if (success.schema === undefined || status === 204) return { status, body: null };
  const output = role === undefined ? outputOf(answer) : hideFrom(role, success.schema, outputOf(answer));
  return { status, body: serialiserOf(success.schema)(output) };
}

/** The response for a client error; null for an internal error. */
export function refuseCall({ request, reply }: Pick<Call, "request" | "reply">, error: unknown): CallResponse | null {
  if (!(error instanceof Failure) || error.status >= 500) return null;
  const { status, headers, body } = errorAnswer(error, request);
  reply.headers(headers);
  return { status, body: JSON.stringify(body), isTransient: transientErrors.has(error.code) };
}
