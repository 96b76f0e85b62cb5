// Reads what the address of a screen carries after `?`. What does not fit is left out, so that an old link still works.

export type RawSearch = Record<string, unknown>;

/** A text; one that looks like a number is a text too. */
export const textParam = (value: unknown, maxLength = 255): string | undefined =>
  (typeof value === "string" || typeof value === "number") && value !== ""
    ? String(value).slice(0, maxLength)
    : undefined;

/** One of the listed values. */
export const choiceParam = <T extends string>(value: unknown, choices: readonly T[]): T | undefined =>
  choices.find((choice) => choice === value);

/** A page after the first, which is page 0 and has no parameter. */
export const pageParam = (value: unknown): number | undefined =>
  Number.isInteger(value) && (value as number) > 0 ? (value as number) : undefined;

/** The members that have a value. */
export const present = <T extends object>(of: T): T =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as T;
