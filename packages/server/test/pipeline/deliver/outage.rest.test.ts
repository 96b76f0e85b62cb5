// A mail server that refuses connections, and its repair: what waited goes out at once, each mail once. `HELD=5000`
// holds more and prints how long it took.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { absentMailServer, closedPort } from "@tidings/testkit/mail/smtp";
import { refused } from "@tidings/testkit/refusals";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { countHour } from "../../../src/store/installation/statistics.ts";

const held = Number(process.env.HELD ?? 300);
const service = await startTestService({ TIDINGS_DELIVERY_FIRST_WAIT: "20", TIDINGS_DELIVERY_WAIT_FACTOR: "1" });
const { client, production, db } = service;

const port = await closedPort();
const mails = absentMailServer(port);
const credentials = {
  ...{ host: "127.0.0.1", port, secure: false, ignoreTls: true, requireTls: false },
  ...{ from: "shop@example.com", senderName: "Shop" },
};
const body = { providerId: "nodemailer", channel: "email", identifier: "shop-smtp", name: "Shop SMTP" } as const;
const params = { integrationId: "shop-smtp" };
await production("integrations.create", { body: { ...body, active: true, credentials } });
await createWorkflow(production, "mail", [email()]);

const health = async () =>
  (await production("integrations.list", {})).body.find(({ identifier }) => identifier === "shop-smtp")!.health!;

async function send(prefix: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const to = Array.from({ length: Math.min(100, count - from) }, (_, index) => {
      const name = `${prefix}${from + index}`;
      return { subscriberId: name, email: `${name}@example.com` };
    });
    await production("events.trigger", { body: { name: "mail", to } });
  }
}

const waitUntilHeld = (count: number) =>
  eventually(
    async () => {
      const { state, waiting } = await health();
      return state === "open" && waiting === count;
    },
    `${count} mails to wait`,
    60_000,
  );

async function waitUntilSent(context: TestContext, count: number, began: number): Promise<void> {
  await eventually(() => mails.received.size >= count, `${count} mails`, 60_000);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  const [first, last] = [mails.firstAt() - began, performance.now() - began];
  context.diagnostic(`repaired: the first mail after ${seconds(first)}, ${count} after ${seconds(last)}`);
  await eventually(async () => (await health()).waiting === 0, "no mail to wait");
  assert.equal(mails.received.size, count);
  assert.deepEqual(
    [...mails.received.values()].filter((times) => times !== 1),
    [],
    "each once",
  );
  mails.received.clear();
}

describe("a mail server that is away", () => {
  test("an integration that was never called has neither an error nor a success", async () => {
    const { state, lastError, lastSuccessAt, failingSince, waiting } = await health();
    assert.deepEqual(
      [state, lastError, lastSuccessAt, failingSince, waiting],
      ["closed", undefined, undefined, undefined, 0],
    );
    assert.equal((await production("integrations.tryNow", { params })).body.health!.lastError, undefined);
  });

  test("mails wait for it, and its health says why, since when and how many", async () => {
    const before = Date.now();
    await send("ada", held);
    await waitUntilHeld(held);
    const { lastError, failingSince, openedAt, nextProbeAt, oldestWaitingAt, lastSuccessAt } = await health();
    assert.match(lastError!.message, /ECONNREFUSED/);
    assert.deepEqual([lastError!.summary, lastError!.class], ["connection refused", "transient"]);
    for (const time of [failingSince, openedAt, oldestWaitingAt]) assert.ok(Date.parse(time!) >= before - 1_000, time);
    assert.ok(Date.parse(nextProbeAt!) > Date.now());
    assert.equal(lastSuccessAt, undefined);
  });

  test("statistics and the state of the system count what waits and what was tried in vain", async () => {
    const query = { breakdown: "true" };
    const read = async () => (await production("statistics.list", { query: query as never })).body;
    const { totals, breakdown, waiting } = await read();
    assert.deepEqual([totals.sent, totals.failed, waiting!.count], [0, 0, held]);
    assert.deepEqual(
      waiting!.providers.map(({ channel, providerId, count }) => [channel, providerId, count]),
      [["email", "nodemailer", held]],
    );
    assert.ok(Date.parse(waiting!.oldestAt!) <= Date.now());
    const { failedAttempts } = breakdown!.providers.find(({ providerId }) => providerId === "nodemailer")!;
    assert.ok(failedAttempts >= 5, `${failedAttempts} attempts failed`);
    const { rows } = await sql<{ count: number }>`select count(*)::int from attempts where outcome = 'retry'`.execute(
      db,
    );
    assert.equal(failedAttempts, rows[0]!.count);
    await countHour(db, new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000), false, new Date());
    assert.equal((await read()).totals.failedAttempts, failedAttempts, "the same when the hour is counted");
    await sql`delete from statistics_progress`.execute(db);
    await sql`delete from statistics_hours`.execute(db);
    assert.equal((await client("statistics.list", { query: {} })).body.waiting!.count, 0, "not of another environment");
    assert.equal((await production("statistics.list", { query: { channel: "sms" } })).body.waiting!.count, 0);
    assert.equal((await production("statistics.list", { query: { workflowId: "mail" } })).body.waiting, undefined);

    const { environment } = (await production("system.retrieve", {})).body;
    const [breaker] = environment.breakers;
    assert.deepEqual([breaker!.name, breaker!.lastError!.summary], ["Shop SMTP", "connection refused"]);
    assert.ok(breaker!.failingSince);
    const [wait] = environment.waiting;
    assert.deepEqual([wait!.name, wait!.channel, wait!.state, wait!.count], ["Shop SMTP", "email", "open", held]);
    assert.deepEqual((await client("system.retrieve", {})).body.environment.waiting, []);
  });

  test("a try is refused for others, and does not help while the server is away", async () => {
    await refused(client, "integrations.tryNow", { params }, "INTEGRATION_NOT_FOUND");
    await production("integrations.tryNow", { params });
    const { nextProbeAt: first } = await health();
    await eventually(async () => {
      const { state, nextProbeAt } = await health();
      return state === "open" && Date.parse(nextProbeAt!) > Math.max(Date.parse(first!), Date.now());
    }, "a later probe");
    await waitUntilHeld(held);
  });

  test("when it is back, a try sends what waited at once, each mail once", async (context) => {
    await mails.start();
    const began = performance.now();
    await production("integrations.tryNow", { params });
    await waitUntilSent(context, held, began);
    const { state, failures, failingSince, lastSuccessAt } = await health();
    assert.deepEqual([state, failures, failingSince], ["closed", 0, undefined]);
    assert.ok(lastSuccessAt);
  });

  test("a check of the credentials is a probe: it tells why it failed, and closes the circuit when it passes", async (context) => {
    await mails.stop();
    await send("bob", 20);
    await waitUntilHeld(20);
    const { failingSince } = await health();
    const error = await refused(
      production,
      "integrations.update",
      { params, body: { check: true } },
      "PROVIDER_CHECK_FAILED",
    );
    assert.equal(error.message, `No response from 127.0.0.1:${port} (connection refused). Is the server running?`);
    assert.equal((await health()).failingSince, failingSince);
    await mails.start();
    const began = performance.now();
    const { body: checked } = await production("integrations.update", { params, body: { check: true } });
    assert.deepEqual(
      [checked.health!.state, checked.health!.lastError, checked.health!.waiting],
      ["closed", undefined, 20],
    );
    await waitUntilSent(context, 20, began);
  });

  test("what waits goes out at the pace that is set", async (context) => {
    await mails.stop();
    await send("eve", 15);
    await waitUntilHeld(15);
    await mails.start();
    await production("integrations.update", { params, body: { configurations: { maxPerSecond: 10 } } });
    const began = performance.now();
    await waitUntilSent(context, 15, began);
    assert.ok(performance.now() - began > 400, "not all at once");
  });

  test("an integration that is added meanwhile takes what waits for another", async () => {
    await mails.stop();
    await send("kim", 10);
    await waitUntilHeld(10);
    const other = absentMailServer(await closedPort());
    await other.start();
    const spare = { ...credentials, port: other.port };
    await production("integrations.create", {
      body: { ...body, identifier: "spare", active: true, credentials: spare },
    });
    await eventually(() => other.received.size === 10, "ten mails through the new one");
    assert.deepEqual([...other.received.values()], Array(10).fill(1));
  });

  test("a success is not written with every message", async () => {
    const written = async () =>
      (
        await sql<{ xmin: string }>`select h.xmin::text from integration_health h join integrations i
        on i.id = h.integration_id where i.identifier = 'spare'`.execute(db)
      ).rows;
    const before = await written();
    assert.equal(before.length, 1);
    const transactionId = await trigger(production, "mail", { subscriberId: "zoe", email: "zoe@example.com" });
    await settled(production, transactionId);
    assert.deepEqual(await written(), before);
  });
});
