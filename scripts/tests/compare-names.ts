// Compares the tests of two trees or runs, so that nothing is lost when tests move: `node
// scripts/tests/compare-names.ts before.jsonl after.jsonl … [--explained names.md]`. Each file holds results as
// `npm test -- --results <file>` writes them. A test is its name, wherever its file is; one that was skipped has not
// run. `--explained` is a list of `- old name → new name, or the reason`. Ends with 1 if a test is missing.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Result } from "./reporter.ts";

const { values, positionals } = parseArgs({ options: { explained: { type: "string" } }, allowPositionals: true });
const [before, ...after] = positionals;
if (!before || after.length === 0) throw new Error("two files of results are needed, or more: before, after …");

const read = (file: string): Result[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Result);

const countRuns = (results: Result[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { name, status } of results) if (status !== "skipped") counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

const explained = values.explained
  ? readFileSync(values.explained, "utf8")
      .split("\n")
      .flatMap((line) => /^- (.+?) → .+/.exec(line)?.[1] ?? [])
  : [];

const old = countRuns(read(before));
const now = countRuns(after.flatMap(read));
const isExplained = (name: string) => explained.some((one) => name === one || name.startsWith(`${one} > `));
// A name that several files use may have lost one of them.
const missing = [...old].filter(([name, count]) => (now.get(name) ?? 0) < count);
const lost = missing.filter(([name]) => !isExplained(name));
const added = [...now].filter(([name, count]) => (old.get(name) ?? 0) < count);
for (const [name, count] of lost)
  console.log(`LOST  ${name}${count > 1 ? ` (${now.get(name) ?? 0} of ${count})` : ""}`);
const sum = (counts: Map<string, number>) => [...counts.values()].reduce((total, count) => total + count, 0);
console.log(
  `${sum(old)} tests before, ${sum(now)} after: ${lost.length} lost, ${missing.length - lost.length} explained, ${added.length} names new`,
);
process.exitCode = lost.length > 0 ? 1 : 0;
