import assert from "node:assert/strict";
import { test } from "node:test";
import type { WebhookDelivery, WebhookWithSecret } from "@tidings/contract";
import { authorized } from "@tidings/testkit/http";
import { assertRefused, faultsOf } from "@tidings/testkit/refusals";
import { isSignedWith, startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const receiver = await startReceiver(({ path }) => ({
  status: path.startsWith("/broken") ? 400 : 200,
  text: `answer of ${path}`,
}));
const service = await shareService();
const { client, production, db, environmentId } = service;

const make = async (path: string, settings: object = {}): Promise<WebhookWithSecret> =>
  (await client("webhooks.create", { body: { url: `${receiver.url}${path}`, ...settings } })).body;

const deliveriesOf = async (webhookId: string, query: object = {}): Promise<WebhookDelivery[]> =>
  (await client("webhooks.listDeliveries", { params: { webhookId }, query })).body.data;

let count = 0;
/** Causes an event for webhooks. */
const happen = () => createWorkflow(client, `flow-${++count}`, []);

const remove = (webhookId: string) => client("webhooks.delete", { params: { webhookId } });

test("a webhook is made, read, changed and deleted; its secret is shown once and encrypted at rest", async () => {
  const made = await make("/a", { eventTypes: ["message.sent", "message.sent"] });
  assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(made.eventTypes, ["message.sent"]);
  assert.equal(made.active, true);
  const params = { webhookId: made.id };
  const { secret, ...shown } = made;
  assert.deepEqual((await client("webhooks.retrieve", { params })).body, shown);
  assert.deepEqual((await client("webhooks.list")).body, [shown]);
  const { rows } = await sql<{
    all: string;
  }>`select string_agg(w::text, '') as all from webhooks w where environment_id = ${environmentId}`.execute(db);
  assert.ok(!rows[0]!.all.includes(secret.slice(6, 30)));

  const changed = await client("webhooks.update", { params, body: { eventTypes: [], active: false } });
  assert.deepEqual([changed.body.eventTypes, changed.body.active, changed.body.url], [[], false, shown.url]);
  assert.equal((await remove(made.id)).status, 204);
  for (const [id, body] of [
    ["webhooks.retrieve", undefined],
    ["webhooks.delete", undefined],
    ["webhooks.update", {}],
    ["webhooks.rotateSecret", undefined],
    ["webhooks.replay", { since: "2026-01-01" }],
    ["webhooks.listDeliveries", undefined],
  ] as const) {
    await assertRefused(client, id, { params, body }, { code: "WEBHOOK_NOT_FOUND" });
  }
  assert.deepEqual((await client("webhooks.list")).body, []);
});

test("a webhook has its health: failures in a row, since when, and what waits; five are told on Home", async () => {
  const { id, health } = await make("/broken?key=s3cret", { eventTypes: ["workflow.created"] });
  assert.deepEqual(health, { state: "idle", failures: 0, pending: 0 });
  const read = async () => (await client("webhooks.retrieve", { params: { webhookId: id } })).body;
  const failing = async () => (await client("system.retrieve")).body.environment.failingWebhooks;
  assert.deepEqual(await failing(), []);
  for (let times = 1; times <= 5; times++) await happen();
  // Retries after five seconds count too.
  const five = await eventually(async () => {
    const found = (await read()).health!;
    return found.failures >= 5 ? found : null;
  }, "five failures in a row");
  assert.deepEqual([five.state, five.pending, five.lastError], ["failing", 5, "HTTP 400"]);
  assert.ok(five.failingSince! <= five.lastFailureAt! && five.lastSuccessAt === undefined);
  const [told, ...others] = await failing();
  assert.deepEqual(
    [told!.webhookId, told!.url, told!.failures >= 5, told!.lastError, others],
    [id, `${receiver.url}/broken`, true, "HTTP 400", []],
  );
  assert.deepEqual((await production("system.retrieve")).body.environment.failingWebhooks, [], "another environment");

  await client("webhooks.update", { params: { webhookId: id }, body: { url: `${receiver.url}/mended` } });
  await happen();
  const well = await eventually(async () => {
    const found = (await read()).health!;
    return found.state === "healthy" ? found : null;
  }, "the webhook to be well");
  assert.equal(well.failures, 0);
  assert.ok(well.lastSuccessAt && well.lastFailureAt && well.failingSince === undefined);
  assert.deepEqual(await failing(), []);
  await remove(id);
});

test("invalid addresses and event types are refused", async () => {
  const fault = async (url: unknown, caller = client) =>
    (await faultsOf(caller, "webhooks.create", { body: { url } })).url?.[0];
  assert.equal(await fault("nowhere"), "url must be a URL, such as https://example.com/webhooks");
  assert.equal(await fault("ftp://example.com"), "url must start with https:// or http://");
  assert.equal(await fault("http://example.com", production), "url must start with https://");
  assert.equal(await fault("https://user:secret@example.com"), "url must not contain a user name or password");
  assert.match(
    String(await fault("https://10.0.0.1/x")),
    /must not point to a private or local address: .*10\.0\.0\.1/,
  );
  assert.match(String(await fault("http://[::1]:80")), /private or local/);
  assert.match(String(await fault("https://169.254.169.254/latest", production)), /private or local/);
  assert.match(String(await fault("http://0x0a000001/")), /private or local/);
  assert.equal(await fault(`https://example.com/${"a".repeat(2_048)}`), "url must not be longer than 2048 characters");
  assert.equal(await fault(undefined), "url is required");
  const types = await faultsOf(client, "webhooks.create", {
    body: { url: receiver.url, eventTypes: ["message.sent", "message.exploded"] },
  });
  assert.match(types["eventTypes.1"]![0]!, /^eventTypes\.1 must be one of: message\.sent, /);

  // Changed later, the address is checked as well, and nothing is changed.
  const { id } = await make("/guarded");
  const moved = { params: { webhookId: id }, body: { url: "http://10.0.0.1/", active: false } };
  assert.match((await faultsOf(client, "webhooks.update", moved)).url![0]!, /private or local/);
  assert.equal((await client("webhooks.retrieve", { params: { webhookId: id } })).body.active, true);
  await remove(id);
  assert.deepEqual((await production("webhooks.list")).body, []);
});

test("an environment has at most 20 webhooks, also when they are made at once", async () => {
  const tries = await Promise.all(
    Array.from({ length: 23 }, () => client.raw("webhooks.create", { body: { url: receiver.url } })),
  );
  const { 201: made = [], 409: refused = [] } = Object.groupBy(tries, ({ status }) => status as 201 | 409);
  assert.deepEqual([made.length, refused.length], [20, 3]);
  assert.equal((refused[0]!.body as { code: string }).code, "WEBHOOK_LIMIT");
  // Another environment has its own.
  const other = await production("webhooks.create", { body: { url: "https://127.0.0.1:1/" } });
  await production("webhooks.delete", { params: { webhookId: other.body.id } });
  await Promise.all(made.map(({ body }) => remove((body as { id: string }).id)));
});

test("after a rotation both secrets sign for a day, then only the new one", async () => {
  const first = await make("/rotating");
  const second = (await client("webhooks.rotateSecret", { params: { webhookId: first.id } })).body;
  assert.notEqual(second.secret, first.secret);
  const next = async () => {
    const before = receiver.of("/rotating").length;
    await happen();
    return eventually(() => receiver.of("/rotating")[before], "the delivery");
  };
  const double = await next();
  assert.ok(isSignedWith(first.secret, double) && isSignedWith(second.secret, double));
  await sql`update webhooks set previous_secret_until = now() - interval '1 second' where id = ${first.id}`.execute(db);
  const single = await next();
  assert.ok(!isSignedWith(first.secret, single) && isSignedWith(second.secret, single));
  assert.ok(!isSignedWith(second.secret, { ...single, body: `${single.body} ` }), "another body has another signature");
  await remove(first.id);
});

test("a repeated creation answers the same secret, which is not kept in clear", async () => {
  const create = () =>
    authorized(service, "/v2/webhooks", {
      method: "POST",
      headers: { "idempotency-key": "once" },
      body: JSON.stringify({ url: receiver.url }),
    });
  const [first, again] = [await create(), await create()];
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get("idempotency-replay"), "true");
  const { secret, id } = first.body as WebhookWithSecret;
  const { rows } = await sql<{
    body: string;
  }>`select body from idempotency_keys where key = 'once' and environment_id = ${environmentId}`.execute(db);
  assert.ok(!rows[0]!.body.includes(secret));
  await remove(id);
});

test("deliveries are listed newest first with what came of them, and can be made again", async () => {
  const { id } = await make("/broken");
  const params = { webhookId: id };
  await happen();
  await happen();
  const tried = await eventually(async () => {
    const all = await deliveriesOf(id);
    return all.length === 2 && all.every(({ attempts }) => attempts === 1) ? all : null;
  }, "two failed attempts");
  assert.deepEqual(
    tried.map((one) => [one.type, one.status, one.responseStatus, one.response]),
    [
      ["workflow.created", "pending", 400, "answer of /broken"],
      ["workflow.created", "pending", 400, "answer of /broken"],
    ],
  );
  // Both are on their way at once, and may arrive in any order; their ids are in the order of time.
  const listed = tried.map(({ eventId }) => eventId);
  assert.deepEqual(
    listed,
    receiver
      .of("/broken")
      .map(({ event }) => event.id)
      .sort()
      .reverse(),
  );
  assert.deepEqual(await deliveriesOf(id, { status: "failed" }), []);
  assert.equal((await deliveriesOf(id, { status: "pending", limit: 1 })).length, 1);
  assert.ok((await faultsOf(client, "webhooks.listDeliveries", { params, query: { status: "lost" } })).status);

  const replay = async (body: object) => (await client("webhooks.replay", { params, body })).body;
  // Pending deliveries are not restarted.
  assert.deepEqual(await replay({ ids: tried.map((one) => one.id) }), { replayed: 0, hasMore: false });
  await sql`update webhook_deliveries set status = 'failed', failures = 8, next_at = null
    where webhook_id = ${id}`.execute(db);
  assert.deepEqual(await replay({ since: new Date(Date.now() + 60_000).toISOString() }), {
    replayed: 0,
    hasMore: false,
  });
  assert.deepEqual(await replay({ since: "1900-01-01T00:00:00Z" }), { replayed: 2, hasMore: false });
  const again = await eventually(
    async () => (await deliveriesOf(id)).find((one) => one.attempts === 2 && one.id === tried[1]!.id),
    "the replay",
  );
  // New attempts of the same event.
  assert.equal(again.status, "pending");
  assert.equal(again.eventId, tried[1]!.eventId);
  assert.equal(receiver.of("/broken").filter(({ event }) => event.id === again.eventId).length, 2);

  const stranger = "0199b4c2-0000-7000-8000-000000000000";
  const unknown = { params, body: { ids: [tried[0]!.id, stranger, "x"] } };
  await assertRefused(client, "webhooks.replay", unknown, {
    code: "WEBHOOK_DELIVERY_NOT_FOUND",
    message: `Deliveries not found: ${stranger}, x`,
  });
  const shape = {
    code: "VALIDATION_ERROR",
    errors: { general: ["Either ids or since is required, not both"] },
  } as const;
  await assertRefused(client, "webhooks.replay", { params, body: {} }, shape);
  await assertRefused(client, "webhooks.replay", { params, body: { ids: ["x"], since: "2026-01-01" } }, shape);
  assert.deepEqual(await faultsOf(client, "webhooks.replay", { params, body: { since: "soon" } }), {
    since: ["since must be a date"],
  });
  await client("webhooks.update", { params, body: { active: false } });
  await assertRefused(
    client,
    "webhooks.replay",
    { params, body: { since: "2026-01-01" } },
    { code: "WEBHOOK_INACTIVE" },
  );
  await remove(id);
});
