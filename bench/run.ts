// `npm run bench`: measures, prints one table, and never fails a build. Progress goes to stderr.
//
//   npm run bench                          the benchmarks of the default run, about ten minutes
//   npm run bench -- --quick               the same with less load, about three minutes
//   npm run bench -- --only in-app --only growth    (or: npm run bench -- in-app growth)
//   npm run bench -- --record --title "…"  also writes the table into bench/results.md, above earlier runs
//   npm run bench -- --events 1000 --rounds 1       any number of `sizes` below
import { parseArgs } from "node:util";
import { progress } from "@tidings/testkit/load/progress";
import { benchAttention } from "./attention.ts";
import { benchAudiences } from "./audiences.ts";
import { benchBacktest } from "./backtest.ts";
import { benchBroadcast } from "./broadcast.ts";
import { benchBullmq } from "./bullmq.ts";
import { benchDashboard } from "./dashboard.ts";
import { benchDelivery } from "./delivery.ts";
import { benchFanout } from "./fanout.ts";
import { benchGrowth } from "./growth.ts";
import { benchIdle, benchStart } from "./idle.ts";
import { benchInApp } from "./in-app.ts";
import { benchLanes } from "./lanes.ts";
import { benchLatency } from "./latency.ts";
import { benchLive } from "./live.ts";
import { benchNeighbours } from "./neighbours.ts";
import { benchPlan } from "./plan.ts";
import { benchScale } from "./scale.ts";
import { benchSimulation } from "./simulation.ts";
import { benchSingles } from "./singles.ts";
import { benchSqlTrigger } from "./sql-trigger.ts";
import { withService } from "./support.ts";
import { describeMachine, formatRows, type Row, recordRun } from "./table.ts";
import { benchTraces } from "./traces.ts";
import { benchWaits } from "./waits.ts";

/** Each with the number of the full and of the quick run. */
const sizes = {
  events: [40_000, 8_000],
  rounds: [3, 1],
  messages: [6_000, 1_500],
  members: [100_000, 20_000],
  /** The broadcast benchmark: how often each way is measured. */
  people: [200_000, 20_000],
  /** Events through the BullMQ pipeline, which is slower. */
  hops: [15_000, 3_000],
  triggers: [300, 60],
  /** Single triggers by several clients at once, for each number of clients. */
  singles: [4_000, 1_000],
  /** For the idle benchmark. */
  idle: [45, 15],
  starts: [3, 1],
  /** Messages of the growth benchmark. */
  rows: [10_000_000, 400_000],
  /** For the dashboard benchmark: in the tables, and events of one digest. */
  notifications: [1_000_000, 100_000],
  digested: [20_000, 2_000],
  /** For the lanes benchmark: of each campaign. */
  mails: [40_000, 10_000],
  /** For each flood of the benchmark of neighbours, each rate of the live benchmark, and each part of the lanes one. */
  seconds: [20, 8],
  /** For the plan benchmark. */
  workflows: [500, 500],
  /** For the live benchmark. */
  connections: [5_000, 1_000],
  /** Transactions with and without a call by SQL. */
  calls: [3_000, 500],
  /** For the benchmark of audiences. */
  subscribers: [1_000_000, 100_000],
  /** Runs that wait for a signal. */
  waiting: [1_000_000, 100_000],
} satisfies Record<string, [number, number]>;
type Sizes = Record<keyof typeof sizes, number>;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...(Object.fromEntries(Object.keys(sizes).map((name) => [name, { type: "string" }])) as Record<
      keyof typeof sizes,
      { type: "string" }
    >),
    only: { type: "string", multiple: true, default: [] },
    quick: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    title: { type: "string" },
    /** For the simulation: name=value. */
    assume: { type: "string", multiple: true, default: [] },
    /** A part of the name of one flood. */
    flood: { type: "string" },
  },
});

const isQuick = values.quick;
const size = Object.fromEntries(
  Object.entries(sizes).map(([name, [full, quick]]) => {
    const given = Number(values[name as keyof typeof sizes] ?? (isQuick ? quick : full));
    if (!(given > 0)) throw new Error(`--${name} must be a number above 0`);
    return [name, given];
  }),
) as Sizes;

const defaults: Record<string, () => Promise<Row[]>> = {
  "in-app": () => withService((service) => benchInApp(service, size.events, size.rounds)),
  latency: () => withService((service) => benchLatency(service, size.triggers)),
  singles: () => withService((service) => benchSingles(service, size.singles)),
  // Two threads take longer than one until V8 has compiled what each uses often.
  bullmq: () => benchBullmq({ events: 1.5 * size.events, hops: size.hops }),
  webhook: () => withService((service) => benchDelivery(service, "webhook", size.messages, size.rounds)),
  smtp: () => withService((service) => benchDelivery(service, "smtp", size.messages, size.rounds)),
  fanout: () =>
    withService((service) =>
      benchFanout(service, { members: size.members, rounds: Math.min(2, size.rounds), isKilled: !isQuick }),
    ),
  idle: () => withService((service) => benchIdle(service, size.idle)),
  start: () => benchStart(size.starts),
};
/** Longer, or without a comparison: these run only when they are named. */
const named: typeof defaults = {
  growth: () => benchGrowth({ large: size.rows, requests: isQuick ? 100 : 400 }),
  dashboard: () =>
    withService((service) => benchDashboard(service, { notifications: size.notifications, digested: size.digested })),
  audiences: () => withService((service) => benchAudiences(service, size.subscribers, Math.max(3, size.rounds))),
  backtest: () => withService((service) => benchBacktest(service, size.events)),
  broadcast: () => withService((service) => benchBroadcast(service, size.people, size.rounds)),
  attention: () => withService((service) => benchAttention(service, size.events, Math.max(4, size.rounds))),
  neighbours: () => withService((service) => benchNeighbours(service, size.seconds, values.flood)),
  lanes: () => withService((service) => benchLanes(service, size.mails, size.seconds)),
  live: () => benchLive(size.connections, size.seconds),
  plan: () => withService((service) => benchPlan(service, size.workflows, size.rounds)),
  scale: () => benchScale(size.events),
  "sql-trigger": () =>
    withService((service) => {
      const { calls, triggers, events, rounds, idle: idleSeconds } = size;
      return benchSqlTrigger(service, { calls, triggers, events, rounds, idleSeconds });
    }),
  traces: () => benchTraces(size.events, size.rounds),
  waits: () =>
    withService((service) =>
      benchWaits(service, { runs: size.waiting, requests: size.triggers, idleSeconds: size.idle }),
    ),
  simulation: () => benchSimulation(values.assume),
};
const benchmarks = { ...defaults, ...named };

const chosen = [...positionals, ...values.only];
const unknown = chosen.filter((name) => !benchmarks[name]);
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}; there are: ${Object.keys(benchmarks).join(", ")}.`);
  process.exit(1);
}
if (isQuick && values.record) {
  console.error("A quick run is too short to be kept: --record is for a run without --quick.");
  process.exit(1);
}

const names = chosen.length > 0 ? chosen : Object.keys(defaults);
const machine = describeMachine();
const rows: Row[] = [];
for (const [index, name] of names.entries()) {
  progress(`${name} (${index + 1} of ${names.length})`);
  try {
    rows.push(...(await benchmarks[name]!()));
  } catch (error) {
    const { message } = error as Error;
    progress(`${name} failed: ${message}`);
    rows.push({ what: name, value: Number.NaN, unit: "", note: `failed: ${message.split("\n")[0]}` });
  }
}
const date = new Date().toISOString().slice(0, 16).replace("T", " ");
const table = formatRows(rows);
console.log(`\n${date}, ${machine}${isQuick ? ", quick" : ""}\n\n${table}`);
if (values.record) {
  recordRun(`${date}: ${values.title ?? names.join(", ")}`, machine, table);
  console.log("\nRecorded in bench/results.md.");
} else if (!isQuick) console.log("\nNot recorded; `--record` writes it into bench/results.md.");
