// A service with several threads: the others work on what the first one receives, and answer as it would.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { RawInput } from "@tidings/contract";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import type { HandedRequests } from "../../src/http/handed-requests.ts";
import { type OtherThread, startThread } from "../../src/thread-client.ts";
import { createThreads } from "../../src/threads.ts";
import { authorized, exchange, request } from "../support/http.ts";
import { metric } from "../support/metric.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { createWorkflow, feedOf, inApp } from "../support/verbs.ts";
import { eventually } from "../support/wait.ts";

const service = await startTestService({ TIDINGS_THREADS: "2" });
await createWorkflow(service.client, "hello", [inApp()]);

const readMetric = async ({ url, apiKey }: TestService, name: string, labels: Record<string, string> = {}) =>
  metric((await request({ url, apiKey }, "/metrics")).text, name, labels) ?? 0;

const bulkOf = (mark: string, events: number) => ({
  events: Array.from({ length: events }, (_, number) => ({
    name: "hello",
    to: `${mark}-${number}`,
    payload: { name: `${mark} ${number}` },
  })),
});

const sendBulks = (target: TestService, mark: string, bulks: number, events: number) =>
  Promise.all(
    Array.from({ length: bulks }, (_, number) =>
      exchange(target, "events.triggerBulk", { body: bulkOf(`${mark}-${number}`, events) } as RawInput),
    ),
  );

test("requests are worked on by both threads, each event once; their counters are added up", async () => {
  const processed = () => readMetric(service, "tidings_events_total", { status: "processed" });
  assert.equal(await readMetric(service, "tidings_threads"), 2);
  const before = await processed();
  const replies = await sendBulks(service, "both", 12, 20);
  assert.ok(replies.every(({ status }) => status === 201));
  const handedOver = await readMetric(service, "tidings_requests_handed_over_total");
  assert.ok(handedOver > 0 && handedOver < 12, `${handedOver} of 12 requests were handed over`);
  assert.equal((await processed()) - before, 240);
  assert.equal((await feedOf(service.client, "both-11-19"))[0]?.content, "Hello both-11 19");
});

test("a body means the same in both threads: escapes, large numbers, members that are dropped", async () => {
  const members = [
    '"name":"\\u00fc\\ud83d\\ude00"',
    '"name":-0',
    '"name":1e400',
    '"__proto__":{"name":"x"}',
    '"name":"ü"',
  ];
  const bodies = members.flatMap((member, number) =>
    Array.from({ length: 6 }, (_, at) => ({
      number,
      body: `{"events":[{"name":"hello","to":"means-${number}-${at}","payload":{${member}}}]}`,
    })),
  );
  const path = "/v1/events/trigger/bulk";
  const replies = await Promise.all(bodies.map(({ body }) => authorized(service, path, { method: "POST", body })));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
  for (const number of members.keys()) {
    const feeds = await Promise.all(
      Array.from({ length: 6 }, (_, at) => feedOf(service.client, `means-${number}-${at}`)),
    );
    const contents = new Set(feeds.map(([message]) => message?.content));
    assert.equal(contents.size, 1, `${members[number]}: ${[...contents]}`);
  }
});

test("stop() waits for the requests that were handed over", async () => {
  const other = await startTestService({ TIDINGS_THREADS: "2" });
  await createWorkflow(other.client, "hello", [inApp()]);
  const replies = sendBulks(other, "last", 1, 100);
  await eventually(async () => (await readMetric(other, "tidings_requests_handed_over_total")) === 1, "the request");
  const stopping = other.stop();
  assert.equal((await replies)[0]!.status, 201);
  await stopping;
});

const log = pino({ level: "silent" });
const threadData = (databaseUrl: string) => ({
  databaseUrl,
  config: readConfig({
    DATABASE_URL: databaseUrl,
    TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    TIDINGS_ROLE: "api",
  }),
});

test("a thread that cannot start says why", async () => {
  const { promise: ended, resolve } = Promise.withResolvers<Error | null>();
  const start = startThread(threadData("postgres://nothing:wrong@127.0.0.1:1/none"), {
    log,
    onEnd: (_, error) => resolve(error),
  });
  await assert.rejects(start, { code: "UNAVAILABLE" });
  assert.match(String(await ended), /ECONNREFUSED/);
});

test("when a thread fails, what it was asked is answered with 503", async () => {
  const ends: [OtherThread, Error | null][] = [];
  const thread = await startThread(threadData(service.database.url), {
    log,
    onEnd: (...end) => void ends.push(end),
  });
  const wrong = { operation: "events.trigger", requests: [{ text: "{" }] } as unknown as HandedRequests;
  await assert.rejects(thread.answer(wrong), { code: "UNAVAILABLE" });
  await eventually(async () => ends.length === 1, "its end");
  assert.equal(ends[0]![0], thread);
  assert.match(String(ends[0]![1]), /SyntaxError/);
  await assert.rejects(thread.answer(wrong), { code: "UNAVAILABLE" });
});

/** Keeps this thread busy until it is told to end. */
function keepBusy(): () => void {
  let timer: NodeJS.Timeout;
  const burn = () => {
    const until = performance.now() + 20;
    while (performance.now() < until);
    timer = setTimeout(burn, 1);
  };
  burn();
  return () => clearTimeout(timer);
}

test("a thread begins when the first one is busy, a core is idle and there is work; stop() ends it", async () => {
  const { databaseUrl, config } = threadData(service.database.url);
  let idleCores = 0;
  const pool = createThreads({
    databaseUrl,
    config: { ...config, threads: { least: 1, most: 2 } },
    log,
    readIdleCores: () => idleCores,
  });
  const stopBurning = keepBusy();
  // The load is looked at every half second.
  for (let n = 0; n < 3; n++) {
    await sleep(600);
    pool.noteWork();
  }
  assert.equal(pool.count(), 1, "no core is idle");
  idleCores = 1;
  await eventually(() => {
    pool.noteWork();
    return pool.count() === 2;
  }, "a second thread");
  stopBurning();
  assert.equal(await pool.run(false, async (thread) => thread !== null), true, "large work is for the other thread");
  assert.equal(await pool.run(true, async (thread) => thread === null), true, "small work is not");
  await pool.stop();
  assert.equal(pool.count(), 1);
});
