// Live inboxes over the three doors: a stream of server-sent events, a plain WebSocket, and socket.io with its
// published client.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { errorOf, request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import { WebSocket } from "ws";
import type { Caller, Ctx } from "../../src/context.ts";
import { findSessionOwner } from "../../src/http/auth/inbox-sessions.ts";
import { signInboxToken } from "../../src/lib/tokens/inbox-token.ts";
import {
  encryptionKey,
  type LiveClient,
  openSocketIo,
  openStream,
  openWebSocket,
  secrets,
  tokenFor,
} from "./clients.ts";

// Without hints, events would arrive after ten minutes only.
const service = await startTestService({
  TIDINGS_ENCRYPTION_KEY: encryptionKey,
  TIDINGS_LIVE_SWEEP: "600",
  TIDINGS_LIVE_PER_SUBSCRIBER: "4",
});
const { client, url } = service;
await createWorkflow(client, "greet", [inApp()], { severity: "high", tags: ["hello"] });
await createWorkflow(client, "long", [inApp({ body: "{{ payload.text }}" })]);

const clients: LiveClient[] = [];
atEnd(() => {
  for (const one of clients) one.close();
});
const track = <C extends LiveClient>(one: C): C => {
  clients.push(one);
  return one;
};

/** Connected, and with the counts that every connection begins with. */
const started = async <C extends LiveClient>(one: C): Promise<C> => {
  track(one);
  const isStarted = () => one.named("counts").length > 0 || one.named("unseen_count_changed").length > 0;
  await eventually(isStarted, "the first counts");
  return one;
};

const counts = (high: number) => ({ total: high, severity: { high, medium: 0, low: 0, none: 0 } });

test("a message arrives at all three doors, with the counts as they are now", async () => {
  const token = await tokenFor(service, "ada");
  const stream = await started(openStream(url, token));
  const socket = await started(openWebSocket(url, token));
  const io = await started(openSocketIo(url, token));
  assert.deepEqual(stream.events, [
    { name: "counts", id: stream.lastId(), data: { unread: counts(0), unseen: 0, hasMore: false } },
  ]);
  for (const round of [1, 2]) {
    const transactionId = await trigger(client, "greet", "ada", { name: `round ${round}` });
    const arrived = () => [stream, socket, io].every((one) => JSON.stringify(one.events).includes(transactionId));
    await eventually(arrived, "the message at all doors", 5_000);
    const { data } = stream.named("notification").at(-1)!;
    const [item] = await feedOf(client, "ada");
    assert.equal(data.id, item!._id);
    assert.equal(data.body, `Hello round ${round}`);
    assert.deepEqual([data.isRead, data.isSeen, data.isArchived, data.severity], [false, false, false, "high"]);
    assert.deepEqual(data.workflow.tags, ["hello"]);
    for (const one of [socket, io]) {
      const { message } = one.named("notification_received").at(-1)!.data;
      assert.deepEqual([message._id, message.content], [item!._id, `Hello round ${round}`]);
      assert.deepEqual([message.read, message.seen, message.archived], [false, false, false]);
      assert.deepEqual(message.cta, {});
      assert.equal(message.subscriber.subscriberId, "ada");
      const unread = await eventually(() => one.named("unread_count_changed")[round], "the unread count");
      assert.deepEqual(unread.data, { unreadCount: round, counts: counts(round), hasMore: false });
      const unseen = await eventually(() => one.named("unseen_count_changed")[round], "the unseen count");
      assert.deepEqual(unseen.data, { unseenCount: round, hasMore: false });
    }
    assert.deepEqual(stream.named("counts").at(-1)!.data, { unread: counts(round), unseen: round, hasMore: false });
  }
  assert.equal(socket.named("pong").length, 1, "a ping of the client is answered");
  for (const one of [stream, socket, io]) one.close();
});

test("marks, snoozes and deletions reach the stream as events, and the sockets as counts", async () => {
  const token = await tokenFor(service, "bob");
  const stream = await started(openStream(url, token, { query: true }));
  const socket = await started(openWebSocket(url, token, {}, "/"));
  await trigger(client, "greet", "bob");
  await trigger(client, "greet", "bob");
  await eventually(() => stream.named("notification").length === 2, "two messages");
  const [newer, older] = await feedOf(client, "bob");
  const params = { subscriberId: "bob" };
  await client("subscribers.markMessages", { params, body: { messageId: older!._id, markAs: "read" } });
  const changed = await eventually(() => stream.named("changed")[0], "the mark");
  assert.deepEqual([changed.data.notification.id, changed.data.notification.isRead], [older!._id, true]);
  const isCounted = (one: LiveClient, name: string, total: number) => () =>
    (one.named(name).at(-1)!.data.unread ?? one.named(name).at(-1)!.data.counts).total === total;
  await eventually(isCounted(stream, "counts", 1), "one unread in the stream");
  await eventually(isCounted(socket, "unread_count_changed", 1), "one unread at the socket");

  const at = { subscriberId: "bob", notificationId: newer!._id };
  const snoozeUntil = new Date(Date.now() + 3_600_000).toISOString();
  await client("subscriberNotifications.snooze", { params: at, body: { snoozeUntil } });
  await eventually(isCounted(socket, "unread_count_changed", 0), "none unread at the socket");
  assert.equal(stream.named("changed").at(-1)!.data.notification.isSnoozed, true);
  await client("subscriberNotifications.unsnooze", { params: at });
  await eventually(isCounted(socket, "unread_count_changed", 1), "one unread again");

  await client("messages.delete", { params: { messageId: newer!._id } });
  const removed = await eventually(() => stream.named("removed")[0], "the deletion");
  assert.deepEqual(removed.data, { ids: [newer!._id], count: 1 });
  await eventually(isCounted(socket, "unread_count_changed", 0), "none unread after the deletion");
  stream.close();
  socket.close();
});

test("a stream that is resumed with Last-Event-ID loses nothing and repeats nothing", async () => {
  const token = await tokenFor(service, "cyd");
  const first = await started(openStream(url, token));
  for (let n = 0; n < 3; n++) await trigger(client, "greet", "cyd", { name: String(n) });
  await eventually(() => first.named("notification").length === 3, "three messages");
  first.close();
  const received = first.named("notification").map((event) => event.data.id);
  await trigger(client, "greet", "cyd", { name: "missed" });
  await eventually(async () => (await feedOf(client, "cyd")).length === 4, "a fourth message");
  for (const [from, expected] of [
    [2, 1],
    [1, 2],
    [0, 3],
  ] as const) {
    const { id } = first.named("notification")[from]!;
    const again = await started(openStream(url, token, { lastId: id }));
    const ids = again.named("notification").map((event) => event.data.id);
    assert.equal(ids.length, expected, `after event ${from}`);
    assert.deepEqual(ids.slice(0, -1), received.slice(from + 1));
    assert.equal(again.named("counts").at(-1)!.data.unread.total, 4);
    again.close();
  }
  // A token that cannot be read: the client is asked to read its list again.
  const lost = await started(openStream(url, token, { lastId: "no token" }));
  assert.deepEqual(
    lost.events.map(({ name, data }) => [name, data.notification]),
    [
      ["changed", null],
      ["counts", undefined],
    ],
  );
  lost.close();
});

test("a token that is missing, forged, expired or of a revoked key is refused before the upgrade", async () => {
  const token = await tokenFor(service, "dot");
  const expired = await tokenFor(service, "dot", -1_000);
  const forged = signInboxToken(secrets, {
    environmentId: "019a0000-0000-7000-8000-000000000001",
    subscriberId: "019a0000-0000-7000-8000-000000000002",
    keyId: "019a0000-0000-7000-8000-000000000003",
    expiresAt: new Date(Date.now() + 60_000),
  });
  for (const wrong of [`${token.slice(0, -3)}abc`, expired, forged]) {
    errorOf(await request(service, `/v1/inbox/stream?token=${wrong}`), "INBOX_TOKEN_INVALID");
    for (const path of ["/", "/ws", "/socket.io/"]) {
      const socket = track(openWebSocket(url, wrong, {}, path));
      assert.equal(await eventually(() => socket.status(), "the refusal"), 401);
    }
  }
  errorOf(await request(service, "/v1/inbox/stream"), "MISSING_AUTHORIZATION");
  for (const path of ["/elsewhere", "//", "///ws", "//ws", "/toString", "/%zz"]) {
    const elsewhere = track(openWebSocket(url, token, {}, path));
    assert.equal(await eventually(() => elsewhere.status(), "the refusal"), 404, path);
  }
  assert.ok(!service.logs.some(({ msg }) => msg === "request failed"));

  const { rows } = await sql<{
    id: string;
  }>`insert into api_keys (id, environment_id, user_id, hash, secret, created_at)
    select gen_random_uuid(), environment_id, user_id, sha256('other'), secret, now() from api_keys k
    where exists (select 1 from environments e where e.id = k.environment_id and e.type = 'dev') limit 1
    returning id`.execute(service.db);
  const subscriber = await sql<{ id: string; environment_id: string }>`
    select id, environment_id from subscribers where subscriber_id = 'dot'`.execute(service.db);
  const short = signInboxToken(secrets, {
    environmentId: subscriber.rows[0]!.environment_id,
    subscriberId: subscriber.rows[0]!.id,
    keyId: rows[0]!.id,
    expiresAt: new Date(Date.now() + 60_000),
  });
  // Its end is set while the connection is open.
  const limited = await started(openStream(url, short));
  await sql`update api_keys set expires_at = now() + interval '2 seconds' where id = ${rows[0]!.id}`.execute(
    service.db,
  );
  await eventually(() => !limited.isOpen(), "the end of the key");
  errorOf(await request(service, `/v1/inbox/stream?token=${short}`), "INBOX_TOKEN_INVALID");
  await sql`update api_keys set expires_at = null where id = ${rows[0]!.id}`.execute(service.db);
  const headers = { authorization: `Bearer ${short}` };
  const status = async () => (await request(service, "/v1/inbox/notifications", { headers })).status;
  await eventually(async () => (await status()) === 200, "the key to be valid again");
  const stream = await started(openStream(url, short));
  const socket = await started(openWebSocket(url, short));
  const other = await started(openStream(url, token));
  await sql`update api_keys set revoked_at = now() where id = ${rows[0]!.id}`.execute(service.db);
  await eventually(() => !stream.isOpen() && !socket.isOpen(), "the connections to be closed");
  assert.ok(other.isOpen(), "connections under another key stay");
  other.close();
  errorOf(await request(service, `/v1/inbox/stream?token=${short}`), "INBOX_TOKEN_INVALID");
});

test("sessions in use read their key again, if its change was not announced", async () => {
  const { rows } = await sql<{ environmentId: string; keyId: string }>`
    select environment_id as "environmentId", id as "keyId" from api_keys limit 1`.execute(service.db);
  const session = { ...rows[0]!, subscriberId: "any", expiresAt: new Date(Date.now() + 60_000) };
  const keyOwners = new LRUCache<string, Caller>({ max: 10, ttl: 30_000 });
  const ctx = { db: service.db, now: () => new Date(), keyOwners } as unknown as Ctx;
  const left = () => keyOwners.getRemainingTTL(`inbox ${session.environmentId} ${session.keyId}`);
  assert.ok(await findSessionOwner(ctx, session));
  const early = await eventually(() => (left() < 29_950 ? left() : null), "some time");
  assert.ok(await findSessionOwner(ctx, session));
  assert.ok(left() <= early);
});

test("an upgrade to another protocol is answered as a plain request", async () => {
  const text = await new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET /health HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n`),
    );
    socket.on("error", reject).once("data", (data) => {
      socket.destroy();
      resolve(String(data));
    });
  });
  assert.match(text, /^HTTP\/1.1 200 OK/);
});

test("a connection ends with its token, and with its subscriber", async () => {
  const soon = await started(openStream(url, await tokenFor(service, "eve", 3_000)));
  const gone = await started(openWebSocket(url, await tokenFor(service, "fay")));
  const stays = await started(openStream(url, await tokenFor(service, "eve")));
  await trigger(client, "greet", "fay");
  await eventually(() => gone.named("notification_received").length === 1, "a message");
  await client("subscribers.delete", { params: { subscriberId: "fay" } });
  await eventually(() => !gone.isOpen(), "the end of the subscriber");
  await eventually(() => !soon.isOpen(), "the end of the token");
  assert.ok(stays.isOpen());
  stays.close();
});

test("a subscriber has a limited number of connections", async () => {
  const token = await tokenFor(service, "gus");
  const open = [];
  for (let n = 0; n < 4; n++) open.push(await started(openStream(url, token)));
  const refused = await request(service, `/v1/inbox/stream?token=${token}`);
  assert.match(errorOf(refused, "LIVE_CONNECTION_LIMIT").message, /4 live connections/);
  const socket = track(openWebSocket(url, token));
  assert.equal(await eventually(() => socket.status(), "the refusal"), 429);
  open[0]!.close();
  await eventually(async () => {
    const next = track(openStream(url, token));
    await eventually(() => next.status(), "an answer");
    return next.status() === 200;
  }, "room for another connection");
  for (const one of clients) one.close();
});

test("a client that does not read is disconnected, and gets what it lacks when it comes back", async () => {
  const token = await tokenFor(service, "hal");
  const slow = await started(openStream(url, token));
  const slowSocket = await started(openWebSocket(url, token));
  const lastId = slow.lastId()!;
  slow.pause();
  slowSocket.pause();
  // 15 MB: more than the buffers of both sockets hold.
  const event = { name: "long", to: "hal", payload: { text: "x".repeat(150_000) } };
  for (const _ of [1, 2]) await client("events.triggerBulk", { body: { events: Array(50).fill(event) } });
  await eventually(async () => (await feedOf(client, "hal")).length === 100, "all messages");
  const isDropped = async () =>
    (await request(service, "/metrics")).text.includes('live_closed_total{reason="slow"} 2');
  await eventually(isDropped, "the slow clients to be disconnected");
  const again = await started(openStream(url, token, { lastId }));
  assert.equal(again.named("notification").length, 100);
  const socket = await started(openWebSocket(url, token));
  assert.equal(socket.named("unread_count_changed")[0]!.data.unreadCount, 100);
  for (const one of [again, slow, socket, slowSocket]) one.close();
});

test("a session for contexts gets the messages, marks, deletions and counts of these contexts, and nothing of others", async () => {
  const token = await tokenFor(service, "both", 600_000, ["tenant:acme"]);
  const stream = await started(openStream(url, token));
  const socket = await started(openWebSocket(url, token));
  const whole = await started(openStream(url, await tokenFor(service, "both")));
  const send = (name: string, context?: object) =>
    client("events.trigger", { body: { name: "greet", to: "both", payload: { name }, context } as never });
  await send("other", { tenant: "globex" });
  await send("none");
  await send("own", { tenant: "acme" });
  await eventually(() => whole.named("counts").at(-1)!.data.unread.total === 3, "all three messages");
  const [total, unseen] = [() => stream.named("counts").at(-1)!.data.unread.total, "unseen_count_changed"];
  await eventually(() => total() === 1 && socket.named(unseen).at(-1)!.data.unseenCount === 1, "the own counts");
  const bodies = (one: LiveClient) => one.named("notification").map(({ data }) => data.body);
  assert.deepEqual(bodies(stream), ["Hello own"]);
  assert.deepEqual(bodies(whole).sort(), ["Hello none", "Hello other", "Hello own"]);
  assert.equal(socket.named("notification_received").length, 1);
  assert.deepEqual(stream.named("counts").at(-1)!.data, { unread: counts(1), unseen: 1, hasMore: false });

  const feed = await feedOf(client, "both");
  const own = stream.named("notification")[0]!.data.id;
  const mark = (messageId: string) =>
    client("subscribers.markMessages", { params: { subscriberId: "both" }, body: { messageId, markAs: "read" } });
  for (const { _id } of feed.filter(({ _id }) => _id !== own)) await mark(_id);
  await eventually(() => whole.named("counts").at(-1)!.data.unread.total === 1, "the marks of the others");
  await mark(own);
  await eventually(() => total() === 0, "the own mark");
  const changed = stream.named("changed").map(({ data }) => data.notification?.id);
  assert.deepEqual([...new Set(changed)], [own]);
  for (const { _id: messageId } of feed) await client("messages.delete", { params: { messageId } });
  await eventually(() => stream.named("removed").length > 0, "the deletion");
  assert.deepEqual(
    stream.named("removed").map(({ data }) => data),
    [{ ids: [own], count: 1 }],
  );
  for (const one of [stream, socket, whole]) one.close();
});

test("clients that hang up before their stream begins are no faults of the service", async () => {
  const token = await tokenFor(service, "hasty");
  const { hostname, port } = new URL(url);
  const head = `GET /v1/inbox/stream?token=${token} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
  for (let round = 0; round < 30; round++) {
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    socket.resetAndDestroy();
  }
  // Requests of the same process are handled in turn: those before this one are done.
  await started(openStream(url, token));
  const faults = service.logs.filter(({ msg }) => msg === "request failed");
  assert.deepEqual(faults, []);
});

test("pages of origins that the environment does not list are refused by the stream and before an upgrade", async () => {
  const listed = await startTestService({
    TIDINGS_ENCRYPTION_KEY: encryptionKey,
    TIDINGS_INBOX_ORIGINS: "development=https://good.example",
  });
  const token = await tokenFor(listed, "ada");
  const ask = (origin: string) => request(listed, `/v1/inbox/stream?token=${token}`, { headers: { origin } });
  const refused = await ask("https://evil.example");
  errorOf(refused, "ORIGIN_NOT_ALLOWED");
  assert.equal(
    refused.headers.get("access-control-allow-origin"),
    "https://evil.example",
    "the page can read the error",
  );
  const upgrade = (origin: string) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(`${listed.url.replace("http", "ws")}/ws?token=${token}`, { origin });
      socket.on("unexpected-response", (_, answer) => resolve(answer.statusCode!));
      socket.on("open", () => {
        socket.close();
        resolve(101);
      });
      socket.on("error", () => {});
    });
  assert.equal(await upgrade("https://evil.example"), 403);
  assert.equal(await upgrade("https://good.example"), 101);
});
