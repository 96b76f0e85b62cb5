// kill -9 of services and of either database during a load of commits and rollbacks: the set of accepted events equals
// the set of committed calls, each once. `TEST_LONG=1 KILLS=100` kills as often.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { outboxSql } from "@tidings/contract";
import { createRandom, type Random } from "@tidings/testkit/load/random";
import { chooseSeed, isLong } from "@tidings/testkit/long";
import { type KillableServer, startKillable } from "@tidings/testkit/postgres/killable";
import { temporaryFolder } from "@tidings/testkit/process";
import { superviseServices } from "@tidings/testkit/programs/kills";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import pg from "pg";
import { newId } from "../../../src/lib/ids.ts";
import { openDb } from "../../../src/store/db.ts";
import { grantRole } from "../../../src/store/sources/grants.ts";
import { environmentOf, withClient } from "./shop.ts";

const kills = isLong ? Number(process.env.KILLS ?? "20") : 3;
const services = isLong ? 2 : 1;
const writersEach = 2;
const limitMs = 120_000;

/** Orders, and in the same transaction the calls: what is in this table was committed. */
const orders = `create schema sales;
  create table sales.orders (marker text primary key, transaction_id text not null);
  grant usage on schema sales to shop; grant all on sales.orders to shop`;

/** Runs until `isOver`. Returns the markers whose commit was confirmed. */
async function write(
  url: string,
  random: Random,
  isOver: () => boolean,
): Promise<{ confirmed: string[]; lost: number }> {
  const confirmed: string[] = [];
  let lost = 0;
  while (!isOver()) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 10_000 });
    client.on("error", () => {});
    try {
      await client.connect();
      while (!isOver()) confirmed.push(...(await writeOnce(client, random)));
    } catch {
      // The table has a commit whose response was lost, or does not.
      lost++;
      await sleep(50);
    } finally {
      await client.end().catch(() => {});
    }
  }
  return { confirmed, lost };
}

/** One transaction of one to three calls, some behind savepoints. Returns the markers that it committed. */
async function writeOnce(client: pg.Client, random: Random): Promise<string[]> {
  const kept: string[] = [];
  const call = async () => {
    const marker = randomBytes(12).toString("hex");
    const text = `insert into sales.orders
      select $1, tidings.trigger('sold', $2::text, jsonb_build_object('order', $1::text))`;
    await client.query(text, [marker, `buyer-${random.below(40)}`]);
    return marker;
  };
  await client.query("begin");
  for (let left = 1 + random.below(3); left > 0; left--) {
    if (random.chance(0.7)) kept.push(await call());
    else {
      await client.query("savepoint s");
      const marker = await call();
      const isKept = random.chance(0.5);
      await client.query(isKept ? "release s" : "rollback to s");
      if (isKept) kept.push(marker);
    }
  }
  await sleep(random.below(20));
  const isKept = random.chance(0.75);
  if (isKept && random.chance(0.03)) await loseCommit(client);
  await client.query(isKept ? "commit" : "rollback");
  return isKept ? kept : [];
}

/** Sends the commit, and does not wait for the response. */
async function loseCommit(client: pg.Client): Promise<never> {
  client.query("commit").catch(() => {});
  await sleep(1);
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  throw new Error("the outcome is not known");
}

test(`${kills} kills lose nothing and repeat nothing`, async (context) => {
  const seed = chooseSeed(1, process.env.KILL_SEED);
  const random = createRandom(seed);
  const [own, customer] = await startServers(context);
  const folder = temporaryFolder(context);
  const settings = {
    DATABASE_URL: own.url,
    TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    TIDINGS_API_KEY: randomBytes(16).toString("hex"),
    TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8",
    TIDINGS_THREADS: "1",
  };
  const running = await superviseServices(folder, settings, 1);
  const client = await running.client();
  await createWorkflow(client, "sold", [inApp({ subject: "{{ payload.order }}", body: "Sold" })]);
  await prepareOwn(own, await environmentOf(client));
  await withClient(customer.url, (owner) =>
    owner.query(`${outboxSql()} ${orders}; grant usage on schema tidings to shop;
    grant execute on all functions in schema tidings to shop`),
  );
  await client("sources.create", { body: { name: "Sales", url: customer.url } });
  for (let n = 1; n < services; n++) running.add();

  let isOver = false;
  const writing = [own, customer].flatMap((server, place) =>
    Array.from({ length: writersEach }, (_, writer) =>
      write(server.urlOf("shop"), createRandom(seed + 10 * place + writer), () => isOver),
    ),
  );
  const targets = {
    service: () => running.kill(random.below(300)),
    own: () => own.restart(),
    customer: () => customer.restart(),
  };
  const counts = { service: 0, own: 0, customer: 0 };
  const names = Object.keys(targets) as (keyof typeof targets)[];
  for (let kill = 0; kill < kills; kill++) {
    const name = kill < names.length ? names[kill]! : random.pick(names);
    await sleep(150 + random.below(500));
    await targets[name]();
    counts[name]++;
  }
  await sleep(300);
  isOver = true;
  const written = await Promise.all(writing);
  await running.settle();

  const markers = new Map<string, string>();
  for (const server of [own, customer])
    for (const row of await read(server.url, "select marker, transaction_id from sales.orders"))
      markers.set(row.marker!, row.transaction_id!);
  const confirmed = written.flatMap((one) => one.confirmed);
  assert.ok(confirmed.length > 0 && confirmed.every((marker) => markers.has(marker)), "what was confirmed is there");
  const waits = async () =>
    (await read(own.url, "select 1 from public.sql_outbox limit 1")).length +
    (await read(customer.url, "select 1 from tidings.outbox limit 1")).length;
  await eventually(async () => (await waits()) === 0, "empty outboxes", limitMs);
  const accepted = await read(own.url, "select transaction_id, count(*)::text as times from events group by 1");
  assert.deepEqual(
    accepted.filter(({ times }) => times !== "1"),
    [],
    `each once, seed ${seed}`,
  );
  assert.deepEqual(
    new Set(accepted.map((row) => row.transaction_id)),
    new Set(markers.values()),
    `the accepted events are the committed calls, seed ${seed}`,
  );
  const sent = `select (select count(*) from messages)::text as messages, (select count(*) from failed_tasks)::text as failed`;
  await eventually(
    async () => (await read(own.url, sent))[0]!.messages === String(markers.size),
    "all messages",
    limitMs,
  );
  assert.equal((await read(own.url, sent))[0]!.failed, "0");
  await running.stop();
  const lost = written.reduce((sum, one) => sum + one.lost, 0);
  const unknown = markers.size - confirmed.length;
  context.diagnostic(
    `seed ${seed}; killed: ${JSON.stringify(counts)}; committed calls: ${markers.size}, of which ${unknown} were not ` +
      `confirmed; connections lost by writers: ${lost}; accepted events: ${accepted.length}`,
  );
});

async function startServers(context: TestContext): Promise<[KillableServer, KillableServer]> {
  const servers = await Promise.all([startKillable("service"), startKillable("customer")]);
  context.after(() => Promise.all(servers.map((server) => server.stop())));
  return servers as [KillableServer, KillableServer];
}

/** The role `shop` may call the functions of the service's own database, for this environment. */
async function prepareOwn({ url }: KillableServer, environmentId: string): Promise<void> {
  const db = openDb({ url, poolSize: 1, onError: () => {} });
  try {
    await db
      .transaction()
      .execute((tx) => grantRole(tx, { role: "shop", environmentId, sourceId: newId(), now: new Date() }));
  } finally {
    await db.destroy();
  }
  await withClient(url, (owner) => owner.query(orders));
}

const read = (url: string, text: string): Promise<Record<string, string>[]> =>
  withClient(url, async (client) => (await client.query(text)).rows);
