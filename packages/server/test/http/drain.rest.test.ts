// Stopping: requests on open connections are finished, new connections are refused, and no accepted event is lost. The
// service is started by hand here, because its database has to outlive it.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createClient } from "@tidings/testkit/client";
import { createTestDatabase } from "@tidings/testkit/database";
import { feedOf } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { newApiKey } from "../../src/lib/secrets.ts";
import { startService } from "../../src/service.ts";
import { inTransaction, openDb } from "../../src/store/db.ts";

const database = await createTestDatabase();
const db = openDb({ url: database.url, poolSize: 3, onError: () => {} });
atEnd(async () => {
  await db.destroy();
  await database.drop();
});

const apiKey = newApiKey();
const encryptionKey = randomBytes(32).toString("base64");

/** Several services, one after the other, on the same database. */
function start(settings: Record<string, string> = {}) {
  const config = readConfig({
    DATABASE_URL: database.url,
    TIDINGS_HOST: "127.0.0.1",
    TIDINGS_PORT: "0",
    TIDINGS_API_KEY: apiKey,
    TIDINGS_ENCRYPTION_KEY: encryptionKey,
    TIDINGS_DATABASE_POOL: "8",
    ...settings,
  });
  return startService(config, pino({ level: "silent" }));
}

/** Locks a row until `release`, so that a request that changes it stays in flight. */
async function hold(subscriberId: string): Promise<{ release(): Promise<void> }> {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  let isHeld = () => {};
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  const holding = inTransaction(db, async (tx) => {
    await sql`select 1 from subscribers where subscriber_id = ${subscriberId} for update`.execute(tx);
    isHeld();
    await isOpen;
  });
  await held;
  return {
    release() {
      open();
      return holding;
    },
  };
}

const isInFlight = async () => {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length > 0;
};

/** A separate connection: what is written on it arrives in that order, whatever the server is doing. */
async function openConnection(url: string): Promise<{ socket: Socket; text(): string; ended: Promise<string> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = "";
  const ended = new Promise<string>((resolve) => {
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return { socket, text: () => text, ended };
}

const written = (method: string, path: string, body = "") =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: ApiKey ${apiKey}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");

/** Splits what came over one connection into its responses. */
function answersIn(text: string): { status: number; head: string; body: Record<string, unknown> }[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3})/)
    .filter((part) => part !== "")
    .map((part) => {
      const [head = "", body = ""] = part.split("\r\n\r\n");
      return { status: Number(head.slice(9, 12)), head: head.toLowerCase(), body: JSON.parse(body) };
    });
}

test("stop() serves the requests on open connections, ends these, and keeps what was accepted", async () => {
  const service = await start({ TIDINGS_ROLE: "api" });
  const client = createClient({ baseUrl: service.url, apiKey });
  await client("subscribers.create", { body: { subscriberId: "slow" } });
  // No worker runs yet: the event is accepted and waits.
  const accepted = await client("events.trigger", { body: { name: "welcome", to: "slow" } });
  assert.equal(accepted.body.status, "processed");

  const lock = await hold("slow");
  const busy = await openConnection(service.url);
  busy.socket.write(written("PATCH", "/v2/subscribers/slow", '{"firstName":"Finished"}'));
  // The second request of this connection has begun when the stop comes, and ends after it.
  const half = await openConnection(service.url);
  const late = written("POST", "/v2/subscribers", '{"subscriberId":"late"}');
  half.socket.write(written("GET", "/health") + late.slice(0, 40));
  await eventually(() => half.text() !== "", "the answer to the first request");
  await eventually(isInFlight, "the request to be in flight");

  const stopping = service.stop();
  const stoppingAgain = service.stop();
  half.socket.write(late.slice(40));
  await lock.release();

  const finished = answersIn(await busy.ended);
  assert.deepEqual(
    finished.map(({ status, body }) => [status, body.firstName]),
    [[200, "Finished"]],
  );
  const [, second, ...rest] = answersIn(await half.ended);
  assert.deepEqual(rest, []);
  assert.deepEqual([second!.status, second!.body.subscriberId], [201, "late"]);
  assert.match(second!.head, /\r\nconnection: close/);
  await Promise.all([stopping, stoppingAgain]);
  await assert.rejects(fetch(`${service.url}/health`), "nothing listens any more");

  // The next service has all accepted events, and processes them.
  const next = await start();
  try {
    const after = createClient({ baseUrl: next.url, apiKey });
    const person = await after("subscribers.retrieve", { params: { subscriberId: "slow" } });
    assert.equal(person.body.firstName, "Finished");
    assert.equal((await after.raw("subscribers.retrieve", { params: { subscriberId: "late" } })).status, 200);
    await eventually(async () => (await feedOf(after, "slow")).length === 1, "the event accepted before the stop");
  } finally {
    await next.stop();
  }
});

test("stop() does not wait for a connection that would stay open after its last answer", async () => {
  const service = await start({ TIDINGS_ROLE: "api" });
  const client = createClient({ baseUrl: service.url, apiKey });
  await client("subscribers.create", { body: { subscriberId: "kept-alive" } });
  const lock = await hold("kept-alive");
  const idle = await openConnection(service.url);
  const busy = await openConnection(service.url);
  busy.socket.write(written("PATCH", "/v2/subscribers/kept-alive", '{"firstName":"Finished"}'));
  await eventually(isInFlight, "the request to be in flight");
  const stopping = service.stop();
  await lock.release();
  const answers = answersIn(await busy.ended);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200],
  );
  assert.match(answers[0]!.head, /\r\nconnection: close/, "so that a client does not use it again");
  await stopping;
  assert.equal(await idle.ended, "");
});

test("with a delay, stop() is not ready at once and goes on to serve, so that a load balancer can leave it out", async () => {
  const service = await start({ TIDINGS_SHUTDOWN_DELAY: "2" });
  const kept = await openConnection(service.url);
  kept.socket.write(written("GET", "/ready"));
  await eventually(() => kept.text() !== "", "the first response");
  const stopping = service.stop();
  const ready = await fetch(`${service.url}/ready`);
  assert.deepEqual([ready.status, ready.headers.get("connection")], [503, "close"]);
  assert.match(await ready.text(), /The process is stopping/);
  assert.equal((await fetch(`${service.url}/health`)).status, 200);
  const client = createClient({ baseUrl: service.url, apiKey });
  await client("subscribers.create", { body: { subscriberId: "meanwhile" } });
  kept.socket.write(written("GET", "/v2/subscribers/meanwhile"));
  const [first, second] = answersIn(await kept.ended);
  assert.deepEqual([first!.status, second!.status], [200, 200], "a kept connection is served, and closed after it");
  await stopping;
  await assert.rejects(fetch(`${service.url}/health`));
});
