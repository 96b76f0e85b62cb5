// Identifiers that callers may choose, derived from a name when none is given.
import { kebab } from "./ids.ts";

/** The name in kebab case, cut to 90 characters so that a number can follow. */
export const identifierFrom = (name: string, fallback: string): string => kebab(kebab(name).slice(0, 90)) || fallback;

/** The base itself, or with the first number that is free: `welcome`, `welcome-1`, `welcome-2`. */
export function freeIdentifier(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  for (let number = 1; ; number++) {
    if (!taken.has(`${base}-${number}`)) return `${base}-${number}`;
  }
}
