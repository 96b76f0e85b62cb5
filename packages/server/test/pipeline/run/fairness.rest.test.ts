// Neighbours: what one environment hands in, however much and however slow its receivers are, does not keep another's
// message waiting.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createClient } from "@tidings/testkit/client";
import { gate } from "@tidings/testkit/mail/scripted-mail";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { mailer } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, feedOf, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { inTransaction } from "../../../src/store/db.ts";

const closed = gate();
/** When the mail to each address came. */
const pacedCalls = new Map<string, number>();
const receiver = await startReceiver(async ({ path, body }) => {
  if (path === "/paced") pacedCalls.set(/paced-\d+@example.com/.exec(body)![0], Date.now());
  if (path.startsWith("/slow")) await closed.opened;
  return { status: 200 };
});
const activeTasks = async (): Promise<number> =>
  (await sql`select 1 from queue.job where name = 'trigger' and state = 'active'`.execute(db)).rows.length;
const slowCalls = () => receiver.received.filter(({ path }) => path.startsWith("/slow")).length;

// `client` is the environment that takes all it can get, `neighbour` another one.
const encryptionKey = randomBytes(32).toString("base64");
const { client, url, db, database } = await startTestService({
  TIDINGS_ENCRYPTION_KEY: encryptionKey,
  TIDINGS_DELIVERY_WINDOW: "16",
  TIDINGS_PROVIDER_TIMEOUT: "60",
});
const { body: environment } = await client("environments.create", { body: { name: "Neighbour", color: "#00AA00" } });
const neighbour = createClient({ baseUrl: url, apiKey: environment.apiKeys![0]!.key });

test("slow providers of one environment leave room for another's mail", async () => {
  const integrations = Array.from({ length: 8 }, (_, index) => `slow-${index}`);
  for (const name of integrations) await mailer(client, name, `${receiver.url}/slow/${name}`);
  await mailer(neighbour, "quick", `${receiver.url}/quick`);
  await createWorkflow(client, "mail", [email()]);
  await createWorkflow(neighbour, "mail", [email()]);
  const events = Array.from({ length: 80 }, (_, index) => ({
    name: "mail",
    to: { subscriberId: `many-${index}`, email: `many-${index}@example.com` },
    overrides: { email: { integrationIdentifier: integrations[index % integrations.length] } },
  }));
  await client("events.triggerBulk", { body: { events } as never });
  await eventually(() => slowCalls() === 8, "half of the window to be taken");
  await trigger(neighbour, "mail", { subscriberId: "ada", email: "ada@example.com" });
  await eventually(() => receiver.of("/quick").length === 1, "the neighbour's mail");
  assert.equal(slowCalls(), 8, "no slow call has ended, and no more were begun");
});

test("slow webhooks of one environment leave room for another's", async () => {
  const before = slowCalls();
  for (let index = 0; index < 5; index++) {
    const url = `${receiver.url}/slow-hook/${index}`;
    await client("webhooks.create", { body: { url, eventTypes: ["message.sent"] } });
  }
  await neighbour("webhooks.create", { body: { url: `${receiver.url}/hook`, eventTypes: ["message.sent"] } });
  await createWorkflow(client, "told", [inApp()]);
  await createWorkflow(neighbour, "told", [inApp()]);
  const events = Array.from({ length: 60 }, (_, index) => ({ name: "told", to: `told-${index}` }));
  await client("events.triggerBulk", { body: { events } as never });
  await eventually(() => slowCalls() - before === 100, "half of the window to be taken");
  await trigger(neighbour, "told", "ada");
  await eventually(() => receiver.of("/hook").length === 1, "the neighbour's webhook");
  assert.equal(slowCalls() - before, 100, "no slow call has ended, and no more were begun");
  closed.open();
});

test("a backlog of one environment that makes no progress does not keep another's message waiting", async () => {
  await createWorkflow(client, "feed", [inApp()]);
  await createWorkflow(neighbour, "feed", [inApp()]);
  const locked = Array.from({ length: 12 }, (_, index) => ({ subscriberId: `locked-${index}` }));
  await client("subscribers.createBulk", { body: { subscribers: locked } });
  await neighbour("subscribers.create", { body: { subscriberId: "bob" }, query: {} });
  // Other subscribers in each event: events for the same subscriber start one after the other.
  const crowd = (event: number) => Array.from({ length: 99 }, (_, index) => `crowd-${event}-${index}`);
  const events = locked.map(({ subscriberId }, event) => ({ name: "feed", to: [subscriberId, ...crowd(event)] }));
  await inTransaction(db, async (tx) => {
    await sql`select 1 from subscribers where subscriber_id like 'locked-%' order by subscriber_id for update`.execute(
      tx,
    );
    await client("events.triggerBulk", { body: { events } as never });
    await eventually(async () => (await activeTasks()) >= 10, "every worker but the reserve to be busy");
    await trigger(neighbour, "feed", "bob");
    await eventually(async () => (await feedOf(neighbour, "bob")).length === 1, "the neighbour's message");
  });
  await eventually(async () => {
    const feeds = await Promise.all(locked.map(({ subscriberId }) => feedOf(client, subscriberId)));
    return feeds.every((feed) => feed.length === 1);
  }, "the backlog to be worked");
});

test("two processes together send no faster than an integration may", async () => {
  const second = await startTestService({ DATABASE_URL: database.url, TIDINGS_ENCRYPTION_KEY: encryptionKey });
  const perSecond = 8;
  const { _id } = await mailer(client, "paced", `${receiver.url}/paced`);
  const configurations = { maxPerSecond: perSecond };
  await client("integrations.update", { params: { integrationId: _id! }, body: { configurations } });
  const events = Array.from({ length: 24 }, (_, index) => ({
    name: "mail",
    to: { subscriberId: `paced-${index}`, email: `paced-${index}@example.com` },
    overrides: { email: { integrationIdentifier: "paced" } },
  }));
  await client("events.triggerBulk", { body: { events } as never });
  await eventually(() => pacedCalls.size === 24, "every mail");
  const { rows } = await sql<{ address: string; at: Date }>`
    select m.address, a.started_at as at from attempts a join messages m on m.id = a.message_id
    where m.address like 'paced-%'`.execute(db);
  assert.equal(rows.length, 24, "each was tried once");
  const moments = rows.map(({ at }) => at.getTime());
  for (const first of moments) {
    const within = moments.filter((moment) => moment >= first && moment < first + 1_000).length;
    assert.ok(within <= perSecond * 1.5 + 1, `${within} calls in a second, ${perSecond} are allowed`);
  }
  for (const { address, at } of rows) assert.ok(pacedCalls.get(address)! >= at.getTime() - 5, "and none was early");
  await second.stop();
});
