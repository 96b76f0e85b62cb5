// Identifiers that callers may choose: derived from a name when none is given, and refused when another record has it.
import type { Failure } from "../failure.ts";
import { kebab } from "../lib/ids.ts";
import { isUniqueViolation } from "../store/db.ts";

/** The name in kebab case, cut to 90 characters so that a number can follow. */
export const identifierFrom = (name: string, fallback: string): string => kebab(kebab(name).slice(0, 90)) || fallback;

/** The base itself, or with the first number that is free: `welcome`, `welcome-1`, `welcome-2`. */
export function freeIdentifier(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  for (let number = 1; ; number++) {
    if (!taken.has(`${base}-${number}`)) return `${base}-${number}`;
  }
}

/** Runs a write. Throws `duplicate` when it violates a unique constraint: the one named, or any when none is. */
export async function refuseDuplicate<T>(write: () => Promise<T>, duplicate: Failure, constraint?: string): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isUniqueViolation(error, constraint) ? duplicate : error;
  }
}
