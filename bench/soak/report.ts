// The report of a soak: a page in Markdown, with a plot and a verdict for each curve.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { percentile } from "@tidings/testkit/load/figures";
import { formatNumber } from "../table.ts";
import type { Losses } from "./losses.ts";
import { drawPlot, type Line } from "./plot.ts";
import type { Figure, Sample } from "./samples.ts";
import { floorByMinute, judgeTrend, type Point, type Trend, warmUpShare } from "./trend.ts";

/** The times of one minute, in ms. */
export type Minute = { minute: number; accepted: number[]; arrived: number[] };

export type Soak = {
  machine: string;
  date: string;
  capacity: number | null;
  perSecond: number;
  inboxes: number;
  samples: Sample[];
  minutes: Minute[];
  losses: Losses;
  /** Counts that belong to the summary, with their names. */
  counts: Record<string, number>;
  missingLive: number;
  twiceLive: number;
};

/** `growth`: why a curve that is not flat is expected. */
type Curve = { file: string; title: string; unit: string; tolerancePerHour: number; lines: Line[]; growth?: string };
export type Judged = Curve & { trends: { name: string; trend: Trend }[] };

const figure = (samples: Sample[], name: string, key: Figure): Line => ({
  name,
  points: samples.map((sample) => ({ minute: sample.minute, value: sample[key] })),
});

function byMinute(minutes: Minute[], name: string, read: (minute: Minute) => number): Line {
  return { name, points: minutes.map((one): Point => ({ minute: one.minute, value: read(one) })) };
}

const kept = "rows are kept: this is what they take";

function listCurves({ samples, minutes }: Soak): Curve[] {
  const of = (name: string, key: Figure) => figure(samples, name, key);
  const times = (name: string, read: (minute: Minute) => number[], share: number) =>
    byMinute(minutes, name, (minute) => percentile(read(minute), share));
  const accepted = (minute: Minute) => minute.accepted;
  const arrived = (minute: Minute) => minute.arrived;
  return [
    {
      ...{ file: "memory", title: "Memory of the service", unit: "MB", tolerancePerHour: 60 },
      lines: [of("resident", "serviceMb")],
    },
    {
      ...{ file: "heap", title: "JS heap of the main thread, least of each minute", unit: "MB", tolerancePerHour: 30 },
      lines: [{ name: "heap", points: floorByMinute(of("heap", "heapMb").points) }],
    },
    {
      ...{ file: "postgres", title: "Memory of PostgreSQL", unit: "MB", tolerancePerHour: 100 },
      lines: [of("PostgreSQL", "postgresMb")],
      growth: "its buffers fill up to shared_buffers",
    },
    {
      ...{ file: "files", title: "Open files", unit: "", tolerancePerHour: 20 },
      lines: [of("open files", "files")],
    },
    {
      ...{ file: "threads", title: "Threads of the service", unit: "", tolerancePerHour: 4 },
      lines: [of("threads", "threads")],
    },
    {
      ...{ file: "cores", title: "Cores in use", unit: "", tolerancePerHour: 0.2 },
      lines: [of("service", "serviceCores"), of("PostgreSQL", "postgresCores")],
    },
    {
      ...{ file: "load", title: "Load of the machine, with all other programs", unit: "", tolerancePerHour: 1 },
      lines: [of("load", "machineLoad")],
    },
    {
      ...{ file: "database", title: "Size of the database", unit: "MB", tolerancePerHour: 10 },
      lines: [of("database", "databaseMb")],
      growth: kept,
    },
    {
      ...{ file: "queue-size", title: "Size of the queue's table", unit: "MB", tolerancePerHour: 20 },
      lines: [of("queue", "queueMb")],
    },
    {
      ...{ file: "dead-rows", title: "Dead rows that wait for vacuum", unit: "", tolerancePerHour: 20_000 },
      lines: [of("dead rows", "deadRows")],
    },
    {
      ...{ file: "queue", title: "Tasks in the queue", unit: "", tolerancePerHour: 500 },
      lines: [of("tasks", "queueDepth")],
    },
    {
      ...{ file: "queue-age", title: "Age of the oldest due task", unit: "s", tolerancePerHour: 1 },
      lines: [of("oldest", "queueSeconds")],
    },
    {
      ...{ file: "rate", title: "Accepted events", unit: "/s", tolerancePerHour: 50 },
      lines: [of("accepted", "acceptedPerSecond")],
    },
    {
      ...{ file: "trigger", title: "Time of a trigger, by minute", unit: "ms", tolerancePerHour: 20 },
      lines: [times("p50", accepted, 0.5), times("p99", accepted, 0.99)],
    },
    {
      ...{
        file: "end-to-end",
        title: "From the trigger to the live inbox, by minute",
        unit: "ms",
        tolerancePerHour: 40,
      },
      lines: [times("p50", arrived, 0.5), times("p99", arrived, 0.99)],
    },
  ];
}

export function judgeSoak(soak: Soak): Judged[] {
  return listCurves(soak).map((curve) => ({
    ...curve,
    trends: curve.lines.map(({ name, points }) => ({
      name,
      trend: judgeTrend(points, { ...curve, format: formatNumber }),
    })),
  }));
}

export const wasLost = ({ losses, missingLive }: Soak): boolean =>
  losses.lostEvents + losses.wrongNotifications + losses.wrongMessages + losses.unsent + missingLive > 0;

function verdictOf(curve: Judged, trend: Trend): string {
  if (trend.isFlat || !curve.growth || trend.slopePerHour < 0) return trend.verdict;
  return `${trend.verdict} (expected: ${curve.growth})`;
}

export function formatSummary(curves: Judged[]): string {
  const rows = curves.flatMap((curve) =>
    curve.trends.map(({ name, trend }) => {
      const title = curve.trends.length > 1 ? `${curve.title}: ${name}` : curve.title;
      const figures = [trend.first, trend.last, trend.max].map((value) =>
        `${formatNumber(value)} ${curve.unit}`.trim(),
      );
      return `| ${[title, ...figures, verdictOf(curve, trend)].join(" | ")} |`;
    }),
  );
  return ["| curve | after the warm-up | at the end | most | verdict |", "|---|--:|--:|--:|---|", ...rows].join("\n");
}

/** Writes the page and its plots; returns the path of the page. */
export function writeReport(folder: string, soak: Soak, curves: Judged[]): string {
  mkdirSync(folder, { recursive: true });
  const end = soak.samples.at(-1)?.minute ?? 0;
  for (const { file, title, unit, lines } of curves) {
    writeFileSync(join(folder, `${file}.svg`), drawPlot(title, unit, lines, { end, warmUp: end * warmUpShare }));
  }
  const { capacity, losses } = soak;
  const page = [
    `# Soak of ${soak.date}`,
    `${soak.machine}.`,
    `${formatNumber(end)} minutes, ${formatNumber(soak.perSecond)} events/s${
      capacity === null ? "" : ` (capacity of the mix: ${formatNumber(capacity)}/s)`
    }, ${soak.inboxes} live inboxes.`,
    `**${wasLost(soak) ? "SOMETHING WAS LOST" : "Nothing was lost"}**: ${describeLosses(soak, losses)}.`,
    Object.entries(soak.counts)
      .map(([name, count]) => `- ${name}: ${formatNumber(count)}`)
      .join("\n"),
    formatSummary(curves),
    `The first ${100 * warmUpShare} % of the run are the warm-up (grey) and are not judged.`,
    ...curves.map((curve) => {
      const verdicts = curve.trends.map(({ name, trend }) => `${name} ${verdictOf(curve, trend)}`).join("; ");
      return `## ${curve.title}\n\n${verdicts}.\n\n![${curve.title}](${curve.file}.svg)`;
    }),
  ].join("\n\n");
  const path = join(folder, "report.md");
  writeFileSync(path, `${page}\n`);
  return path;
}

const describeLosses = ({ missingLive, twiceLive }: Soak, losses: Losses): string =>
  [
    `${formatNumber(losses.events)} events, ${formatNumber(losses.notifications)} notifications`,
    `${losses.lostEvents} accepted events missing`,
    `${losses.wrongNotifications} without exactly one notification`,
    `${losses.wrongMessages} notifications without exactly one message`,
    `${losses.unsent} messages not sent`,
    `${missingLive} missing in live inboxes`,
    `${twiceLive} twice there`,
  ].join(", ");
