// `npm run bench`: starts a service, measures, prints tables. `npm run bench -- in-app growth` (or `--only growth`)
// chooses; `--events`, `--rounds`, `--members`, `--messages`, `--rows` and `--seconds` make it shorter or longer. Results
// worth keeping go to bench/results.md.
import { arch, cpus, platform } from "node:os";
import { parseArgs } from "node:util";
import { benchDelivery } from "./delivery.ts";
import { benchFanout } from "./fanout.ts";
import { benchGrowth } from "./growth.ts";
import { benchInApp } from "./in-app.ts";
import { benchNeighbours, type Times } from "./neighbours.ts";
import { type BenchService, progress, startBenchService } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    events: { type: "string", default: "60000" },
    rounds: { type: "string", default: "3" },
    rows: { type: "string", default: "2000000" },
    members: { type: "string", default: "100000" },
    messages: { type: "string", default: "10000" },
    seconds: { type: "string", default: "20" },
    flood: { type: "string" },
    only: { type: "string", multiple: true, default: [] },
  },
});

const number = (value: number) => Math.round(value).toLocaleString("en");

async function inApp(service: BenchService): Promise<string[]> {
  const result = await benchInApp(service, { events: Number(values.events), rounds: Number(values.rounds) });
  const { serviceMs, postgresMs, walBytes } = result.usage;
  const ms = (value: number) => `${value.toFixed(3)} ms`;
  const title = `in-app, HTTP bulk trigger → feed (${number(result.events)} events, median of ${values.rounds})`;
  return [
    "| benchmark | per second | raw limit | ratio |",
    "|---|--:|--:|--:|",
    `| ${title} | ${number(result.service)} | ${number(result.raw)} | ${result.ratio.toFixed(2)} |`,
    `| … of which accepted (201) | ${number(result.accepted)} | | |`,
    "",
    `CPU per notification: service ${ms(serviceMs)}, PostgreSQL ${ms(postgresMs)}, together ${ms(serviceMs + postgresMs)}; WAL ${number(walBytes)} bytes.`,
  ];
}

async function fanout(service: BenchService): Promise<string[]> {
  const members = Number(values.members);
  const result = await benchFanout(service, { members, rounds: Number(values.rounds) });
  const title = `fan-out, one event to a topic of ${number(members)} (median of ${values.rounds})`;
  const { people, messages } = result.afterKill;
  return [
    "| benchmark | per second | raw limit | ratio | memory at most |",
    "|---|--:|--:|--:|--:|",
    `| ${title} | ${number(result.service)} | ${number(result.raw)} | ${result.ratio.toFixed(2)} | ${number(result.peakMb)} MB |`,
    "",
    `SIGKILL half-way and a restart: ${number(people)} people have ${number(messages)} messages.`,
  ];
}

const delivery = (kind: "smtp" | "webhook") => async (service: BenchService) => {
  const messages = Number(values.messages);
  const result = await benchDelivery(service, kind, { messages, rounds: Number(values.rounds) });
  const bare = kind === "smtp" ? "nodemailer alone" : "fetch alone";
  return [
    `| benchmark | per second | ${bare} | ratio |`,
    "|---|--:|--:|--:|",
    `| ${kind}, trigger → recorded as sent (${number(messages)} messages, median of ${values.rounds}) | ${number(result.service)} | ${number(result.bare)} | ${result.ratio.toFixed(2)} |`,
  ];
};

async function growth(service: BenchService): Promise<string[]> {
  const large = Number(values.rows);
  const small = Math.min(100_000, large / 2);
  const rows = await benchGrowth(service, { small, large, requests: 500 });
  const ms = (value: number) => value.toFixed(1);
  return [
    `| list | p50 at ${number(small)} | p99 | p50 at ${number(large)} | p99 | ratio of p50 |`,
    "|---|--:|--:|--:|--:|--:|",
    ...rows.map(
      (row) =>
        `| ${row.list} | ${ms(row.small.p50)} ms | ${ms(row.small.p99)} ms | ${ms(row.large.p50)} ms | ${ms(row.large.p99)} ms | ${row.ratio.toFixed(2)} |`,
    ),
  ];
}

/** `--flood` chooses one by a part of its name, `--seconds` sets the duration of each. */
async function neighbours(service: BenchService): Promise<string[]> {
  const rows = await benchNeighbours(service, Number(values.seconds), values.flood);
  const ms = (value: number) => (Number.isFinite(value) ? `${number(value)} ms` : "never");
  const cells = ({ median, p99, most }: Times) =>
    Number.isNaN(most) ? "none was sent" : `${ms(median)} / ${ms(p99)} / ${ms(most)}`;
  return [
    "| environment A does | B: feed (median / p99 / most) | B: mail | B: webhook | A's messages a second |",
    "|---|--:|--:|--:|--:|",
    ...rows.map(
      ({ flood, feed, mail, webhook, handled }) =>
        `| ${flood} | ${cells(feed)} | ${cells(mail)} | ${cells(webhook)} | ${number(handled)} |`,
    ),
  ];
}

const benchmarks: Record<string, (service: BenchService) => Promise<string[]>> = {
  "in-app": inApp,
  fanout,
  smtp: delivery("smtp"),
  webhook: delivery("webhook"),
  growth,
  neighbours,
};
const named = [...positionals, ...values.only];
const chosen = named.length > 0 ? named : ["in-app"];

for (const name of chosen) {
  const run = benchmarks[name];
  if (!run) throw new Error(`there is no benchmark ${name}; there are: ${Object.keys(benchmarks).join(", ")}`);
  progress(`${name}: starting PostgreSQL and the service …`);
  const service = await startBenchService();
  try {
    const table = await run(service);
    const date = new Date().toISOString().slice(0, 10);
    console.log(`\n${date}, ${cpus().length} cores, ${platform()} ${arch()}, Node ${process.versions.node}\n`);
    console.log(table.join("\n"));
  } finally {
    await service.stop();
  }
}
