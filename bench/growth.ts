// Do lists get slower as the tables grow? Two services run side by side, one with 100,000 messages and one with
// 10,000,000 (40 per subscriber in both, so that the responses have the same size); every list is asked of both in
// turn, so that other work of the machine slows both. Also counts the large tables that PostgreSQL read sequentially on
// the way. Loading ten million takes minutes and about 15 GB.

import { type Db, openDb } from "@tidings/server/source/store/db";
import { createClient } from "@tidings/testkit/client";
import { median, percentile } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { sql } from "kysely";
import { load, loaders, messagesPerSubscriber, topicsPerSubscriber } from "./growth-rows.ts";
import { type BenchService, withService } from "./support.ts";
import { formatNumber, type Row, ratioAtMost, valueAtMost } from "./table.ts";

const warmUp = 100;
const passes = 3;

/** A service whose tables have so many messages. */
type Filled = { service: BenchService; db: Db; messages: number };
type Timing = { p50: number; p99: number };
type Timings = { small: Timing; large: Timing };

export const benchGrowth = (sizes: { large: number; requests: number }): Promise<Row[]> =>
  withFilled(Math.min(100_000, sizes.large / 2), (small) =>
    withFilled(sizes.large, (large) => measure({ small, large }, sizes.requests)),
  );

const withFilled = <T>(messages: number, work: (filled: Filled) => Promise<T>): Promise<T> =>
  withService(async (service) => {
    const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
    const db = openDb({ url: service.databaseUrl, poolSize: loaders, statementMs: 1_800_000, onError: () => {} });
    try {
      const { body: workflow } = await client("workflows.retrieve", { params: { workflowId: "welcome" }, query: {} });
      await load(db, workflow._id, messages);
      return await work({ service, db, messages });
    } finally {
      await db.destroy();
    }
  });

async function measure(filled: { small: Filled; large: Filled }, requests: number): Promise<Row[]> {
  const { small, large } = filled;
  const scansBefore = [await sequentialScans(small.db), await sequentialScans(large.db)];
  const passesOf: Record<string, Timings[]> = {};
  // Other work of the machine disturbs a whole pass: the median of the passes leaves it out.
  for (let pass = 0; pass < passes; pass++) {
    for (const list of Object.keys(pathsOf(small.messages))) {
      const timings = await timeList(filled, list, pass * requests, requests);
      passesOf[list] = [...(passesOf[list] ?? []), timings];
      progress(`${list}: p99 ${formatNumber(timings.small.p99)} and ${formatNumber(timings.large.p99)} ms`);
    }
  }
  const scansAfter = [await sequentialScans(small.db), await sequentialScans(large.db)];
  const scanned = scansAfter.flatMap((scans, i) =>
    Object.keys(scans).filter((table) => scans[table]! > (scansBefore[i]![table] ?? 0)),
  );
  const tables = [...new Set(scanned)];
  return [
    ...Object.entries(passesOf).map(([list, all]) => toRow(list, filled, all)),
    {
      what: "growth, large tables read sequentially by lists",
      value: tables.length,
      unit: "",
      aim: valueAtMost(0),
      ...(tables.length > 0 ? { note: tables.join(", ") } : {}),
    },
  ];
}

function toRow(list: string, { small, large }: { small: Filled; large: Filled }, all: Timings[]): Row {
  const middle = (size: keyof Timings, part: keyof Timing) => median(all.map((timings) => timings[size][part]));
  const medians = `p50 ${formatNumber(middle("small", "p50"))} → ${formatNumber(middle("large", "p50"))} ms`;
  return {
    what: `growth, ${list}, p99 with ${formatNumber(large.messages)} messages (${medians})`,
    value: middle("large", "p99"),
    unit: "ms",
    beside: { what: `with ${formatNumber(small.messages)}`, value: middle("small", "p99") },
    ratio: middle("large", "p99") / middle("small", "p99"),
    aim: ratioAtMost(1.5),
  };
}

/** The path of a request for each list; `i`: the number of the request. */
function pathsOf(messages: number): Record<string, (i: number) => string> {
  const subscribers = Math.floor(messages / messagesPerSubscriber);
  const subscriber = (i: number) => `growth-${(i * 7919) % subscribers}`;
  const transaction = (i: number) => `growth-${(i * 7919) % messages}`;
  return {
    feed: (i) => `/v1/subscribers/${subscriber(i)}/notifications/feed`,
    "messages of a subscriber": (i) => `/v1/messages?subscriberId=${subscriber(i)}`,
    "messages of a transaction": (i) => `/v1/messages?transactionId=${transaction(i)}`,
    "messages, newest": () => "/v1/messages",
    "notifications, newest": () => "/v1/notifications",
    "notifications of a subscriber": (i) => `/v1/notifications?subscriberIds=${subscriber(i)}`,
    "notifications of a transaction": (i) => `/v1/notifications?transactionId=${transaction(i)}`,
    subscribers: () => "/v2/subscribers",
    "subscriptions of a subscriber": (i) => `/v2/subscribers/${subscriber(i)}/subscriptions`,
    "subscriptions of a topic": (i) => `/v2/topics/growth-${(i % topicsPerSubscriber) + 1}/subscriptions`,
  };
}

/** Each request to one service, then to the other. */
async function timeList(
  { small, large }: { small: Filled; large: Filled },
  list: string,
  first: number,
  count: number,
) {
  const times = { small: [] as number[], large: [] as number[] };
  const paths = { small: pathsOf(small.messages)[list]!, large: pathsOf(large.messages)[list]! };
  for (let i = 0; i < warmUp + count; i++) {
    const ofSmall = await timeRequest(small.service, paths.small(first + i));
    const ofLarge = await timeRequest(large.service, paths.large(first + i));
    if (i < warmUp) continue;
    times.small.push(ofSmall);
    times.large.push(ofLarge);
  }
  const toTiming = (all: number[]): Timing => ({ p50: percentile(all, 0.5), p99: percentile(all, 0.99) });
  return { small: toTiming(times.small), large: toTiming(times.large) };
}

async function timeRequest(service: BenchService, path: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(`${service.url}${path}`, { headers: { authorization: `ApiKey ${service.apiKey}` } });
  const body = (await response.json()) as { data: unknown[] };
  if (response.status !== 200 || body.data.length === 0)
    throw new Error(`${path} answered ${response.status} or an empty list`);
  return performance.now() - started;
}

/** Sequential scans of partitions with rows; PostgreSQL always scans empty ones sequentially. */
async function sequentialScans(db: Db): Promise<Record<string, number>> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ relname: string; seq_scan: number }>`
    select relname, seq_scan from pg_stat_user_tables
    where schemaname = 'public' and n_live_tup > 1000
      and relname ~ '^(events|notifications|jobs|messages|subscribers|topic_subscriptions|list_counts)'`.execute(db);
  return Object.fromEntries(rows.map((row) => [row.relname, row.seq_scan]));
}
