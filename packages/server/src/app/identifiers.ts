// Identifiers that callers may choose are refused when another record has them. Deriving one from a name:
// lib/identifiers.ts.
import type { Failure } from "../failure.ts";
import { isUniqueViolation } from "../store/db.ts";

/** Runs a write. Throws `duplicate` when it violates a unique constraint: the one named, or any when none is. */
export async function refuseDuplicate<T>(write: () => Promise<T>, duplicate: Failure, constraint?: string): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isUniqueViolation(error, constraint) ? duplicate : error;
  }
}
