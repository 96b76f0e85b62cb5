// What a handler answers when its operation has a second success status (`success.also` in the contract): the same
// output, marked. Only the edge turns the mark into a status, so no layer below it knows HTTP.
const mark = Symbol("also");

export type Also<T> = { readonly [mark]: T };

/** Marks an output as the operation's second kind of success, such as "it was there already". */
export const also = <T>(output: T): Also<T> => ({ [mark]: output });

export const isAlso = (answer: unknown): answer is Also<unknown> =>
  typeof answer === "object" && answer !== null && mark in answer;

export const outputOf = <T>(answer: T | Also<T>): T => (isAlso(answer) ? (answer[mark] as T) : answer);
