// Live connections as an operator sees them: heartbeats, the limit of a process, and a shutdown that sends its clients
// away one after the other.
import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { errorOf, request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { WebSocket } from "ws";
import { encryptionKey, openSocketIo, openStream, tokenFor } from "./clients.ts";

const service = await startTestService({
  TIDINGS_ENCRYPTION_KEY: encryptionKey,
  TIDINGS_LIVE_HEARTBEAT: "1",
  // A quarter of them for the Development environment.
  TIDINGS_LIVE_CONNECTIONS: "640",
  TIDINGS_LIVE_PER_SUBSCRIBER: "200",
});
const { client, url } = service;
await createWorkflow(client, "greet", [inApp()]);

/** What a door sends, as text. */
function readStream(address: string): { text(): string; isEnded(): boolean; close(): void } {
  let [text, isEnded] = ["", false];
  const call = get(address, (answer: IncomingMessage) => {
    answer.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    answer.on("end", () => {
      isEnded = true;
    });
    answer.on("error", () => {});
  });
  call.on("error", () => {});
  return { text: () => text, isEnded: () => isEnded, close: () => call.destroy() };
}

/** A WebSocket that responds to heartbeats or does not, whatever its protocol. */
function openRaw(path: string, token: string, { answers }: { answers: boolean }) {
  const seen = { beats: 0, code: 0, texts: [] as string[] };
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}?token=${token}`, { autoPong: answers });
  const isPacket = path.startsWith("/socket.io");
  socket.on("ping", () => {
    seen.beats++;
  });
  socket.on("message", (data) => {
    const text = String(data);
    seen.texts.push(text);
    if (text.startsWith("0")) socket.send("40");
    if (!isPacket || text !== "2") return;
    seen.beats++;
    if (answers) socket.send("3");
  });
  socket.on("close", (code) => {
    seen.code = code;
  });
  socket.on("error", () => {});
  return { seen, socket };
}

const metrics = async () => (await request(service, "/metrics")).text;

test("heartbeats keep all three doors open, and a socket that does not answer them is closed", async () => {
  const token = await tokenFor(service, "ada");
  const stream = readStream(`${url}/v1/inbox/stream?token=${token}`);
  const good = ["/ws", "/socket.io/"].map((path) => openRaw(path, token, { answers: true }));
  const silent = ["/ws", "/socket.io/"].map((path) => openRaw(path, token, { answers: false }));
  await eventually(() => stream.text().split(": heartbeat\n\n").length > 3, "three heartbeats of the stream");
  await eventually(() => good.every(({ seen }) => seen.beats >= 3), "three heartbeats of both sockets");
  await eventually(() => silent.every(({ seen }) => seen.code !== 0), "the end of the silent ones");
  assert.ok(good.every(({ socket }) => socket.readyState === WebSocket.OPEN));
  assert.ok(silent.every(({ seen }) => seen.beats === 1));
  assert.match(await metrics(), /live_closed_total\{reason="silent"\} 2/);
  assert.match(good[1]!.seen.texts[0]!, /"pingInterval":1000,"pingTimeout":20000/);
  // What is sent after many heartbeats arrives.
  await trigger(client, "greet", "ada");
  await eventually(() => stream.text().includes("Hello"), "a message in the stream");
  const has = ({ seen }: (typeof good)[number]) => seen.texts.some((text) => text.includes("notification_received"));
  await eventually(() => good.every(has), "the message at the sockets");
  stream.close();
  for (const { socket } of good) socket.terminate();
});

test("visitors without a hash have so many connections from one address; a subscriber with a hash still gets one", async () => {
  const { body } = await client("environments.list");
  const development = body.find(({ type }) => type === "dev")!;
  const open: ReturnType<typeof openStream>[] = [];
  for (let number = 0; number < 5; number++) {
    const session = await client.raw("inbox.openSession", {
      body: { applicationIdentifier: development.identifier, subscriber: { subscriberId: `made-up-${number}` } },
    });
    const { token } = (session.body as { data: { token: string } }).data;
    open.push(...Array.from({ length: 21 }, () => openStream(url, token)));
  }
  await eventually(() => open.every((one) => one.status() !== null), "all answers");
  const statuses = open.map((one) => one.status());
  assert.deepEqual([statuses.filter((status) => status === 200).length, new Set(statuses)], [100, new Set([200, 429])]);
  const vouched = openStream(url, await tokenFor(service, "vouched"));
  await eventually(() => vouched.named("counts").length === 1, "the connection of the subscriber with a hash");
  for (const one of [...open, vouched]) one.close();
});

test("an environment has so many connections to a process and no more, the process says so, and takes one again when another has gone", async () => {
  const token = await tokenFor(service, "bob");
  await eventually(
    async () => /live_connections\{door="sse"\} 0/.test(await metrics()),
    "the connections of before to end",
  );
  const open = Array.from({ length: 160 }, () => openStream(url, token));
  await eventually(() => open.every((one) => one.named("counts").length === 1), "160 connections");
  const refused = await request(service, `/v1/inbox/stream?token=${token}`);
  assert.match(
    errorOf(refused, "UNAVAILABLE").message,
    /^The environment has 160 live connections to this process, the most it may have/,
  );
  const seconds = Number(refused.headers.get("retry-after"));
  assert.ok(seconds >= 1 && seconds <= 10, "refused clients come back at different times");
  const status = await new Promise<number>((resolve) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws?token=${token}`);
    socket.on("unexpected-response", (_, answer) => resolve(answer.statusCode!));
    socket.on("error", () => {});
  });
  assert.equal(status, 503);
  open[0]!.close();
  await eventually(async () => {
    const next = openStream(url, token);
    await eventually(() => next.status(), "an answer");
    open.push(next);
    return next.status() === 200;
  }, "room for another connection");
  for (const one of open) one.close();
});

test("at a shutdown, clients are sent away with different times for their return, and come back elsewhere without a loss", async () => {
  const settings = { TIDINGS_ENCRYPTION_KEY: encryptionKey, TIDINGS_LIVE_PER_SUBSCRIBER: "200" };
  const stopping = await startTestService(settings);
  await createWorkflow(stopping.client, "greet", [inApp()]);
  const token = await tokenFor(stopping, "ada");
  const streams = Array.from({ length: 120 }, () => readStream(`${stopping.url}/v1/inbox/stream?token=${token}`));
  const io = openSocketIo(stopping.url, token);
  const plain = new WebSocket(`${stopping.url.replace("http", "ws")}/ws?token=${token}`);
  let code = 0;
  plain.on("close", (given) => {
    code = given;
  });
  plain.on("error", () => {});
  await eventually(() => streams.every((one) => one.text().includes("event: counts")), "120 streams");
  await eventually(() => io.isOpen() && plain.readyState === WebSocket.OPEN, "both sockets");
  const left: string[] = [];
  io.socket.on("disconnect", (reason) => left.push(reason));
  await stopping.stop();
  await eventually(() => streams.every((one) => one.isEnded()), "the end of the streams");
  await eventually(() => code === 1012 && left.length === 1, "the end of the sockets: service restart");
  const times = streams.map((one) => Number(/retry: (\d+)\n\n$/.exec(one.text())?.[1]));
  assert.ok(
    times.every((ms) => ms >= 2_000 && ms < 10_000),
    "every stream is told when to come back",
  );
  assert.ok(new Set(times).size > 60, "and not all at once");
  io.close();
});
