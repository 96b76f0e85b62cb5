// One trigger at a time on an otherwise idle service: the time until it is accepted, and until the message is visible
// in the feed. The message is searched in the table every millisecond, because a poll of the feed over HTTP would
// itself keep the service busy; afterwards the feed is read once, to see that it shows the message.
import { type Db, openDb } from "@tidings/server/source/store/db";
import { percentile } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import { buyers, fireOne, prepareInApp } from "./load.ts";
import type { BenchService } from "./support.ts";
import { type Row, valueAtMost } from "./table.ts";

const warmUp = 50;
const pauseMs = 30;

export async function benchLatency(service: BenchService, triggers: number): Promise<Row[]> {
  const db = openDb({ url: service.databaseUrl, poolSize: 1, onError: () => {} });
  try {
    await prepareInApp(service);
    progress(`${triggers} single triggers, after ${warmUp} to warm up …`);
    const accepted: number[] = [];
    const seen: number[] = [];
    for (let index = 0; index < warmUp + triggers; index++) {
      const times = await measureOne(service, db, index);
      if (index >= warmUp) {
        accepted.push(times.accepted);
        seen.push(times.visible);
      }
      await sleep(pauseMs);
    }
    return [
      { what: "latency, single trigger → feed, p50", value: percentile(seen, 0.5), unit: "ms", aim: valueAtMost(12) },
      { what: "latency, single trigger → feed, p99", value: percentile(seen, 0.99), unit: "ms" },
      { what: "latency, single trigger → accepted (201), p50", value: percentile(accepted, 0.5), unit: "ms" },
    ];
  } finally {
    await db.destroy();
  }
}

async function measureOne(service: BenchService, db: Db, index: number) {
  const key = `buyer-${index % buyers}`;
  const { rows } = await sql<{ id: string; environment: string }>`
    select id, environment_id as environment from subscribers where subscriber_id = ${key}`.execute(db);
  const { id, environment } = rows[0]!;
  const before = await countOf(db, environment, id);
  const started = performance.now();
  const accepting = fireOne(service, index).then(() => performance.now() - started);
  while ((await countOf(db, environment, id)) === before) await sleep(1);
  const visible = performance.now() - started;
  const accepted = await accepting;
  const feed = await fetch(`${service.url}/v1/subscribers/${key}/notifications/feed`, {
    headers: { authorization: `ApiKey ${service.apiKey}` },
  });
  const { data } = (await feed.json()) as { data: { subject: string }[] };
  if (data[0]?.subject !== `Order ${4711 + index} shipped`) throw new Error(`the feed does not show event ${index}`);
  return { accepted, visible: Math.max(visible, accepted) };
}

/** How many messages of the subscriber are in the feed. */
export async function countOf(db: Db, environmentId: string, subscriberId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from messages
    where environment_id = ${environmentId} and subscriber_id = ${subscriberId} and status = 'sent'`.execute(db);
  return rows[0]!.count;
}
