// What one notification costs, measured: the one place for these figures. After a run of `npm run bench` that changes
// them, change them here and run `npm run generate`, which writes the tables of docs/scale.md; the simulation computes
// with them too.
import { formatNumber } from "./table.ts";

type Cost = { serviceMs: number; postgresMs: number; walKb: number; diskKb: number; commits: number; syncs: number };

/** The section of bench/results.md that they are from. */
const section = "2026-11-16 16:52";
const machine = "2 shared cores (arm64), embedded PostgreSQL 18, fsync on";

/** CPU in ms of a core of that machine; commits and WAL syncs for 1,000 notifications. */
export const costs = {
  inApp: { serviceMs: 0.079, postgresMs: 0.056, walKb: 1.61, diskKb: 1.49, commits: 16, syncs: 4 },
  webhook: { serviceMs: 0.527, postgresMs: 0.39, walKb: 3.95, diskKb: 3.62, commits: 75, syncs: 43 },
  smtp: { serviceMs: 1.23, postgresMs: 0.622, walKb: 4.37, diskKb: 3.79, commits: 113, syncs: 75 },
} satisfies Record<string, Cost>;

/** The busiest minutes compared with the average of the day. */
export const peakFactor = 2.5;

const toTable = (head: string[], rows: string[][]): string =>
  [head, head.map((_, column) => (column === 0 ? "---" : "--:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
    .replace(/^\| --- .*$/m, (rule) => rule.replaceAll(" ", ""));

/** The figures above, for a million. */
function costTable(): string {
  const row = (what: string, unit: string, perMillion: (cost: Cost) => number) => [
    what,
    ...[costs.inApp, costs.webhook, costs.smtp].map((cost) => `${formatNumber(perMillion(cost))}${unit}`),
  ];
  const table = toTable(
    ["for a million", "in-app", "webhook or another HTTP provider", "SMTP"],
    [
      row("CPU of the service", " s", ({ serviceMs }) => serviceMs * 1000),
      row("CPU of PostgreSQL", " s", ({ postgresMs }) => postgresMs * 1000),
      row("WAL", " GB", ({ walKb }) => walKb),
      row("disk, tables and indexes", " GB", ({ diskKb }) => diskKb),
      row("commits", "", ({ commits }) => commits * 1000),
      row("WAL syncs (the IOPS that cannot be cached)", "", ({ syncs }) => syncs * 1000),
    ],
  );
  return `Measured on ${machine}: section ${section} of [results.md](../bench/results.md).\n\n${table}`;
}

const formatGb = (gb: number): string => (gb < 1000 ? `${formatNumber(gb)} GB` : `${formatNumber(gb / 1000)} TB`);

/** In-app notifications a day, and what they need. */
function capacityTable(): string {
  const { serviceMs, postgresMs, walKb, diskKb, syncs } = costs.inApp;
  const rows = [1, 10, 100, 1000].map((millions) => {
    const peak = (millions * 1_000_000 * peakFactor) / 86_400;
    return [
      millions < 1000 ? `${millions} million` : "1 billion",
      `${formatNumber(peak)}/s`,
      `${formatNumber((peak * serviceMs) / 1000)} cores`,
      `${formatNumber((peak * postgresMs) / 1000)} cores`,
      `${formatNumber((peak * walKb) / 1000)} MB/s`,
      `${formatNumber((peak * syncs) / 1000)}/s`,
      formatGb(millions * diskKb),
    ];
  });
  return toTable(["a day", "at the peak", "service", "PostgreSQL", "WAL", "WAL syncs", "disk a day"], rows);
}

/**
 * Disk of the rows that are kept: a partition is dropped as a whole, so there is up to one more than the days that are
 * kept.
 */
function retentionTable(): string {
  const rows = [1, 10, 100, 1000].map((millions) => {
    const day = millions * costs.inApp.diskKb;
    return [
      millions < 1000 ? `${millions} million` : "1 billion",
      formatGb(day * 31),
      ...[7, 30, 90].map((days) => formatGb(day * (days + 31))),
      formatGb(day * (7 + 1)),
    ];
  });
  const head = [
    "in-app a day",
    "a month",
    "7 days kept",
    "30 days kept",
    "90 days kept",
    "7 days kept, by day (not built)",
  ];
  return toTable(head, rows);
}

/** By the name of their marks in docs/scale.md. */
export const scaleTables: Record<string, () => string> = {
  costs: costTable,
  capacity: capacityTable,
  retention: retentionTable,
};
