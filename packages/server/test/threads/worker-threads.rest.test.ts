// A service with worker threads: they work on what the main thread receives, and respond as it would.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import type { RawInput } from "@tidings/testkit/client";
import { authorized, exchange, request } from "@tidings/testkit/http";
import { metric } from "@tidings/testkit/metric";
import fc from "@tidings/testkit/properties";
import { startTestService, type TestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import type { PostedBatch } from "../../src/http/triggers/worker-handover.ts";
import { type StartedThread, startWorkerThread } from "../../src/threads/client.ts";
import { createWorkerPool } from "../../src/threads/pool.ts";

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
  const dispatched = await readMetric(service, "tidings_requests_handed_over_total");
  assert.ok(dispatched > 0 && dispatched < 12, `${dispatched} of 12 requests ran in a worker thread`);
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

/** The same service with one thread, which has no worker thread. */
const alone = await startTestService({ TIDINGS_THREADS: "1" });
await createWorkflow(alone.client, "hello", [inApp()]);

let bodies = 0;

/** The response to a body, and the payloads that were stored, without what differs from one time to the next. */
async function respondTo(target: TestService, makeBody: (mark: string) => string) {
  const mark = `mark${++bodies}x`;
  const path = "/v1/events/trigger/bulk";
  const { status, text } = await authorized(target, path, { method: "POST", body: makeBody(mark) });
  const { rows } = await sql<{ payload: string }>`
    select payload::text as payload from events where transaction_id like ${`${mark}%`} order by transaction_id`.execute(
    target.db,
  );
  const kept = text.replaceAll(/"(timestamp|transactionId|errorId)":"[^"]*"/g, '"$1":""').replaceAll(mark, "");
  return { status, text: kept, payloads: rows.map(({ payload }) => payload.replaceAll(mark, "")) };
}

const mark = "\ufeff";
const eventOf = (id: string, payload: string): string =>
  `{"name":"hello","to":"${id}","transactionId":"${id}","payload":${payload}}`;
const bodyOf = (payload: string) => (id: string) => `{"events":[${eventOf(id, payload)}]}`;

/** Bodies whose text and value differ in some way, or that parsers read differently. */
const oddBodies: Record<string, (id: string) => string> = {
  "a byte order mark": (id) => mark + bodyOf("{}")(id),
  "two byte order marks": (id) => mark + mark + bodyOf("{}")(id),
  "a byte order mark only": () => mark,
  "a byte order mark before an escaped __proto__": (id) => mark + bodyOf('{"__pr\\u006fto__":{"name":"x"}}')(id),
  "a byte order mark behind": (id) => bodyOf("{}")(id) + mark,
  "a byte order mark in a text": bodyOf(`{"name":"${mark}a"}`),
  "white space": (id) => ` \r\n\t${bodyOf("{ }")(id)}\r\n `,
  "a no-break space": (id) => `\u00a0${bodyOf("{}")(id)}`,
  "duplicate members": bodyOf('{"name":"a","name":"b"}'),
  "duplicate events": (id) => `{"events":[],"events":[${eventOf(id, "{}")}]}`,
  "minus zero": bodyOf('{"name":-0,"list":[-0.0,0e-5]}'),
  "huge numbers": bodyOf('{"name":1e400,"less":-1e400,"tiny":1e-400,"long":123456789012345678901234567890}'),
  "lone surrogates": bodyOf('{"name":"\\ud800","other":"\\udc00\\ud800"}'),
  "a pair of surrogates": bodyOf('{"name":"\\ud83d\\ude00"}'),
  "a null character": bodyOf('{"name":"\\u0000"}'),
  "unusual escapes": bodyOf('{"name":"\\/\\b\\f\\u002f\\u2028","\\u006eame2":1,"\\u005f_proto__":{"a":1}}'),
  "a line separator": bodyOf('{"name":"\u2028\u2029"}'),
  __proto__: bodyOf('{"__proto__":{"name":"x"},"constructor":{"prototype":{"a":1}}}'),
  "names of inherited members": bodyOf('{"toString":1,"hasOwnProperty":2,"constructor":"x","valueOf":null}'),
  "150 levels": bodyOf(`{"name":${"[".repeat(150)}${"]".repeat(150)}}`),
  "210 levels": bodyOf(`{"name":${"[".repeat(210)}${"]".repeat(210)}}`),
  "100,000 levels": bodyOf(`{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
  "an empty name": bodyOf('{"":{"":""}}'),
  "a payload that is no object": bodyOf("[1]"),
  "no object": () => "[]",
  "a text": () => '"x"',
  null: () => "null",
  "half an object": () => '{"events":[',
  nothing: () => "",
};

test("no request fails that of another environment, or ends the worker thread of both", async () => {
  const attack = () =>
    authorized(service, "/v1/events/trigger/bulk", { method: "POST", body: mark + bodyOf("{}")(`attack${++bodies}`) });
  await createWorkflow(service.production, "hello", [inApp()]);
  const victims: Promise<{ status: number }>[] = [];
  const attacks: Promise<{ status: number }>[] = [];
  for (let number = 0; number < 12; number++) {
    victims.push(service.production.raw("events.triggerBulk", { body: bulkOf(`victim-${number}`, 40) } as RawInput));
    attacks.push(attack());
  }
  const statuses = async (replies: Promise<{ status: number }>[]) => [
    ...new Set((await Promise.all(replies)).map(({ status }) => status)),
  ];
  assert.deepEqual(
    { victims: await statuses(victims), attacks: await statuses(attacks) },
    { victims: [201], attacks: [201] },
  );
  assert.equal(await readMetric(service, "tidings_threads"), 2);
});

test("a request in a worker thread gets the response, and stores the payload, that it would in the main thread", async () => {
  const before = await readMetric(service, "tidings_requests_handed_over_total");
  for (const [name, makeBody] of Object.entries(oddBodies)) {
    assert.deepEqual(await respondTo(service, makeBody), await respondTo(alone, makeBody), name);
  }
  const piece = fc.oneof(
    fc.json({ maxDepth: 2, stringUnit: "binary" }),
    fc.constantFrom("-0", "1e400", "-1E-400", "0.1e+1", '"\\ud800"', '"\\uD83D\\uDE00"', '"\\u0000"', '"\\/"', "[[]]"),
  );
  const name = fc.constantFrom(
    "name",
    "n\\u0061me",
    "__proto__",
    "\\u005F_proto__",
    "constructor",
    "prototype",
    "",
    "0",
  );
  const space = fc.constantFrom("", " ", "\r\n", "\t");
  const members = fc.array(fc.tuple(space, name, space, piece, space), { maxLength: 4 });
  const payload = members.map(
    (list) => `{${list.map(([a, key, b, value, c]) => `${a}"${key}"${b}:${value}${c}`).join(",")}}`,
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("", "", mark), space, payload, async (head, blank, text) => {
      const makeBody = (id: string) => `${head}${blank}${bodyOf(text)(id)}${blank}`;
      assert.deepEqual(await respondTo(service, makeBody), await respondTo(alone, makeBody));
    }),
    { numRuns: 15 },
  );
  const dispatched = (await readMetric(service, "tidings_requests_handed_over_total")) - before;
  assert.ok(dispatched > 15, `${dispatched} requests ran in a worker thread`);
  assert.equal(await readMetric(service, "tidings_threads"), 2);
});

test("stop() waits for requests in worker threads", async () => {
  const other = await startTestService({ TIDINGS_THREADS: "2" });
  await createWorkflow(other.client, "hello", [inApp()]);
  const replies = sendBulks(other, "last", 1, 100);
  await eventually(async () => (await readMetric(other, "tidings_requests_handed_over_total")) === 1, "the request");
  const stopping = other.stop();
  assert.equal((await replies)[0]!.status, 201);
  await stopping;
});

const log = pino({ level: "silent" });
const workerData = (databaseUrl: string) => ({
  databaseUrl,
  config: readConfig({
    DATABASE_URL: databaseUrl,
    TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    TIDINGS_ROLE: "api",
  }),
});

test("a thread that cannot start reports why", async () => {
  const { promise: ended, resolve } = Promise.withResolvers<Error | null>();
  const start = startWorkerThread(workerData("postgres://nothing:wrong@127.0.0.1:1/none"), {
    log,
    onEnd: (_, error) => resolve(error),
  });
  await assert.rejects(start, { code: "UNAVAILABLE" });
  assert.match(String(await ended), /ECONNREFUSED/);
});

test("requests that a thread cannot read are refused alone; when it ends, its requests fail with 503", async () => {
  const ends: [StartedThread, Error | null][] = [];
  const started = once(process, "worker") as Promise<[Worker]>;
  const thread = await startWorkerThread(workerData(service.database.url), {
    log,
    onEnd: (...end) => void ends.push(end),
  });
  const post = (texts: string[]) =>
    thread.runBatch({
      operation: "events.trigger",
      requests: texts.map((text) => ({
        text,
        url: "/v1/events/trigger",
        method: "POST",
        params: {},
        query: {},
        key: null,
      })),
    } as unknown as PostedBatch);
  const responses = await post(["{", "[]", mark]);
  assert.deepEqual(
    responses.map(({ status }) => status),
    [400, 422, 400],
  );
  const unknown = { operation: "unknown", requests: [{ text: "{}" }] } as unknown as PostedBatch;
  await assert.rejects(thread.runBatch(unknown), { code: "UNAVAILABLE" });
  assert.equal((await post(["{}"]))[0]!.status, 422, "it continues");
  const [worker] = await started;
  const posted = post(["{}"]);
  void worker.terminate();
  await assert.rejects(posted, { code: "UNAVAILABLE" });
  await eventually(async () => ends.length === 1, "its end");
  assert.equal(ends[0]![0], thread);
  assert.match(String(ends[0]![1]), /exited with code 1/);
  await assert.rejects(post(["{}"]), { code: "UNAVAILABLE" });
});

/** Keeps this thread busy until it is stopped. */
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

test("a worker thread starts when the main thread is busy, a core is idle and there is work; stop() ends it", async () => {
  const { databaseUrl, config } = workerData(service.database.url);
  let idleCores = 0;
  const pool = createWorkerPool({
    databaseUrl,
    config: { ...config, threads: { min: 1, max: 2 } },
    log,
    readIdleCores: () => idleCores,
  });
  const stopBurning = keepBusy();
  // The load is measured every half second.
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
  assert.equal(await pool.run(false, async (thread) => thread !== null), true, "large work is for the worker thread");
  assert.equal(await pool.run(true, async (thread) => thread === null), true, "small work is not");
  await pool.stop();
  assert.equal(pool.count(), 1);
});
