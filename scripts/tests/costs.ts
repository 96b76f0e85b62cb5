// What each test file costs, by tier, as `--record` measured it on two cores: seconds of a core (the process and those
// that it started, PostgreSQL aside) and seconds on the clock. Dear files begin first, shards are cut by it, and the
// budget of `npm test` names what has become dearer.
import { readFileSync, writeFileSync } from "node:fs";

export type Tier = "gate" | "rest" | "long";

const table = "scripts/tests/costs.json";

/** Seconds of a core, and seconds on the clock. */
export type Cost = [cpu: number, wall: number];
type Table = Partial<Record<Tier, Record<string, Cost>>>;

export type Costs = { cpuOf(file: string): number; wallOf(file: string): number; has(file: string): boolean };

/** A file that is not listed is taken for a cheap one, or is new. */
const unknown: Cost = [0.5, 0.5];

const readTable = (): Table => JSON.parse(readFileSync(table, "utf8")) as Table;

/** Costs in a tier; those of any tier where it is null. */
export function readCosts(tier: Tier | null): Costs {
  const all = readTable();
  const known = tier ? (all[tier] ?? {}) : { ...all.long, ...all.rest, ...all.gate };
  const costOf = (file: string) => known[file] ?? unknown;
  return { cpuOf: (file) => costOf(file)[0], wallOf: (file) => costOf(file)[1], has: (file) => file in known };
}

/** Replaces the recorded costs of a tier. */
export function recordCosts(tier: Tier, measured: Map<string, Cost>): void {
  const round = (seconds: number) => Math.round(seconds * 10) / 10;
  const entries = [...measured].map(([file, [cpu, wall]]) => [file, [round(cpu), round(wall)]] as const);
  const costs = { ...readTable(), [tier]: Object.fromEntries(entries.toSorted(([a], [b]) => a.localeCompare(b))) };
  const lines = Object.entries(costs).map(([name, files]) => {
    const rows = Object.entries(files).map(([file, cost]) => `    ${JSON.stringify(file)}: [${cost.join(", ")}]`);
    return `  ${JSON.stringify(name)}: {\n${rows.join(",\n")}\n  }`;
  });
  writeFileSync(table, `{\n${lines.join(",\n")}\n}\n`);
}

/** The files that cost most, and what they gained since they were recorded. */
export function dearest(measured: Map<string, Cost>, recorded: Costs, count = 10): string[] {
  const rows = [...measured].toSorted(([, [a]], [, [b]]) => b - a).slice(0, count);
  return rows.map(([file, [cpu]]) => {
    const gained = cpu - recorded.cpuOf(file);
    const change = recorded.has(file) ? `${gained < 0 ? "-" : "+"}${Math.abs(gained).toFixed(1)}` : "new";
    return `${cpu.toFixed(1).padStart(7)} s  ${change.padStart(6)}  ${file}`;
  });
}
