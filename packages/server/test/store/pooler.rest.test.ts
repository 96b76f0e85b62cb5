// A pooler between the service and its database, and the second address past it.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createClient } from "@tidings/testkit/client";
import { createTestDatabase } from "@tidings/testkit/database";
import { hasPgBouncer, startPgBouncer } from "@tidings/testkit/postgres/pgbouncer";
import { startHostProxy } from "@tidings/testkit/proxies/host-proxy";
import { createWorkflow, feedOf, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { startService } from "../../src/service.ts";
import { openDb } from "../../src/store/db.ts";
import { inspectPooler } from "../../src/store/pooler.ts";

const skip = hasPgBouncer ? false : "PgBouncer is not installed: apt-get install pgbouncer";
const apiKey = "a-key-for-this-test-alone";
const timeouts = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];

async function openDatabase(context: TestContext, isEmpty = false) {
  const database = await createTestDatabase({ isEmpty });
  const closers: (() => Promise<unknown>)[] = [() => database.drop()];
  context.after(async () => {
    for (const close of closers.reverse()) await close();
  });
  const startBouncer = async (mode: "session" | "transaction", settings: string[] = []) => {
    const bouncer = await startPgBouncer({ databaseUrl: database.url, mode, settings });
    closers.push(bouncer.stop);
    return bouncer.url;
  };
  const startProxy = async (url: string) => {
    const { hostname, port } = new URL(url);
    const proxy = await startHostProxy({ host: hostname, port: Number(port) });
    closers.push(proxy.close);
    return { ...proxy, url: url.replace(/@[^/]+/, `@${proxy.host}`) };
  };
  const start = async (settings: Record<string, string>) => {
    const logs: string[] = [];
    const config = readConfig({
      TIDINGS_HOST: "127.0.0.1",
      TIDINGS_PORT: "0",
      TIDINGS_THREADS: "1",
      TIDINGS_API_KEY: apiKey,
      TIDINGS_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
      ...settings,
    });
    const service = await startService(
      config,
      pino({ level: "warn" }, { write: (line: string) => void logs.push(line) }),
    );
    closers.push(service.stop);
    return { client: createClient({ baseUrl: service.url, apiKey }), logs };
  };
  return { database, startBouncer, startProxy, start };
}

test("with a direct address, LISTEN and migrations use it, and other connections send no timeouts", async (context) => {
  const { database, startProxy, start } = await openDatabase(context, true);
  const pooled = await startProxy(database.url);
  const direct = await startProxy(database.url);
  const { client } = await start({ DATABASE_URL: pooled.url, TIDINGS_DIRECT_DATABASE_URL: direct.url });
  await createWorkflow(client, "greet", [inApp()]);
  await trigger(client, "greet", "ada");
  const has = (startups: string[], text: string) => startups.some((startup) => startup.includes(text));
  assert.ok(has(direct.startups, "tidings-listen"), "LISTEN past the pooler");
  assert.ok(has(direct.startups, "statement_timeout"), "sessions for migrations and partitions past the pooler");
  assert.ok(!has(pooled.startups, "tidings-listen"), "no LISTEN through the pooler");
  assert.ok(!timeouts.some((name) => has(pooled.startups, name)), "no timeouts through the pooler");
});

test("transactions through a pooler have their timeouts, without another round trip", async (context) => {
  const { database } = await openDatabase(context, true);
  const options = { url: database.url, directUrl: database.url, poolSize: 1, statementMs: 7_000, onError: () => {} };
  const db = openDb(options);
  try {
    const readTimeouts = sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name in (${sql.join(timeouts)}) order by name`;
    const inside = await db.transaction().execute(async (tx) => (await readTimeouts.execute(tx)).rows);
    assert.deepEqual(
      inside.map(({ setting }) => setting),
      ["300000", "5000", "7000"],
    );
    const snapshot = db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
    const readOnly = await snapshot.execute(async (tx) => (await readTimeouts.execute(tx)).rows);
    assert.deepEqual(readOnly, inside);
    const outside = (await readTimeouts.execute(db)).rows;
    assert.deepEqual(
      outside.map(({ setting }) => setting),
      ["0", "0", "0"],
    );
  } finally {
    await db.destroy();
  }
});

test("addresses of different databases are refused", async (context) => {
  const [one, other] = [await openDatabase(context, true), await openDatabase(context, true)];
  const [finding] = await inspectPooler(one.database.url, other.database.url);
  assert.match(finding!.text, /lead to different databases/);
});

test("without a pooler there is nothing to say", async (context) => {
  const { database } = await openDatabase(context, true);
  assert.deepEqual(await inspectPooler(database.url, ""), []);
});

test("transaction mode: refused without a direct address, complete with one", { skip }, async (context) => {
  const { database, startBouncer, start } = await openDatabase(context);
  const url = await startBouncer("transaction");
  await assert.rejects(start({ DATABASE_URL: url }), /transaction mode.*TIDINGS_DIRECT_DATABASE_URL/);
  await assert.rejects(
    start({ DATABASE_URL: database.url, TIDINGS_DIRECT_DATABASE_URL: url }),
    /TIDINGS_DIRECT_DATABASE_URL leads to a pooler in transaction mode/,
  );
  const { client, logs } = await start({ DATABASE_URL: url, TIDINGS_DIRECT_DATABASE_URL: database.url });
  assert.match(logs.join(""), /statement_timeout is not in force outside of transactions.*alter role/);
  await client("subscribers.create", { body: { subscriberId: "ada" } });
  const wait = { name: "Wait", type: "delay" as const, controlValues: { amount: 1, unit: "seconds" } };
  await createWorkflow(client, "greet", [wait, inApp()]);
  await Promise.all(Array.from({ length: 20 }, () => trigger(client, "greet", "ada")));
  await eventually(async () => (await feedOf(client, "ada")).length === 20, "all messages");
});

test("session mode: a start that the pooler would refuse names both ways out", { skip }, async (context) => {
  const { startBouncer, start } = await openDatabase(context);
  const refusing = await startBouncer("session");
  await assert.rejects(start({ DATABASE_URL: refusing }), /TIDINGS_DIRECT_DATABASE_URL.*ignore_startup_parameters/s);
  const ignoring = await startBouncer("session", [`ignore_startup_parameters = ${timeouts.join(", ")}`]);
  const { client, logs } = await start({ DATABASE_URL: ignoring });
  assert.match(logs.join(""), /statement_timeout is not in force: .*alter role/);
  await createWorkflow(client, "greet", [inApp()]);
  await trigger(client, "greet", "ada");
  await eventually(async () => (await feedOf(client, "ada")).length === 1, "the message");
});
