// Audiences that read other audiences: no cycles, and bounds on how deep and how large. Pure.
import { audienceRuleLimits } from "@tidings/contract";
import { describeKnown } from "../text/nearest.ts";
import { checkRule } from "./rule-check.ts";

/** `reads`: how often it reads which other ones. `parts`: the size of its rule. */
type Node = { reads: ReadonlyMap<string, number>; parts: number };

/** Parts of a rule together with those of the audiences that it reads. */
const maxParts = 2_000;

export const nodeOf = (rule: unknown): Node => {
  const { needs } = checkRule(rule);
  return { reads: needs.audiences, parts: needs.parts };
};

/**
 * What is wrong with the audiences once `ownId` is what `all` says; null when nothing is. The text is worded to follow
 * the name of the rule.
 */
export function graphFault(all: ReadonlyMap<string, Node>, ownId: string): string | null {
  const own = all.get(ownId)!;
  for (const id of own.reads.keys()) {
    const known = [...all.keys()].filter((name) => name !== ownId).slice(0, 50);
    if (!all.has(id)) return `reads the unknown audience ${id}${describeKnown(id, known)}`;
  }
  const chain = findCycle(all, ownId);
  if (chain) return `reads itself: ${chain.join(" → ")}`;
  const sizes = new Map<string, { depth: number; parts: number }>();
  for (const id of all.keys()) {
    const { depth, parts } = measure(all, id, sizes, 0);
    const who = id === ownId ? "it" : `the audience ${id}, which reads it,`;
    if (depth > audienceRuleLimits.depth)
      return `reads audiences too deep: ${who} would read ${depth} levels, the limit is ${audienceRuleLimits.depth}`;
    if (parts > maxParts)
      return `is too large with the audiences it reads: ${who} would have ${parts} parts, the limit is ${maxParts}`;
  }
  return null;
}

function findCycle(all: ReadonlyMap<string, Node>, ownId: string): string[] | null {
  const seen = new Set<string>();
  const visit = (id: string, path: string[]): string[] | null => {
    for (const next of all.get(id)?.reads.keys() ?? []) {
      if (next === ownId) return [...path, next];
      if (seen.has(next)) continue;
      seen.add(next);
      const found = visit(next, [...path, next]);
      if (found) return found;
    }
    return null;
  };
  return visit(ownId, [ownId]);
}

function measure(
  all: ReadonlyMap<string, Node>,
  id: string,
  sizes: Map<string, { depth: number; parts: number }>,
  level: number,
): { depth: number; parts: number } {
  const known = sizes.get(id);
  if (known) return known;
  const node = all.get(id);
  const size = { depth: 0, parts: node?.parts ?? 0 };
  // A cycle of others cannot have been saved; the bound is for what was restored or changed by hand.
  if (level <= all.size) {
    for (const [next, times] of node?.reads ?? []) {
      const inner = measure(all, next, sizes, level + 1);
      size.depth = Math.max(size.depth, inner.depth + 1);
      size.parts += times * inner.parts;
    }
  }
  sizes.set(id, size);
  return size;
}
