// Lists in which a test expects exactly one.
import assert from "node:assert/strict";
import type { Notification } from "@tidings/contract";

/** The only entry. Fails if there is none, or another one. */
export function only<T>(list: readonly T[]): T {
  assert.equal(list.length, 1, `one was expected, not ${list.length}: ${JSON.stringify(list).slice(0, 500)}`);
  return list[0] as T;
}

/** The steps of a run, in their order. */
export const jobsOf = ({ jobs = [] }: Notification): NonNullable<Notification["jobs"]> => jobs;
