// Lanes: a campaign of many mails and single codes go through one integration of one environment. Measured: the time
// from the trigger of a code to the provider, once without priorities and once with a low campaign and high codes; the
// throughput of the campaign with and without codes; and what a low campaign gets while a normal one has no end.
// Backlogs are deleted between the rounds.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Db, openDb } from "@tidings/server/source/store/db";
import { type Client, createClient } from "@tidings/testkit/client";
import { percentile } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import type { BenchService } from "./support.ts";
import { type Row, ratioAtLeast, valueAtMost } from "./table.ts";

/** A provider responds after so long. */
const responseMs = 50;
/** Between two codes. */
const codeMs = 200;
/** A code that has not arrived after this long counts as never. */
const patienceMs = 60_000;
/** Recipients of one request. */
const perRequest = 10_000;

type Workflow = "code" | "plain-code" | "campaign" | "plain-campaign";
type Bench = { client: Client; sink: Sink; db: Db };
type Probed = { times: number[]; perSecond: { before: number; beside: number }; waiting: number };

export async function benchLanes(service: BenchService, mails: number, seconds: number): Promise<Row[]> {
  const db = openDb({ url: service.databaseUrl, poolSize: 2, onError: () => {} });
  const sink = await startSink();
  const bench: Bench = { client: createClient({ baseUrl: service.url, apiKey: service.apiKey }), sink, db };
  try {
    await prepare(bench);
    await probe(bench, "code", 20 * codeMs);
    const quiet = await probe(bench, "code", seconds * 1000);
    progress(`a code on an idle service: ${describe(quiet)}`);
    const plain = await round(bench, { campaign: "plain-campaign", code: "plain-code" }, mails, seconds);
    const lanes = await round(bench, { campaign: "campaign", code: "code" }, mails, seconds);
    const share = await shareOfLow(bench, mails, seconds);
    return toRows({ mails, quiet, plain, lanes, share });
  } finally {
    sink.stop();
    await db.destroy();
  }
}

type Found = { mails: number; quiet: number[]; plain: Probed; lanes: Probed; share: number };

function toRows({ mails, quiet, plain, lanes, share }: Found): Row[] {
  const p50 = (times: number[]) => percentile(times, 0.5);
  const p99 = (times: number[]) => percentile(times, 0.99);
  const name = (what: string) => `lanes, ${what}`;
  const queued = `${mails.toLocaleString("en")} mails queued`;
  const left = `${lanes.waiting.toLocaleString("en")} low and ${plain.waiting.toLocaleString("en")} normal mails waited when the codes ended`;
  return [
    {
      what: name(`high code → provider, p50, ${queued}`),
      value: p50(lanes.times),
      unit: "ms",
      beside: { what: "without priorities", value: p50(plain.times) },
    },
    {
      what: name(`high code → provider, p99, ${queued}`),
      value: p99(lanes.times),
      unit: "ms",
      beside: { what: "without priorities", value: p99(plain.times) },
      aim: valueAtMost(1_000),
      note: left,
    },
    { what: name("code → provider, p99, on an idle service"), value: p99(quiet), unit: "ms" },
    {
      what: name("low campaign with a high code every 200 ms"),
      value: lanes.perSecond.beside,
      unit: "/s",
      beside: { what: "without codes", value: lanes.perSecond.before },
      ratio: lanes.perSecond.beside / lanes.perSecond.before,
    },
    { what: name("the same campaign without priorities"), value: plain.perSecond.before, unit: "/s" },
    {
      what: name("low campaign beside an endless normal one"),
      value: share * 100,
      unit: "% of the mails",
      ratio: share,
      aim: ratioAtLeast(0.1),
    },
  ];
}

async function prepare({ client, sink }: Bench): Promise<void> {
  const credentials = { webhookUrl: sink.url, secretKey: "bench", from: "a@example.com", senderName: "A" };
  const integration = { providerId: "email-webhook", channel: "email", identifier: "mail", active: true } as const;
  await client("integrations.create", { body: { ...integration, credentials } });
  const controlValues = { subject: "Hi", body: "<p>Hi</p>", editorType: "html" };
  const steps = [{ name: "Email", type: "email", controlValues } as never];
  const priorities = { code: "high", "plain-code": "normal", campaign: "low", "plain-campaign": "normal" } as const;
  for (const [workflowId, priority] of Object.entries(priorities)) {
    await client("workflows.create", { body: { name: workflowId, workflowId, active: true, priority, steps } });
  }
}

/** Mails of a campaign, in requests of 100 events for 100 people. */
async function queue({ client }: Bench, name: Workflow, mails: number): Promise<void> {
  for (let first = 0; first < mails; first += perRequest) {
    const events = Array.from({ length: Math.min(100, Math.ceil((mails - first) / 100)) }, (_, event) => {
      const person = (index: number) => `${name}-${first + event * 100 + index}`;
      const to = Array.from({ length: 100 }, (_, index) => ({
        subscriberId: person(index),
        email: `${person(index)}@example.com`,
      }));
      return { name, to };
    });
    await client("events.triggerBulk", { body: { events } as never });
  }
}

/** One code every 200 ms; returns the times to the provider. */
async function probe({ client, sink }: Bench, name: Workflow, forMs: number): Promise<number[]> {
  const begun = new Map<string, number>();
  const sending: Promise<unknown>[] = [];
  for (const end = performance.now() + forMs; performance.now() < end; await sleep(codeMs)) {
    const person = `${name}-probe-${probes++}`;
    begun.set(person, performance.now());
    const body = { name, to: { subscriberId: person, email: `${person}@example.com` } };
    sending.push(client("events.trigger", { body: body as never }));
  }
  await Promise.all(sending);
  const hasAll = () => [...begun.keys()].every((person) => sink.arrivals.has(person));
  for (const end = performance.now() + patienceMs; !hasAll() && performance.now() < end; ) await sleep(20);
  return [...begun].map(([person, at]) => (sink.arrivals.get(person) ?? Number.POSITIVE_INFINITY) - at);
}
let probes = 0;

/** A campaign without codes for some seconds, then with them. */
async function round(
  bench: Bench,
  { campaign, code }: { campaign: Workflow; code: Workflow },
  mails: number,
  seconds: number,
): Promise<Probed> {
  const { sink } = bench;
  await queue(bench, campaign, mails);
  const isFlowing = () => (sink.counts.get(campaign) ?? 0) > 0;
  while (!isFlowing()) await sleep(20);
  const rateOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = sink.counts.get(campaign) ?? 0;
    const begun = performance.now();
    await work();
    return ((sink.counts.get(campaign) ?? 0) - before) / ((performance.now() - begun) / 1000);
  };
  const before = await rateOf(() => sleep(seconds * 1000));
  let times: Promise<number[]> = Promise.resolve([]);
  const beside = await rateOf(() => {
    times = probe(bench, code, seconds * 1000);
    return sleep(seconds * 1000);
  });
  const waiting = mails - (sink.counts.get(campaign) ?? 0);
  const probed = { times: await times, perSecond: { before, beside }, waiting };
  progress(`${campaign}: ${describe(probed.times)}, ${JSON.stringify({ ...probed.perSecond, waiting })}`);
  await discard(bench);
  return probed;
}

/** How much of all mails is of a low campaign, while at least as much of a normal one waits. */
async function shareOfLow(bench: Bench, mails: number, seconds: number): Promise<number> {
  const { sink } = bench;
  const counts = () => ({ low: sink.counts.get("campaign") ?? 0, normal: sink.counts.get("plain-campaign") ?? 0 });
  const start = counts();
  await queue(bench, "campaign", mails);
  await queue(bench, "plain-campaign", mails);
  while (counts().normal === start.normal) await sleep(20);
  const before = counts();
  await sleep(seconds * 2000);
  const after = counts();
  const left = mails - (after.normal - start.normal);
  const low = after.low - before.low;
  const share = low / (low + after.normal - before.normal);
  progress(`low beside normal: ${JSON.stringify({ low, normal: after.normal - before.normal, share, left })}`);
  await discard(bench);
  return left > 0 ? share : Number.NaN;
}

const describe = (times: number[]): string =>
  `p50 ${percentile(times, 0.5).toFixed(0)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms of ${times.length}`;

async function discard({ db }: Bench): Promise<void> {
  for (;;) {
    // Tasks that a worker is about to take are left for the next round: waiting for them could deadlock.
    await sql`delete from queue.job where id in (select id from queue.job
      where state < 'active' and name not in ('housekeeping', 'alert') for update skip locked)`.execute(db);
    const { rows } = await sql`select 1 from queue.job where state = 'active' limit 1`.execute(db);
    if (rows.length === 0) return;
    await sleep(200);
  }
}

/** `counts`: mails by workflow. `arrivals`: when the code of each person came. */
type Sink = { url: string; counts: Map<string, number>; arrivals: Map<string, number>; stop(): void };

async function startSink(): Promise<Sink> {
  const counts = new Map<string, number>();
  const arrivals = new Map<string, number>();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const [, person = "", workflow = ""] =
      /((plain-code|code|plain-campaign|campaign)-[a-z0-9-]+)@example/.exec(body) ?? [];
    counts.set(workflow, (counts.get(workflow) ?? 0) + 1);
    if (person.includes("-probe-") && !arrivals.has(person)) arrivals.set(person, performance.now());
    await sleep(responseMs);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts, arrivals, stop };
}
