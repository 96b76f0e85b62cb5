// Evaluates deploy/alerts with promtool, on series that are built from readings of /metrics.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";

const root = join(import.meta.dirname, "../../../..");
export const rulesFile = join(root, "deploy/alerts/tidings.rules.yml");

export type Rule = {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
};

export const rules: Rule[] = (parse(readFileSync(rulesFile, "utf8")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

/** Names of metrics in an expression of PromQL; Prometheus itself makes `up`. */
export const metricsIn = (expr: string): string[] => [
  ...new Set(expr.match(/\b(?:tidings|nodejs|process)_[a-z0-9_]+\b/g) ?? []),
];

const found = spawnSync("promtool", ["--version"]);
/** Why tests with promtool are skipped, or false where it was found. */
export const skipWithoutPromtool: string | false =
  found.status === 0 ? false : "NO PROMTOOL: the alerts were not evaluated. Install it (apt-get install prometheus)";

export function runPromtool(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8", timeout: 60_000 });
  if (status !== 0) throw new Error(`promtool ${args.join(" ")} failed:\n${stdout}\n${stderr}`);
  return stdout;
}

/** The samples of a text of /metrics by series, and the types of its metrics. */
export type Reading = { at: number; samples: Map<string, number>; types: Map<string, string> };

export function parseMetrics(text: string): Reading {
  const lines = text.split("\n");
  const types = lines.flatMap((line) => {
    const match = /^# TYPE (\S+) (\S+)$/.exec(line);
    return match ? [[match[1]!, match[2]!] as const] : [];
  });
  const samples = lines.flatMap((line) => {
    const match = /^([a-z]\w*(?:\{.*\})?) (\S+)$/.exec(line);
    return match ? [[match[1]!, Number(match[2])] as const] : [];
  });
  return { at: Date.now() / 1000, samples: new Map(samples), types: new Map(types) };
}

/** The minutes for which a state lasts. */
const minutes = 90;

/** In a test, these depend on what else the machine does. */
const ofSpeed = "TidingsSlowRequests|TidingsEventLoopLag";

export type Scenario = { name: string; before: Reading; after: Reading; isUp?: boolean; firing: string | null };

/**
 * The state between two readings lasts 90 minutes: every minute, counters grow as much as between the readings, and
 * gauges keep their last value. `firing`: the alert that has to fire; null: none may, except for those of `ofSpeed`.
 */
export function checkScenarios(scenarios: Scenario[]): string {
  const folder = mkdtempSync(join(tmpdir(), "tidings-alerts-"));
  const file = join(folder, "alerts.test.yml");
  const tests = scenarios.map(({ name, before, after, isUp = true, firing }) => ({
    name,
    interval: "1m",
    input_series: [
      { series: `up{${target}}`, values: `${isUp ? 1 : 0}+0x${minutes}` },
      ...(isUp ? toSeries(before, after, firing) : []),
    ],
    promql_expr_test: [
      {
        expr: firing
          ? `count(max_over_time(ALERTS{alertname="${firing}", alertstate="firing"}[${minutes}m])) > bool 0`
          : `count(max_over_time(ALERTS{alertname!~"${ofSpeed}", alertstate="firing"}[${minutes}m])) or vector(0)`,
        eval_time: `${minutes}m`,
        exp_samples: [{ labels: "{}", value: firing ? 1 : 0 }],
      },
    ],
  }));
  try {
    writeFileSync(file, stringify({ rule_files: [rulesFile], evaluation_interval: "1m", tests }));
    return runPromtool("test", "rules", file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The labels that Prometheus adds to what it reads. */
const target = `job="tidings",instance="tidings:3000"`;

/** For one alert, the series that its rule reads; else those of all rules. */
function toSeries(before: Reading, after: Reading, alert: string | null): { series: string; values: string }[] {
  const read = rules.filter((rule) => alert === null || rule.alert === alert);
  const names = new Set(read.flatMap(({ expr }) => metricsIn(expr)));
  return [...after.samples].flatMap(([series, value]) => {
    const name = series.split("{")[0]!;
    if (!names.has(name) || !Number.isFinite(value)) return [];
    const labels = series.includes("{") ? `${series.slice(0, -1)},${target}}` : `${series}{${target}}`;
    return [{ series: labels, values: toValues(name, before, after, series) }];
  });
}

function toValues(name: string, before: Reading, after: Reading, series: string): string {
  const value = after.samples.get(series)!;
  // The clock of promtool begins at 0.
  if (name.endsWith("_timestamp_seconds")) return `${value - after.at}+0x${minutes}`;
  const first = before.samples.get(series);
  const isGauge = after.types.get(name) === "gauge";
  if (isGauge) return `${first ?? value} ${value}+0x${minutes}`;
  return `${first ?? 0}+${value - (first ?? 0)}x${minutes}`;
}
