// Groups of preferences.
import type { Preference } from "../client/types.ts";

/** Workflows by their first tag, those without one last. One group where there are no tags. */
export function groupByTag(entries: Preference[]): { tag: string | null; entries: Preference[] }[] {
  const groups = new Map<string | null, Preference[]>();
  for (const entry of entries) {
    const tag = entry.workflow?.tags?.[0] ?? null;
    groups.set(tag, [...(groups.get(tag) ?? []), entry]);
  }
  const tags = [...groups.keys()].filter((tag) => tag !== null).sort((a, b) => a.localeCompare(b));
  return [...tags, ...(groups.has(null) ? [null] : [])].map((tag) => ({ tag, entries: groups.get(tag)! }));
}
