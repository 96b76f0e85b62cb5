// What a handler answers beside its plain output: that it is the operation's second kind of success (`success.also` in the
// contract), that it is not final yet, or a text in place of the output (`success.text`). Only the edge turns these marks
// into statuses, waiting and content types, so no layer below it knows HTTP.
import type { Ctx } from "./context.ts";

const mark = Symbol("also");
const first = Symbol("pending");
const text = Symbol("text");

export type Also<T> = { readonly [mark]: T };

/** Marks an output as the operation's second kind of success, such as "it was there already". */
export const also = <T>(output: T): Also<T> => ({ [mark]: output });

export const isAlso = (answer: unknown): answer is Also<unknown> =>
  typeof answer === "object" && answer !== null && mark in answer;

export const outputOf = <T>(answer: T | Also<T>): T => (isAlso(answer) ? (answer[mark] as T) : answer);

/** An answer as it is when the request commits, and how to wait for what it sets in motion. */
export type Pending<T> = { readonly [first]: T | Also<T>; settled(ctx: Ctx): Promise<T | Also<T>> };

/** `settled` is asked after the commit, holds no transaction and has to come to an end. */
export const pending = <T>(now: T | Also<T>, settled: Pending<T>["settled"]): Pending<T> => ({ [first]: now, settled });

export const isPending = (answer: unknown): answer is Pending<unknown> =>
  typeof answer === "object" && answer !== null && first in answer;

export const firstOf = <T>(answer: T | Also<T> | Pending<T>): T | Also<T> =>
  isPending(answer) ? (answer[first] as T | Also<T>) : answer;

/** Exactly this text: for somebody else's question, whose answer is not ours to shape. */
export type PlainText = { readonly [text]: string };

export const plainText = (exactly: string): PlainText => ({ [text]: exactly });

export const plainTextOf = (answer: unknown): string | undefined =>
  typeof answer === "object" && answer !== null && text in answer ? (answer as PlainText)[text] : undefined;
