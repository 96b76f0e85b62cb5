// How requests name contexts: `context` in a body is a map from type to id, and records store `<type>:<id>`. Pure.
import { ContextMap } from "@tidings/contract";
import type { FieldFaults } from "../../failure.ts";
import { compileBody, faultsOf } from "../../validation.ts";

export type NamedContext = { type: string; id: string; data?: Record<string, unknown> };

const checkMap = compileBody(ContextMap);

/** The contexts that the `context` of a body names, and its errors by field. */
export function checkContext(context: unknown): { entries: NamedContext[]; faults: FieldFaults } {
  if (context === undefined) return { entries: [], faults: {} };
  if (!checkMap(context)) return { entries: [], faults: faultsOf(checkMap.errors ?? [], "context") };
  const entries = Object.entries(context as ContextMap).map(([type, given]) =>
    typeof given === "string" ? { type, id: given } : { type, id: given.id, data: given.data },
  );
  return { entries, faults: {} };
}

/** The keys as records store and show them: sorted and without duplicates. */
export const contextKeysOf = (entries: readonly { type: string; id: string }[]): string[] =>
  [...new Set(entries.map(({ type, id }) => `${type}:${id}`))].sort();
