// What handles an operation: its caller and its result follow from the contract.
import type { Input, OperationId, Operations, Output } from "@tidings/contract";
import type { Caller, Ctx, InboxCaller, MemberCaller, NetworkCtx, Visitor } from "../context.ts";
import type { Failure } from "../failure.ts";
import type { AlternateSuccess, Pending, PlainText, SessionChange } from "../response.ts";
import type { OperationInput } from "./request/vocabulary.ts";

/**
 * Handlers may mark their responses (response.ts) where the contract gives the operation a second status or a plain
 * text.
 */
type ResultOf<Id extends OperationId> =
  | Output<Id>
  | (Operations[Id] extends { feature: "dashboard" } ? SessionChange<Output<Id>> | Pending<Output<Id>> : never)
  | (Operations[Id]["success"] extends { also: number } ? AlternateSuccess<Output<Id>> | Pending<Output<Id>> : never)
  | (Operations[Id]["success"] extends { text: string } ? PlainText : never);

/** Signed operations have no authenticated caller. */
type CallerOf<Id extends OperationId> = Operations[Id] extends { access: infer A }
  ? A extends "signed"
    ? null
    : A extends "open"
      ? Visitor
      : A extends "member"
        ? MemberCaller
        : InboxCaller
  : Caller;

export type HandlerOf<Id extends OperationId> =
  | ((ctx: Ctx, caller: CallerOf<Id>, input: Input<Id>) => Promise<ResultOf<Id>>)
  | Prechecked<CallerOf<Id>, Input<Id>, ResultOf<Id>>
  | { batch: (ctx: Ctx, caller: CallerOf<Id>, inputs: Input<Id>[]) => Promise<(ResultOf<Id> | Failure)[]> };

type Prechecked<C, I, R> = {
  check: (ctx: NetworkCtx, caller: C, input: I) => Promise<unknown>;
  run: (ctx: Ctx, caller: C, input: I, found: never) => Promise<R>;
};

export const withPrecheck = <C, I, Found, R>(
  check: (ctx: NetworkCtx, caller: C, input: I) => Promise<Found>,
  run: (ctx: Ctx, caller: C, input: I, found: Found) => Promise<R>,
): Prechecked<C, I, R> => ({ check, run });

export type AnyCaller = Caller | MemberCaller | Visitor;

/**
 * A handler of any operation, for a request whose caller was identified and whose input was checked as the operation
 * says. Its functions are methods, whose parameters TypeScript compares loosely; the table of routes.ts is strict.
 *
 * `check` makes external calls before the transaction of a request; `run` gets its result, inside the transaction.
 */
type RunHandler = {
  check?(ctx: NetworkCtx, caller: AnyCaller | null, input: OperationInput): Promise<unknown>;
  run(ctx: Ctx, caller: AnyCaller | null, input: OperationInput, found: unknown): Promise<unknown>;
};

/**
 * `batch` handles requests of one environment that share a transaction (triggers/batch.ts), and returns an outcome for
 * each, in order. A failure is the outcome of a request that was refused and has written nothing; an error that it
 * throws concerns all of them.
 */
export type BatchHandler = {
  batch(ctx: Ctx, caller: AnyCaller | null, inputs: OperationInput[]): Promise<unknown[]>;
};

export type Handler = RunHandler | BatchHandler;
