// `npm run faults`: plants faults in a copy of the checkout, one after the other, and looks which tests find them. Ends
// with 1 if the gate misses more of them than it may, or nobody finds one.
//
//   npm run faults                               all faults, with the test files near each
//   npm run faults -- --whole                    with all test files, until one finds the fault
//   npm run faults -- --fault <id> --fault <id>  these alone
//   npm run faults -- --list                     what the faults are
//   npm run faults -- --check                    whether the list still fits the code
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeCopy } from "./copy.ts";
import { type Fault, faults, mostMissed, staleFaults } from "./faults.ts";
import { type Hunt, huntFault, type Verdict } from "./hunt.ts";

const { values } = parseArgs({
  options: {
    fault: { type: "string", multiple: true },
    whole: { type: "boolean", default: false },
    list: { type: "boolean" },
    check: { type: "boolean" },
  },
});

function chooseFaults(ids: string[] | undefined): Fault[] {
  if (!ids) return faults;
  const unknown = ids.find((id) => !faults.some((fault) => fault.id === id));
  if (unknown !== undefined) throw new Error(`there is no fault ${unknown}: --list shows all of them`);
  return faults.filter(({ id }) => ids.includes(id));
}

function printTable(rows: string[][]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const last = widths.length - 1;
  for (const row of rows)
    console.log(row.map((cell, column) => (column === last ? cell : cell.padEnd(widths[column]!))).join("  "));
}

function describe({ fault, by, files, seconds, notes }: Verdict): string {
  const found = by ? `found by ${by.command}: ${by.file}, "${by.test}"` : `found by nobody, ${files} files ran`;
  return [`${fault.id}: ${found} (${seconds.toFixed(0)} s)`, ...notes.map((note) => `  ${note}`)].join("\n");
}

function printVerdicts(verdicts: Verdict[]): void {
  console.log("");
  printTable([
    ["fault", "room", "found by", "seconds", "test"],
    ...verdicts.map(({ fault, by, seconds }) => {
      const test = by ? `${by.file}: ${by.test}` : fault.harm;
      return [fault.id, fault.room, by?.command ?? "nobody", seconds.toFixed(0), test];
    }),
  ]);
}

function judge(verdicts: Verdict[]): number {
  const byGate = verdicts.filter(({ by }) => by?.command === "npm test").length;
  const byNobody = verdicts.filter(({ by }) => by === null).length;
  const missed = verdicts.length - byGate;
  console.log(
    `\nnpm test finds ${byGate} of ${verdicts.length} faults, and may miss ${mostMissed}; nobody finds ${byNobody}`,
  );
  return missed > mostMissed || byNobody > 0 ? 1 : 0;
}

async function hunt(chosen: Fault[]): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  const folder = makeCopy(resolve("."));
  const verdicts: Verdict[] = [];
  try {
    const common: Hunt = { folder, signal: stop.signal, isWhole: values.whole, health: new Map() };
    for (const fault of chosen) {
      const verdict = await huntFault(common, fault);
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
    printTable(faults.map(({ id, room, file, harm }) => [id, room, file, harm]));
    return 0;
  }
  const stale = staleFaults();
  for (const line of stale) console.error(line);
  if (stale.length > 0) return 1;
  if (!values.check) return hunt(chooseFaults(values.fault));
  console.log(`${faults.length} faults fit the code`);
  return 0;
}

process.exit(await run());
