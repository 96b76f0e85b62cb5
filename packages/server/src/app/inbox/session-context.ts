// The contexts of an inbox session, in the form in which requests name them.
import type { ContextMap } from "@tidings/contract";
import type { InboxCaller } from "../../context.ts";

/** Undefined without contexts. A session has one id per type, because it was opened with such a map. */
export function contextOf({ contextKeys }: InboxCaller): ContextMap | undefined {
  if (!contextKeys) return undefined;
  return Object.fromEntries(contextKeys.map((key) => key.split(":") as [string, string]));
}
