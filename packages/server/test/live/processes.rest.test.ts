// Live inboxes of several processes: hints between them, and what happens when hints, connections or processes are
// lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { temporaryFolder } from "@tidings/testkit/process";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { type Service, startService } from "../../src/service.ts";
import {
  encryptionKey,
  type LiveClient,
  openSocketIo,
  openStream,
  openWebSocket,
  type Received,
  tokenFor,
} from "./clients.ts";
import { startDatabaseProxy } from "./proxy.ts";

let second: Service | undefined;
// Before the service, which deletes the database when it ends.
atEnd(() => second?.stop());

const settings = { TIDINGS_ENCRYPTION_KEY: encryptionKey, TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8" };

// It takes requests and has no workers; hints are its only reason to read before ten minutes have passed.
const service = await startTestService({ ...settings, TIDINGS_ROLE: "api", TIDINGS_LIVE_SWEEP: "600" });
const { client } = service;
await createWorkflow(client, "greet", [inApp()]);
const proxy = await startDatabaseProxy(service.database.url);

/** On the same database, in this process, with a LISTEN connection that can be paused. */
const other = await startService(
  readConfig({
    ...settings,
    DATABASE_URL: proxy.url,
    TIDINGS_HOST: "127.0.0.1",
    TIDINGS_PORT: "0",
    TIDINGS_LIVE_SWEEP: "3",
  }),
  pino({ level: "silent" }),
);
second = other;

const clients: LiveClient[] = [];
atEnd(() => {
  for (const one of clients) one.close();
});

const started = async <C extends LiveClient>(one: C): Promise<C> => {
  clients.push(one);
  const isStarted = () => one.named("counts").length > 0 || one.named("unseen_count_changed").length > 0;
  await eventually(isStarted, "the first counts");
  return one;
};

const lastCount = (one: LiveClient): number | undefined =>
  one.named("counts").at(-1)?.data.unread.total ?? one.named("unread_count_changed").at(-1)?.data.unreadCount;

test("a message that one process writes reaches the clients of another, through a hint", async () => {
  const stream = await started(openStream(service.url, await tokenFor(service, "ada")));
  const io = await started(openSocketIo(service.url, await tokenFor(service, "ada")));
  // The first process has no workers.
  await trigger(client, "greet", "ada");
  await eventually(() => stream.named("notification").length === 1, "the message in the stream", 5_000);
  await eventually(() => io.named("notification_received").length === 1, "the message at the socket", 5_000);
  stream.close();
  io.close();
});

test("while the LISTEN connection is paused, the sweep finds messages; when it is lost and comes back, they arrive as well", async () => {
  const stream = await started(openStream(other.url, await tokenFor(service, "bob")));
  // A second after its first connection, a process reads without a hint: not what this test is about.
  const begun = performance.now();
  await eventually(() => performance.now() - begun > 2_000, "the first reading to be over");
  proxy.pauseListeners();
  await trigger(client, "greet", "bob");
  await eventually(() => stream.named("notification").length === 1, "the message in the stream");
  assert.equal(lastCount(stream), 1);
  proxy.resumeListeners();
  proxy.dropListeners();
  await trigger(client, "greet", "bob");
  await eventually(() => stream.named("notification").length === 2, "the second message");
  assert.equal(lastCount(stream), 2);
  stream.close();
});

test("when a process is killed between commit and NOTIFY, the sweep brings its change; when LISTEN is restored, a reading does", async (context) => {
  const broken = await startDatabaseProxy(service.database.url);
  const own = { ...settings, DATABASE_URL: broken.url, TIDINGS_ROLE: "api", TIDINGS_LIVE_SWEEP: "600" };
  const config = readConfig({ ...own, TIDINGS_HOST: "127.0.0.1", TIDINGS_PORT: "0" });
  const deaf = await startService(config, pino({ level: "silent" }));
  context.after(() => deaf.stop());
  const doomed = temporaryFolder(context).run(own);
  const { url } = await doomed.started();
  const token = await tokenFor(service, "cyd");
  await trigger(client, "greet", "cyd");
  const [item] = await eventually(async () => {
    const feed = await feedOf(client, "cyd");
    return feed.length === 1 ? feed : null;
  }, "a message");
  // Its LISTEN connection works, and it sweeps every three seconds.
  const swept = await started(openStream(other.url, token));
  // Its LISTEN connection will be paused, and it sweeps after ten minutes.
  const patient = await started(openStream(deaf.url, token));
  const begun = performance.now();
  await eventually(() => performance.now() - begun > 2_000, "the first readings to be over");
  broken.pauseListeners();
  // The process commits, and can no longer send its hint.
  const reply = await fetch(`${url}/v1/inbox/notifications/${item!._id}/read`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(reply.status, 200, await reply.text());
  await doomed.end("SIGKILL");
  await eventually(() => lastCount(swept) === 0, "the mark, by the sweep");
  assert.equal(swept.named("changed").at(-1)!.data.notification.isRead, true);
  assert.equal(lastCount(patient), 1, "neither a hint nor a sweep has told this one");
  broken.resumeListeners();
  await eventually(() => lastCount(patient) === 0, "the mark, by the reading after LISTEN is restored");
  swept.close();
  patient.close();
});

/** A client that keeps its list as a widget does: a stream resumes, sockets read the list again when they reconnect. */
function startReader(subscriberId: string, token: string, door: "stream" | "socket" | "io", urls: () => string[]) {
  const list = new Set<string>();
  const repeated: string[] = [];
  let unread = -1;
  let isStopped = false;
  /** Whether the connection has had no counts yet. */
  let isFresh = true;
  let live: LiveClient | undefined;
  const reload = async () => {
    for (const item of await feedOf(client, subscriberId)) list.add(item._id);
  };
  const onEvent = ({ name, data }: Received) => {
    const id = name === "notification" ? data.id : name === "notification_received" ? data.message._id : undefined;
    if (id !== undefined && door === "stream" && list.has(id)) repeated.push(id);
    if (id !== undefined) list.add(id);
    if (name === "counts") unread = data.unread.total;
    if (name !== "unread_count_changed") return;
    unread = data.counts.total;
    if (isFresh) void reload();
    isFresh = false;
  };
  const connect = () => {
    const [url] = urls();
    const open = { stream: openStream, socket: openWebSocket, io: openSocketIo }[door];
    isFresh = true;
    live = open(url!, token, { onEvent, lastId: live?.lastId() });
  };
  connect();
  const timer = setInterval(() => {
    if (isStopped || live?.isOpen()) return;
    live?.close();
    connect();
  }, 500);
  return {
    list,
    repeated,
    unread: () => unread,
    isOpen: () => live?.isOpen() ?? false,
    drop: () => live?.close(),
    stop: () => {
      isStopped = true;
      clearInterval(timer);
      live?.close();
    },
  };
}

test("1,000 messages, 100 dropped connections, a killed worker, a killed API process and a paused LISTEN: every client ends with the right list and counts", async (context) => {
  const folder = temporaryFolder(context);
  const own = { ...settings, DATABASE_URL: proxy.url, TIDINGS_LIVE_SWEEP: "3" };
  const worker = folder.run({ ...own, TIDINGS_ROLE: "worker" });
  const api = folder.run({ ...own, TIDINGS_ROLE: "api" });
  const { url: apiUrl } = await api.started();
  await worker.started();

  const people = Array.from({ length: 25 }, (_, n) => `person-${n}`);
  let urls = [apiUrl, other.url];
  const readers: { subscriberId: string; reader: ReturnType<typeof startReader> }[] = [];
  for (const [n, subscriberId] of people.entries()) {
    const token = await tokenFor(service, subscriberId);
    const door = (["stream", "stream", "socket", "io"] as const)[n % 4]!;
    for (const copy of [0, 1]) {
      readers.push({
        subscriberId,
        reader: startReader(subscriberId, token, door, () => ((n + copy) % 2 ? urls : urls.toReversed())),
      });
    }
  }
  context.after(() => {
    for (const { reader } of readers) reader.stop();
  });
  await eventually(() => readers.every(({ reader }) => reader.unread() === 0), "all clients to be connected");

  // 40 events to 25 subscribers each.
  for (let n = 0; n < 40; n++) {
    await trigger(client, "greet", people, { name: String(n) });
    // Every connection is dropped twice.
    for (let k = 0; k < 3; k++) readers[(n * 3 + k) % readers.length]!.reader.drop();
    if (n === 10) proxy.pauseListeners();
    // Its hints wait for the paused connection: it dies between commit and NOTIFY.
    if (n === 15) await worker.end("SIGKILL");
    if (n === 25) {
      urls = [other.url];
      await api.end("SIGKILL");
    }
    if (n === 30) proxy.resumeListeners();
  }
  const isRight = async ({ subscriberId, reader }: (typeof readers)[number]) => {
    const feed = await feedOf(client, subscriberId);
    return feed.length === 40 && reader.list.size === 40 && feed.every(({ _id }) => reader.list.has(_id));
  };
  for (const one of readers) {
    await eventually(() => isRight(one), `the list of ${one.subscriberId}`, 40_000);
    await eventually(() => one.reader.unread() === 40, `the count of ${one.subscriberId}`, 10_000);
    assert.deepEqual(one.reader.repeated, [], `${one.subscriberId} got no message twice`);
  }
});
