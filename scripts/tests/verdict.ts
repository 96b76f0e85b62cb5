// The end of a run: which tests failed and how to run just those, which files were ended, what was skipped and why,
// what the run cost, and the counts.
import { existsSync, readFileSync } from "node:fs";
import { type Cost, type Costs, dearest } from "./costs.ts";
import { canMeasureOthers } from "./cpu.ts";
import { endedOf, type Ran, ranOf } from "./lanes.ts";
import type { Result } from "./reporter.ts";
import { minutes } from "./watch.ts";

/** Seconds of a core that `npm test` may take, on the machine that recorded the costs. */
const budgetSeconds = 620;

const readLines = <T>(file: string): T[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as T)
    : [];

export const readResults = (file: string): Result[] => readLines<Result>(file);

/** What each file of the run cost. */
export const measuredIn = (folder: string): Map<string, Cost> =>
  new Map(readLines<Ran>(ranOf(folder)).map(({ file, cpu, wall }) => [file, [cpu, wall]]));

export type Run = { folder: string; results: Result[]; code: number; command: string };

/** Files to run again: empty where that would prove nothing. */
export function failedFiles({ results, folder }: Pick<Run, "results" | "folder">): string[] {
  const failed = results.filter(({ status }) => status === "failed").map(({ file }) => file);
  const ended = readEnded(folder).map((line) => line.split(":")[0]!);
  return [...new Set([...failed.filter((file) => file !== "?"), ...ended])];
}

const readEnded = (folder: string): string[] =>
  existsSync(endedOf(folder)) ? readFileSync(endedOf(folder), "utf8").trim().split("\n") : [];

export function printVerdict({ folder, results, code, command }: Run): void {
  const failed = results.filter(({ status }) => status === "failed");
  if (failed.length > 0) {
    console.log(`\n${failed.length} ${failed.length === 1 ? "test" : "tests"} FAILED:`);
    for (const [file, group] of Map.groupBy(failed, ({ file }) => file))
      console.log(`  ${file}\n${group.map(({ name }) => `    ${name}`).join("\n")}`);
  }
  for (const line of readEnded(folder)) console.log(`ENDED   ${line}`);
  const files = failedFiles({ results, folder });
  if (files.length > 0) console.log(`\nRun just these: ${command} ${files.join(" ")}`);
  if (code !== 0 && failed.length === 0) console.log("\nThe run FAILED without a failed test: see the lines above.");
  const skipped = results.filter(({ status }) => status === "skipped");
  for (const [reason, group] of Map.groupBy(skipped, ({ reason }) => reason!))
    console.log(`SKIPPED ${group.length}: ${reason}`);
}

export function printCounts(results: Result[]): void {
  const count = (status: Result["status"]) => results.filter((result) => result.status === status).length;
  console.log(`\n${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`);
}

type Spent = { cpu: number; wallMs: number; slowness: number };

/** Whether the run kept the budget of `npm test`; prints what it cost. */
export function checkBudget(
  { cpu, wallMs, slowness }: Spent,
  folder: string,
  recorded: Costs,
  hasBudget: boolean,
): boolean {
  if (!canMeasureOthers) return true;
  const comparable = cpu / slowness;
  const slow = slowness > 1.02 ? `, ${comparable.toFixed(0)} s on a machine as fast as the one that recorded them` : "";
  console.log(`\n${minutes(wallMs)} min, ${cpu.toFixed(0)} CPU seconds${slow}`);
  if (!hasBudget || comparable <= budgetSeconds) return true;
  console.log(`OVER BUDGET: npm test may take ${budgetSeconds} CPU seconds. Dearest files, and what they gained:`);
  console.log(dearest(measuredIn(folder), recorded).join("\n"));
  console.log("Make them cheaper, or move tests to another tier (CONTRIBUTING.md, Tests).");
  return false;
}
