// Requests whose refusal is part of the import.
import { isDeepStrictEqual } from "node:util";
import { fieldErrorsOf, TidingsError } from "@tidings/client/source";
import type { ImportReport } from "./report.ts";

export async function findOrNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof TidingsError && error.status === 404) return null;
    throw error;
  }
}

/** What the target refuses is reported for people; the rest continues. */
export async function attempt(report: ImportReport, what: string, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (!(error instanceof TidingsError) || ![400, 404, 409, 422].includes(error.status)) throw error;
    report.byHand.push(`${what}: ${error.message}${firstErrorOf(error.body)}`);
    return false;
  }
}

function firstErrorOf(body: unknown): string {
  const [first] = fieldErrorsOf(body);
  return first ? ` (${first.field}: ${first.messages[0] ?? ""})` : "";
}

export const withoutNulls = (members: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

/** Whether two values are the same as JSON. */
export const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(asJson(one), asJson(other));

const asJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
