// A broadcast to an audience with a rule, compared with one event to a topic of the same people, in turn, in one
// service: people a second from the request to the last message in a feed, how long it takes to fix the people, the
// memory of the service, and how long a single event of a neighbour takes meanwhile. Afterwards, how long its results
// and a resend take.

import { type Db, openDb } from "@tidings/server/source/store/db";
import { type Client, createClient } from "@tidings/testkit/client";
import { median, percentile } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import { clear } from "./raw.ts";
import { type BenchService, peakMemory } from "./support.ts";
import { formatNumber, type Row, ratioAtLeast, ratioAtMost, valueAtMost } from "./table.ts";

const topicKey = "pro-customers";
const audienceId = "pro";
/** Subscribers who are in neither: a rule that matches everyone would be asked back. */
const others = 1_000;
const perStatement = 50_000;
/** More people take minutes, of which the first seconds hardly count. */
const maxWarmUp = 200_000;
/** Between two events of the neighbour. */
const pauseMs = 100;
const patienceMs = 20 * 60_000;

type Bench = { service: BenchService; client: Client; neighbour: Client; db: Db; people: number; environments: Ids };
type Ids = { own: string; neighbour: string };
type Found = { perSecond: number; peakMb: number; neighbour: number[]; freezeSeconds: number; results?: Results };
type Results = { counted: number; countSeconds: number; resendSeconds: number };
type Way = "topic" | "broadcast";

export async function benchBroadcast(service: BenchService, people: number, rounds: number): Promise<Row[]> {
  const db = openDb({ url: service.databaseUrl, poolSize: 4, onError: () => {} });
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  try {
    const { body } = await client("environments.create", { body: { name: "Neighbour", color: "#123456" } });
    const neighbour = createClient({ baseUrl: service.url, apiKey: body.apiKeys![0]!.key });
    const own = (await client("files.export")).body.environmentId;
    const bench: Bench = { service, client, neighbour, db, people, environments: { own, neighbour: body._id } };
    await prepare(bench);
    if (people <= maxWarmUp) {
      progress("a warm-up …");
      for (const way of ["topic", "broadcast"] as const) await measure(bench, way);
    }
    const found: Record<Way, Found[]> = { topic: [], broadcast: [] };
    for (let round = 1; round <= rounds; round++) {
      // The first of a pair may find a busier machine.
      const ways: Way[] = round % 2 === 1 ? ["topic", "broadcast"] : ["broadcast", "topic"];
      for (const way of ways) found[way].push(await measure(bench, way));
    }
    return toRows(people, found);
  } finally {
    await db.destroy();
  }
}

function toRows(people: number, { topic, broadcast }: Record<Way, Found[]>): Row[] {
  const name = (what: string) => `broadcast, ${what}`;
  const of = (some: Found[], read: (one: Found) => number) => median(some.map(read));
  const perSecond = (some: Found[]) => of(some, (one) => one.perSecond);
  const times = (some: Found[], part: number) =>
    percentile(
      some.flatMap((one) => one.neighbour),
      part,
    );
  const compared = (part: number) => ({
    value: times(broadcast, part),
    unit: "ms",
    beside: { what: "during the topic", value: times(topic, part) },
    ratio: times(broadcast, part) / times(topic, part),
  });
  return [
    {
      what: name(`one to ${formatNumber(people)} people of a rule`),
      value: perSecond(broadcast),
      unit: "/s",
      beside: { what: "to a topic of the same people", value: perSecond(topic) },
      ratio: median(broadcast.map((one, round) => one.perSecond / topic[round]!.perSecond)),
      aim: ratioAtLeast(1),
    },
    {
      what: name("send → people fixed"),
      value: of(broadcast, (one) => one.freezeSeconds),
      unit: "s",
      aim: valueAtMost(60),
    },
    {
      what: name("memory of the service at most"),
      value: Math.max(...broadcast.map(({ peakMb }) => peakMb)),
      unit: "MB",
      beside: { what: "with the topic", value: Math.max(...topic.map(({ peakMb }) => peakMb)) },
      aim: valueAtMost(300),
    },
    { what: name("a neighbour's event → feed, median"), ...compared(0.5), aim: ratioAtMost(1.5) },
    { what: name("a neighbour's event → feed, p99"), ...compared(0.99) },
    {
      what: name("results counted"),
      value: of(broadcast, ({ results }) => results!.countSeconds),
      unit: "s",
      beside: { what: "people counted", value: of(broadcast, ({ results }) => results!.counted) },
      ratio: of(broadcast, ({ results }) => results!.counted) / people,
      aim: ratioAtLeast(1),
    },
    {
      what: name("a resend as a draft, to everyone who has not opened it"),
      value: of(broadcast, ({ results }) => results!.resendSeconds),
      unit: "s",
      aim: valueAtMost(60),
    },
  ];
}

async function prepare({ client, neighbour, db, people, environments }: Bench): Promise<void> {
  progress(`${formatNumber(people)} subscribers in an audience and a topic …`);
  const controlValues = { subject: "{{ payload.version }} is out", body: "Hello {{ subscriber.firstName }}." };
  const steps = [{ name: "Feed", type: "in_app", controlValues } as never];
  for (const one of [client, neighbour])
    await one("workflows.create", { body: { name: "Release", workflowId: "release", active: true, steps } });
  await client("topics.create", { body: { key: topicKey, name: "Pro customers" }, query: {} });
  // One statement for all of them would be canceled.
  for (let from = 1; from <= people + others; from += perStatement) {
    const to = Math.min(people + others, from + perStatement - 1);
    progress(`${formatNumber(to)} of ${formatNumber(people + others)} …`);
    await sql`
      with added as (
        insert into subscribers (id, environment_id, subscriber_id, first_name, data, created_at, updated_at)
        select gen_random_uuid(), ${environments.own}, 'member-' || i, 'Member ' || i,
          jsonb_build_object('plan', case when i <= ${people}::int then 'pro' else 'free' end), now(), now()
        from generate_series(${from}::int, ${to}::int) i returning id, environment_id, subscriber_id, data
      )
      insert into topic_subscriptions (id, environment_id, topic_id, subscriber_id, identifier, created_at, updated_at)
      select gen_random_uuid(), t.environment_id, t.id, s.id, s.subscriber_id, now(), now()
      from topics t join added s on s.environment_id = t.environment_id and s.data->>'plan' = 'pro'
      where t.environment_id = ${environments.own} and t.key = ${topicKey}`.execute(db);
  }
  await sql`analyze subscribers, topic_subscriptions`.execute(db);
  const rule = { "==": [{ var: "subscriber.data.plan" }, "pro"] };
  await client("audiences.create", { body: { audienceId, name: "Pro", rule } });
}

async function measure(bench: Bench, way: Way): Promise<Found> {
  const { service, db, people } = bench;
  await clear(db);
  await sql`truncate event_pages`.execute(db);
  let isOver = false;
  const probing = probe(bench, () => isOver);
  const begun = performance.now();
  const { value: sent, peakMb } = await peakMemory(
    () => service.pid,
    async () => {
      const one = way === "topic" ? await sendTopic(bench) : await sendBroadcast(bench);
      await reached(bench);
      return one;
    },
  );
  const perSecond = people / ((performance.now() - begun) / 1000);
  isOver = true;
  const neighbour = await probing;
  const { freezeSeconds, broadcastId } = sent;
  progress(
    `${way}: ${formatNumber(perSecond)}/s, ${formatNumber(peakMb)} MB, people fixed after ${freezeSeconds.toFixed(1)} s; ` +
      `neighbour p50 ${formatNumber(median(neighbour))} ms, p99 ${formatNumber(percentile(neighbour, 0.99))} ms`,
  );
  const found = { perSecond, peakMb, neighbour, freezeSeconds };
  return broadcastId === undefined ? found : { ...found, results: await readResults(bench, broadcastId) };
}

type Sent = { freezeSeconds: number; broadcastId?: string };

async function sendTopic({ client }: Bench): Promise<Sent> {
  const to = { type: "Topic" as const, topicKey };
  await client("events.trigger", { body: { name: "release", to, payload: { version: "1.0" } } });
  return { freezeSeconds: 0 };
}

/** `freezeSeconds`: until the people are fixed. */
async function sendBroadcast({ client, db, environments }: Bench): Promise<Sent> {
  const content = { workflowId: "release", payload: { version: "1.0" } };
  const body = { name: "Release", content, audience: { include: [audienceId] } };
  const { _id: broadcastId } = (await client("broadcasts.create", { body })).body;
  const begun = performance.now();
  await client("broadcasts.send", { params: { broadcastId } });
  for (;;) {
    const { rows } = await sql<{ status: string; failure: string | null }>`
      select status, failure from broadcasts
      where environment_id = ${environments.own} and id = ${broadcastId}`.execute(db);
    const { status, failure } = rows[0]!;
    if (status === "failed") throw new Error(`the broadcast failed: ${failure}`);
    if (status !== "scheduled") return { freezeSeconds: (performance.now() - begun) / 1000, broadcastId };
    await sleep(10);
  }
}

async function readResults({ client }: Bench, broadcastId: string): Promise<Results> {
  const params = { broadcastId };
  const begun = performance.now();
  const { counted } = (await client("broadcasts.retrieveResults", { params })).body;
  const countSeconds = (performance.now() - begun) / 1000;
  await client("broadcasts.resend", { params, body: {} });
  const resendSeconds = (performance.now() - begun) / 1000 - countSeconds;
  progress(`${formatNumber(counted)} counted in ${countSeconds.toFixed(1)} s; resend ${resendSeconds.toFixed(1)} s`);
  return { counted, countSeconds, resendSeconds };
}

/** Waits until everyone has the message. */
async function reached({ db, people, environments }: Bench): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from messages
      where environment_id = ${environments.own} and status = 'sent'`.execute(db);
    const found = rows[0]!.count;
    if (found >= people) return;
    const passedMs = performance.now() - begun;
    if (passedMs > patienceMs) throw new Error(`only ${found} of ${people} messages after 20 minutes`);
    // Counting costs PostgreSQL time. At the rate so far, half of the rest will be there at the next count.
    const restMs = found > 0 ? (passedMs / found) * (people - found) : 400;
    await sleep(Math.min(2_000, Math.max(15, restMs / 2)));
  }
}

/** Single events of the neighbour, one after the other; returns the times to the feed. */
async function probe({ neighbour, db, environments }: Bench, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isOver()) {
    const begun = performance.now();
    const subscriberId = `probe-${probes++}`;
    await neighbour("events.trigger", { body: { name: "release", to: subscriberId } });
    const hasArrived = async () => {
      const { rows } = await sql`
        select 1 from subscribers s join messages m on m.environment_id = s.environment_id and m.subscriber_id = s.id
        where s.environment_id = ${environments.neighbour} and s.subscriber_id = ${subscriberId}`.execute(db);
      return rows.length > 0;
    };
    while (!(await hasArrived()) && performance.now() - begun < 60_000) await sleep(3);
    times.push(performance.now() - begun);
    await sleep(pauseMs);
  }
  return times;
}
let probes = 0;
