// The builder of conditions edits rules that skip a step; a block's rule says when it is shown. Pure.
import type { JsonObject } from "@tidings/contract";

/** The opposite of a rule, without a double negation. */
function opposite(rule: JsonObject): JsonObject {
  const [only, ...others] = Object.entries(rule);
  const inner = only?.[0] === "!" && Array.isArray(only[1]) && only[1].length === 1 ? only[1][0] : undefined;
  const isRule = typeof inner === "object" && inner !== null && !Array.isArray(inner) && !("var" in inner);
  return others.length === 0 && isRule ? (inner as JsonObject) : { "!": [rule] };
}

export const hideRule = opposite;
export const showRule = opposite;
