// The map from a source to the test files that run most of it for the least time: `--map` records it, and `--changed`
// reads it. A change is found by a test that runs the changed function. Imports do not show that, because the service
// imports everything.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Costs } from "./costs.ts";
import { reachOf } from "./lanes.ts";

const table = "scripts/tests/reach.json";
const maxTests = 6;

type Table = { tests?: string[]; sources?: Record<string, number[]> };

/** Test files by source, the best first. */
export function readReach(): Record<string, string[]> {
  const { tests = [], sources = {} } = JSON.parse(readFileSync(table, "utf8")) as Table;
  return Object.fromEntries(
    Object.entries(sources).map(([source, numbers]) => [source, numbers.map((number) => tests[number]!)]),
  );
}

type Recorded = { test: string; sources: Record<string, string[]> };

export function recordReach(folder: string, costs: Costs): void {
  const runs = readdirSync(reachOf(folder)).map(
    (name) => JSON.parse(readFileSync(join(reachOf(folder), name), "utf8")) as Recorded,
  );
  const bySource = new Map<string, { test: string; functions: string[] }[]>();
  for (const { test, sources } of runs)
    for (const [source, functions] of Object.entries(sources))
      bySource.set(source, [...(bySource.get(source) ?? []), { test, functions }]);
  const tests = runs.map(({ test }) => test).toSorted();
  const rows = [...bySource]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([source, found]) => {
      const numbers = bestTests(found, costs).map((test) => tests.indexOf(test));
      return `    ${JSON.stringify(source)}: ${JSON.stringify(numbers)}`;
    });
  const names = tests.map((test) => `    ${JSON.stringify(test)}`);
  writeFileSync(table, `{\n  "tests": [\n${names.join(",\n")}\n  ],\n  "sources": {\n${rows.join(",\n")}\n  }\n}\n`);
}

/**
 * One test after the other: the one that runs most functions that none before it runs, for its cost. A function that
 * few tests run counts more.
 */
function bestTests(tests: { test: string; functions: string[] }[], costs: Costs): string[] {
  const users = Map.groupBy(
    tests.flatMap(({ functions }) => functions),
    (name) => name,
  );
  const left = new Set(users.keys());
  const chosen: string[] = [];
  while (left.size > 0 && chosen.length < maxTests) {
    const worth = ({ test, functions }: { test: string; functions: string[] }) =>
      functions.reduce((sum, name) => sum + (left.has(name) ? 1 / users.get(name)!.length : 0), 0) /
      Math.sqrt(1 + costs.cpuOf(test));
    const best = tests.reduce((a, b) => (worth(b) > worth(a) ? b : a));
    chosen.push(best.test);
    for (const name of best.functions) left.delete(name);
  }
  return chosen;
}
