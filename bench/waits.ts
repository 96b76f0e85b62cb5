// A million runs that wait for a signal. What they cost while nothing happens: CPU before and after. And the time from
// a signal to the next message of its run in the feed, alternating with single triggers, one request at a time.

import { type Db, openDb } from "@tidings/server/source/store/db";
import { createClient } from "@tidings/testkit/client";
import { percentile } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import { loadMembers } from "./fanout.ts";
import { measureIdle } from "./idle.ts";
import { countOf } from "./latency.ts";
import { post } from "./load.ts";
import type { BenchService } from "./support.ts";
import { formatNumber, type Row, valueAtMost } from "./table.ts";

const topicKey = "everyone-who-waits";
const runsPerMember = 10;
const warmUp = 50;
const pauseMs = 30;

type WaitsOptions = { runs: number; requests: number; idleSeconds: number };

export async function benchWaits(service: BenchService, options: WaitsOptions): Promise<Row[]> {
  const { runs, requests, idleSeconds } = options;
  const members = Math.ceil(runs / runsPerMember);
  const db = openDb({ url: service.databaseUrl, poolSize: 2, onError: () => {} });
  try {
    await prepare(service);
    await loadMembers(db, topicKey, members);
    const before = await measureIdle(service, idleSeconds);
    progress(`${formatNumber(runs)} runs begin to wait …`);
    for (let n = 0; n < runsPerMember; n++) {
      const event = { name: "acknowledge", to: { type: "Topic", topicKey }, payload: { n } };
      await post(service, "/v1/events/trigger", event);
      while ((await countWaits(db)) < (n + 1) * members) await sleep(250);
    }
    await sql`vacuum analyze`.execute(db);
    const after = await measureIdle(service, idleSeconds);
    progress(`${requests} signals and as many triggers, after ${warmUp} each to warm up …`);
    const times = { signal: [] as number[], trigger: [] as number[] };
    for (let index = 0; index < warmUp + requests; index++) {
      const member = `member-${1 + ((index * 97) % members)}`;
      const signaled = await measure(service, db, { member, path: "/v2/signals", body: signalOf(member, index) });
      const triggered = await measure(service, db, { member, path: "/v1/events/trigger", body: eventOf(member) });
      if (index < warmUp) continue;
      times.signal.push(signaled);
      times.trigger.push(triggered);
    }
    const beside = { what: "single trigger → feed", value: percentile(times.trigger, 0.5) };
    return [
      {
        what: `waits, idle CPU with ${formatNumber(runs)} waiting runs`,
        value: after.service + after.database,
        unit: "% of a core",
        beside: { what: "before them", value: before.service + before.database },
      },
      {
        what: "waits, signal → next message in the feed, p50",
        value: percentile(times.signal, 0.5),
        unit: "ms",
        beside,
        aim: valueAtMost(50),
      },
      { what: "waits, signal → next message in the feed, p99", value: percentile(times.signal, 0.99), unit: "ms" },
    ];
  } finally {
    await db.destroy();
  }
}

async function prepare(service: BenchService): Promise<void> {
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const feed = {
    name: "Feed",
    type: "in_app",
    controlValues: { body: "{{ payload.n }} {{ steps.wait.reason }}" },
  } as const;
  const wait = {
    name: "Wait",
    stepId: "wait",
    type: "wait",
    controlValues: { amount: 30, unit: "days", signal: { name: "acknowledged", key: "{{ payload.n }}" } },
  } as const;
  await client("workflows.create", {
    body: { name: "Acknowledge", workflowId: "acknowledge", active: true, steps: [wait, feed] },
  });
  await client("workflows.create", { body: { name: "Plain", workflowId: "plain", active: true, steps: [feed] } });
  await client("topics.create", { body: { key: topicKey, name: "Everyone" }, query: {} });
}

const eventOf = (member: string) => ({ name: "plain", to: member, payload: { n: 0 } });
const signalOf = (member: string, index: number) => ({
  name: "acknowledged",
  to: member,
  key: String(index % runsPerMember),
});

async function countWaits(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from run_waits`.execute(db);
  return rows[0]!.count;
}

type Request = { member: string; path: string; body: object };

/** From the request until the subscriber has one more message. */
async function measure(service: BenchService, db: Db, { member, path, body }: Request): Promise<number> {
  const { rows } = await sql<{ id: string; environment: string }>`
    select id, environment_id as environment from subscribers where subscriber_id = ${member}`.execute(db);
  const { id, environment } = rows[0]!;
  const before = await countOf(db, environment, id);
  const started = performance.now();
  const accepting = post(service, path, body);
  while ((await countOf(db, environment, id)) === before) await sleep(1);
  const passedMs = performance.now() - started;
  await accepting;
  await sleep(pauseMs);
  return passedMs;
}
