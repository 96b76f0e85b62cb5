// The audiences of a broadcast as one rule, which the service counts. Pure.
import type { Broadcast, JsonObject } from "@tidings/contract";

const isIn = (audienceId: string): JsonObject => ({ contains: [{ var: "audiences" }, audienceId] });
const anyOf = (ids: readonly string[]): JsonObject => ({ or: ids.map(isIn) });

/** null where no audience is chosen. */
export function reachRule({ include, exclude = [], everyone }: Broadcast["audience"]): JsonObject | null {
  if (!everyone && include.length === 0) return null;
  const parts = [
    everyone ? { notNull: [{ var: "subscriber.subscriberId" }] } : anyOf(include),
    ...(exclude.length > 0 ? [{ "!": [anyOf(exclude)] }] : []),
  ];
  return parts.length === 1 ? parts[0]! : { and: parts };
}
