// Several hosts in DATABASE_URL: proxies to one PostgreSQL, some of which are cut off or refuse writes.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createClient } from "@tidings/testkit/client";
import { createTestDatabase } from "@tidings/testkit/database";
import { type HostProxy, startHostProxy } from "@tidings/testkit/proxies/host-proxy";
import { createWorkflow, feedOf, inApp, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { startService } from "../../src/service.ts";
import { type Db, openDb } from "../../src/store/db.ts";

/** An empty database behind two hosts. */
async function openHosts(context: TestContext, isEmpty = true) {
  const database = await createTestDatabase({ isEmpty });
  const { hostname, port } = new URL(database.url);
  const [one, two] = await Promise.all([1, 2].map(() => startHostProxy({ host: hostname, port: Number(port) })));
  const urlOf = (hosts: string[], target = "read-write") =>
    `${database.url.replace(/@[^/]+/, `@${hosts.join(",")}`)}?target_session_attrs=${target}`;
  const pools: Db[] = [];
  context.after(async () => {
    for (const db of pools) await db.destroy();
    await one!.close();
    await two!.close();
    await database.drop();
  });
  const openPool = (url: string): Db => {
    const db = openDb({ url, poolSize: 2, onError: () => {} });
    pools.push(db);
    return db;
  };
  return { database, one: one!, two: two!, urlOf, openPool };
}

const write = (db: Db) => sql`create table if not exists written (id integer)`.execute(db);
const sessions = (proxy: HostProxy) => proxy.startups.filter((text) => !text.includes("tidings-probe")).length;

test("a host that does not exist is passed over, and the good one is asked first from then on", async (context) => {
  const { two, urlOf, openPool } = await openHosts(context);
  const db = openPool(urlOf(["127.0.0.1:1", two.host]));
  await write(db);
  await Promise.all([write(db), write(db)]);
  assert.equal(sessions(two), 2);
});

test("a host that accepts connections and is silent delays a connection, and no more", async (context) => {
  const { one, two, urlOf, openPool } = await openHosts(context);
  one.cut("stall");
  await write(openPool(urlOf([one.host, two.host])));
  assert.equal(sessions(two), 1);
});

test("a host that refuses writes is not used for read-write, until it is the one that accepts them", async (context) => {
  const { one, two, urlOf, openPool } = await openHosts(context);
  one.setReadOnly(true);
  const db = openPool(urlOf([one.host, two.host]));
  await write(db);
  assert.deepEqual([sessions(one), sessions(two)], [0, 1]);
  one.setReadOnly(false);
  two.cut("refuse");
  await eventually(
    () =>
      write(db).then(
        () => true,
        () => false,
      ),
    "a write at the other host",
  );
  assert.equal(sessions(one), 1);
});

test("with no host for writes, the error names each", async (context) => {
  const { one, urlOf, openPool } = await openHosts(context);
  one.setReadOnly(true);
  const db = openPool(urlOf(["127.0.0.1:1", one.host]));
  const named = new RegExp(`127.0.0.1:1; ${one.host} is not read-write`);
  await assert.rejects(write(db), named);
});

test("a connection on which the server became read-only is dropped", async (context) => {
  const { database, openPool } = await openHosts(context);
  const db = openPool(database.url);
  await sql`set session characteristics as transaction read only`.execute(db);
  await assert.rejects(write(db), { code: "25006" });
  await eventually(
    () =>
      write(db).then(
        () => true,
        () => false,
      ),
    "a write on another connection",
  );
});

test("when the primary moves, connections that wait for the old one are dropped", async (context) => {
  const { one, two, urlOf, openPool } = await openHosts(context);
  two.setReadOnly(true);
  const db = openPool(urlOf([one.host, two.host]));
  await write(db);
  one.cut("stall");
  // A host is trusted for a second.
  const cutAt = performance.now();
  await eventually(() => performance.now() - cutAt > 1_000, "the trust to end");
  const waiting = assert.rejects(write(db), /the read-write server is now/);
  two.setReadOnly(false);
  await write(db);
  await waiting;
});

test("a service continues on another host: requests, LISTEN and tasks", async (context) => {
  const { database, one, two, urlOf } = await openHosts(context, false);
  two.setReadOnly(true);
  const apiKey = "a-key-for-this-test-alone";
  const config = readConfig({
    DATABASE_URL: urlOf([one.host, two.host]),
    TIDINGS_HOST: "127.0.0.1",
    TIDINGS_PORT: "0",
    TIDINGS_THREADS: "1",
    TIDINGS_API_KEY: apiKey,
    TIDINGS_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  });
  const service = await startService(config, pino({ level: "silent" }));
  try {
    assert.equal(service.database, `PostgreSQL at ${one.host},${two.host}/${new URL(database.url).pathname.slice(1)}`);
    const client = createClient({ baseUrl: service.url, apiKey });
    await createWorkflow(client, "later", [
      { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "seconds" } },
      inApp(),
    ]);
    await client("subscribers.create", { body: { subscriberId: "ada" } });
    two.setReadOnly(false);
    one.cut("refuse");
    const isAccepted = () =>
      trigger(client, "later", "ada").then(
        () => true,
        () => false,
      );
    await eventually(isAccepted, "a trigger to be accepted");
    await eventually(() => two.startups.some((text) => text.includes("tidings-listen")), "LISTEN at the other host");
    await eventually(async () => (await feedOf(client, "ada")).length === 1, "the message after the delay");
    assert.equal(one.countOpen(), 0);
  } finally {
    await service.stop();
  }
});
