// `npm run mutants`: plants mutants in a copy of the checkout, one after the other, and looks which tests find them.
// Ends with 1 if the gate misses more of them than it may, or if no test finds one.
//
//   npm run mutants                               all mutants, with the test files near each
//   npm run mutants -- --whole                    with all test files, until one finds the mutant
//   npm run mutants -- --mutant <id> --mutant <id>  these alone
//   npm run mutants -- --list                     what the mutants are
//   npm run mutants -- --check                    whether the list still fits the code
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeCopy } from "./copy.ts";
import { type Hunt, huntMutant, type Verdict } from "./hunt.ts";
import { type Mutant, mostMissed, mutants, staleMutants } from "./mutants.ts";

const { values } = parseArgs({
  options: {
    mutant: { type: "string", multiple: true },
    whole: { type: "boolean", default: false },
    list: { type: "boolean" },
    check: { type: "boolean" },
  },
});

function chooseMutants(ids: string[] | undefined): Mutant[] {
  if (!ids) return mutants;
  const unknown = ids.find((id) => !mutants.some((mutant) => mutant.id === id));
  if (unknown !== undefined) throw new Error(`there is no mutant ${unknown}: --list shows all of them`);
  return mutants.filter(({ id }) => ids.includes(id));
}

function printTable(rows: string[][]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const last = widths.length - 1;
  for (const row of rows)
    console.log(row.map((cell, column) => (column === last ? cell : cell.padEnd(widths[column]!))).join("  "));
}

function describe({ mutant, by, files, seconds, notes }: Verdict): string {
  const found = by ? `found by ${by.command}: ${by.file}, "${by.test}"` : `found by nobody, ${files} files ran`;
  return [`${mutant.id}: ${found} (${seconds.toFixed(0)} s)`, ...notes.map((note) => `  ${note}`)].join("\n");
}

function printVerdicts(verdicts: Verdict[]): void {
  console.log("");
  printTable([
    ["mutant", "room", "found by", "seconds", "test"],
    ...verdicts.map(({ mutant, by, seconds }) => {
      const test = by ? `${by.file}: ${by.test}` : mutant.harm;
      return [mutant.id, mutant.room, by?.command ?? "nobody", seconds.toFixed(0), test];
    }),
  ]);
}

function judge(verdicts: Verdict[]): number {
  const byGate = verdicts.filter(({ by }) => by?.command === "npm test").length;
  const byNobody = verdicts.filter(({ by }) => by === null).length;
  const missed = verdicts.length - byGate;
  console.log(
    `\nnpm test finds ${byGate} of ${verdicts.length} mutants, and may miss ${mostMissed}; nobody finds ${byNobody}`,
  );
  return missed > mostMissed || byNobody > 0 ? 1 : 0;
}

async function hunt(chosen: Mutant[]): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  const folder = makeCopy(resolve("."));
  const verdicts: Verdict[] = [];
  try {
    const common: Hunt = { folder, signal: stop.signal, isWhole: values.whole, health: new Map() };
    for (const mutant of chosen) {
      const verdict = await huntMutant(common, mutant);
      console.log(describe(verdict));
      verdicts.push(verdict);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  if (verdicts.length > 0) printVerdicts(verdicts);
  return stop.signal.aborted ? 130 : judge(verdicts);
}

async function run(): Promise<number> {
  if (values.list) {
    printTable(mutants.map(({ id, room, file, harm }) => [id, room, file, harm]));
    return 0;
  }
  const stale = staleMutants();
  for (const line of stale) console.error(line);
  if (stale.length > 0) return 1;
  if (!values.check) return hunt(chooseMutants(values.mutant));
  console.log(`${mutants.length} mutants fit the code`);
  return 0;
}

process.exit(await run());
