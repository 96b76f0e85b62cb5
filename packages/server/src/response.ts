// Marks that a handler puts on its response: that it is the operation's second kind of success (`success.also` in the
// contract, as 200 instead of 201 where the record existed), that it is not final yet, that it is a plain text
// (`success.text`), or that it begins or ends a member's session. Only http/ turns these marks into statuses, waiting,
// content types and cookies, so no layer below it knows HTTP.
import type { NetworkCtx } from "./context.ts";

const alternate = Symbol("alternate");
const committed = Symbol("committed");
const text = Symbol("text");
const session = Symbol("session");

export type AlternateSuccess<T> = { readonly [alternate]: T };

/** Marks an output as the operation's second kind of success, such as "it existed already". */
export const alternateSuccess = <T>(output: T): AlternateSuccess<T> => ({ [alternate]: output });

/** The second kind of success of an operation whose `success.also` is 204: what was asked for is not there. */
export const nothingThere: AlternateSuccess<never> = { [alternate]: undefined as never };

const isMarked = (answer: unknown, mark: symbol): boolean =>
  typeof answer === "object" && answer !== null && mark in answer;

export const isAlternateSuccess = (answer: unknown): answer is AlternateSuccess<unknown> => isMarked(answer, alternate);

export function outputOf(answer: unknown): unknown {
  if (isAlternateSuccess(answer)) return answer[alternate];
  return isSessionChange(answer) ? answer[session].output : answer;
}

/** The response at the time of the commit, and how to wait for the work that the request has started. */
export type Pending<T> = {
  readonly [committed]: T | AlternateSuccess<T>;
  settled(ctx: NetworkCtx): Promise<T | AlternateSuccess<T>>;
};

/** `settled` is called after the commit, outside of any transaction, and has to end within a bounded time. */
export const pending = <T>(now: T | AlternateSuccess<T>, settled: Pending<T>["settled"]): Pending<T> => ({
  [committed]: now,
  settled,
});

export const isPending = (answer: unknown): answer is Pending<unknown> => isMarked(answer, committed);

export const committedAnswer = (answer: unknown): unknown => (isPending(answer) ? answer[committed] : answer);

/** Sent unchanged, for callers whose protocol fixes the response, such as a provider's handshake. */
export type PlainText = { readonly [text]: string };

export const plainText = (exactly: string): PlainText => ({ [text]: exactly });

const isPlainText = (answer: unknown): answer is PlainText => isMarked(answer, text);

export const plainTextOf = (answer: unknown): string | undefined => (isPlainText(answer) ? answer[text] : undefined);

/** `cookie`: the value of the cookie of a new session; null when the session has ended. */
export type SessionChange<T> = { readonly [session]: { output: T; cookie: string | null } };

export const withSession = <T>(output: T, cookie: string | null): SessionChange<T> => ({
  [session]: { output, cookie },
});

const isSessionChange = (answer: unknown): answer is SessionChange<unknown> => isMarked(answer, session);

/** Undefined when the response does not change the session. */
export const sessionCookieOf = (answer: unknown): string | null | undefined =>
  isSessionChange(answer) ? answer[session].cookie : undefined;
