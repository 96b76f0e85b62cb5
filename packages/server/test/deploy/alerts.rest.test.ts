// Every alert of deploy/alerts fires once: a real service gets into the state that the alert is about, its /metrics are
// read, and promtool evaluates the rules on what they say. In normal operation none fires. Only a full disk is not
// real: its free space is set to 5 % of the disk.
import assert from "node:assert/strict";
import { statfs } from "node:fs/promises";
import { test } from "node:test";
import { outboxSql } from "@tidings/contract";
import { createTestDatabase } from "@tidings/testkit/database";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { mailer, person, step } from "@tidings/testkit/servers/webhook-providers";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { inTransaction } from "../../src/store/db.ts";
import { monthsAround } from "../../src/store/installation/partitions.ts";
import { schemaChannel } from "../../src/store/installation/schema-state.ts";
import { encryptionKey, openStream, tokenFor } from "../live/clients.ts";
import { withClient } from "../pipeline/sources/shop.ts";
import {
  checkScenarios,
  parseMetrics,
  type Reading,
  rules,
  rulesFile,
  runPromtool,
  type Scenario,
  skipWithoutPromtool,
} from "./promtool.ts";

let providerStatus = 200;
const provider = await startReceiver(() => ({ status: providerStatus }));
const listener = await startReceiver(() => ({ status: 500 }));

const service = await startTestService({
  TIDINGS_ENCRYPTION_KEY: encryptionKey,
  TIDINGS_DATABASE_POOL: "4",
  TIDINGS_LOCK_SECONDS: "10",
  TIDINGS_LIVE_CONNECTIONS: "2",
  TIDINGS_DELIVERY_ATTEMPTS: "1",
  TIDINGS_CIRCUIT_FAILURES: "12",
});
const { client, production, db } = service;

const scenarios: Scenario[] = [];
const skip = skipWithoutPromtool;

const read = async (): Promise<Reading> => parseMetrics(await (await fetch(`${service.url}/metrics`)).text());

/** Adds what `/metrics` says before and after `work` as the state in which the alerts fire. */
async function enter(firing: string[], work: () => Promise<unknown>): Promise<void> {
  const before = await read();
  await work();
  const reading = await read();
  for (const name of firing) scenarios.push({ name, before, after: reading, firing: name });
}

await createWorkflow(client, "hello", [inApp({ body: "Hello" })]);
await createWorkflow(production, "mail", [step("email", { subject: "Hi", body: "<p>Hello</p>" })]);
await mailer(production, "mails", provider.url);

const triggerRaw = (name: string) => client.raw("events.trigger", { body: { name, to: "ada" } } as never);

/** While `work` runs, the table refuses every row with this error. */
async function whileRefused(table: string, code: string, work: () => Promise<void>): Promise<void> {
  await sql
    .raw(`
    create function refuse_row() returns trigger language plpgsql as $$
      begin raise exception 'refused by the test' using errcode = '${code}'; end $$;
    create trigger refuse_row before insert on ${table} for each row execute function refuse_row()`)
    .execute(db);
  try {
    await work();
  } finally {
    await sql.raw(`drop trigger refuse_row on ${table}; drop function refuse_row()`).execute(db);
  }
}

/** `work` begins while the tables are locked, and ends after the lock was released. */
async function whileLocked(tables: string, work: () => Promise<unknown>, hold: () => Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  await inTransaction(db, async (tx) => {
    await sql.raw(`lock table ${tables} in access exclusive mode`).execute(tx);
    resolve(work());
    await hold();
  });
  await promise;
}

/** Waits until so many connections wait for a lock. */
const waitForLocked = (count: number) =>
  eventually(async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows.length >= count;
  }, `${count} connections to wait for a lock`);

test("normal operation: events, mails and a reader", { skip }, async () => {
  const before = await read();
  await settled(client, await trigger(client, "hello", "ada"));
  await settled(production, await trigger(production, "mail", person("bob")));
  const reading = await read();
  assert.ok(
    [...reading.samples].some(([series, value]) => series.startsWith("tidings_delivery_seconds_count") && value),
  );
  scenarios.push({ name: "quiet", before, after: reading, firing: null });
});

test("a live inbox, with room for one more", { skip }, async () => {
  const token = await tokenFor(service, "reader");
  const stream = openStream(service.url, token);
  try {
    await enter(["TidingsLiveConnectionsNearLimit"], () => eventually(stream.isOpen, "the connection"));
  } finally {
    stream.close();
  }
});

test("a provider that fails every call", { skip }, async () => {
  providerStatus = 500;
  await enter(["TidingsProviderFailing", "TidingsDeadLettersGrowing", "TidingsCircuitOpen"], async () => {
    const to = Array.from({ length: 12 }, (_, index) => person(`lost-${index}`));
    await production("events.trigger", { body: { name: "mail", to } });
    const readLetters = async () => (await read()).samples.get("tidings_dead_letters");
    await eventually(async () => (await readLetters()) === 12, "the dead letters");
  });
});

test("a webhook whose receiver fails", { skip }, async () => {
  await enter(["TidingsWebhooksFailing"], async () => {
    await client("webhooks.create", { body: { url: listener.url, eventTypes: ["message.sent"] } });
    for (let index = 0; index < 5; index++) await trigger(client, "hello", `heard-${index}`);
    await eventually(async () => (await read()).samples.get("tidings_failing_webhooks") === 1, "five failures");
  });
});

test("a source whose database is away", { skip }, async () => {
  const customer = await createTestDatabase({ isEmpty: true });
  await withClient(customer.url, (one) => one.query(outboxSql()));
  const { body } = await client("sources.create", { body: { name: "Orders", url: customer.url } });
  const failing = async () => (await read()).samples.get(`tidings_source_failing{source="${body.id}"}`);
  await eventually(async () => (await failing()) === 0, "the source");
  await enter(["TidingsSourceBehind"], async () => {
    await customer.allowConnections(false);
    await eventually(async () => (await failing()) === 1, "its failure");
  });
  await client("sources.delete", { params: { sourceId: body.id } });
  await customer.drop();
});

test("a database that refuses: its disk is full, or its statements are too slow", { skip }, async () => {
  await enter(["TidingsDatabaseFull", "TidingsHighErrorRate", "TidingsNotReady"], () =>
    whileRefused("events", "53100", async () => {
      assert.equal((await triggerRaw("hello")).status, 503);
    }),
  );
  await enter(["TidingsDatabaseFaults"], () =>
    whileRefused("events", "57014", async () => {
      for (let index = 0; index < 2; index++) assert.equal((await triggerRaw("hello")).status, 503);
    }),
  );
});

test("locked tables: requests are slow, and others wait for a connection", { skip }, async () => {
  await enter(["TidingsSlowRequests"], () =>
    whileLocked(
      "events",
      () => triggerRaw("hello"),
      async () => {
        await waitForLocked(1);
        // The alert is about requests of more than a second.
        await new Promise((resolve) => setTimeout(resolve, 1_100));
      },
    ),
  );
  const before = await read();
  const createAll = () =>
    Promise.all(
      Array.from({ length: 6 }, (_, index) => [
        client.raw("subscribers.create", { body: { subscriberId: `s-${index}` } }),
        client.raw("topics.create", { body: { key: `t-${index}`, name: "T" } } as never),
      ]).flat(),
    );
  await whileLocked("subscribers, topics", createAll, async () => {
    await waitForLocked(4);
    // The queries of a reading wait for a connection too, so a later reading shows something that waits.
    const waiting = Array.from({ length: 4 }, () => triggerRaw("hello"));
    const readings: Promise<Reading>[] = [];
    for (let index = 0; index < 4; index++) {
      await fetch(`${service.url}/health`);
      readings.push(read());
    }
    const isWaiting = ({ samples }: Reading) => samples.get(`tidings_database_pool_waiting{pool="main"}`)! > 0;
    const reading = (await Promise.all(readings)).find(isWaiting);
    assert.ok(reading, "a request waits for a connection");
    scenarios.push({ name: "pool", before, after: reading, firing: "TidingsPoolExhausted" });
    await Promise.all(waiting);
  });
});

test("an event loop that is blocked", { skip }, async () => {
  const before = await read();
  const isBlocked = ({ samples }: Reading) => samples.get("nodejs_eventloop_lag_p99_seconds")! > 0.5;
  const reading = await eventually(async () => {
    const until = performance.now() + 600;
    while (performance.now() < until);
    return [await read()].find(isBlocked);
  }, "the lag to be measured");
  scenarios.push({ name: "lag", before, after: reading, firing: "TidingsEventLoopLag" });
});

test("a row that the database refuses every time", { skip }, async () => {
  await enter(["TidingsTasksSetAside"], () =>
    whileRefused("messages", "23514", async () => {
      await trigger(client, "hello", "ada");
      await eventually(
        async () => (await read()).samples.get("tidings_set_aside_tasks") === 1,
        "the task to be set aside",
      );
    }),
  );
});

test("housekeeping that does not end, and a month without partitions", { skip }, async () => {
  await enter(["TidingsHousekeepingStalled", "TidingsPartitionsMissing"], async () => {
    await sql`update queue.job_common set created_on = now() - interval '2 days'
      where name = 'housekeeping' and data->>'name' = 'captured'`.execute(db);
    const next = monthsAround(new Date())[2]!;
    await sql.raw(`drop table messages_${next.name}`).execute(db);
  });
});

test("a process that takes no tasks", { skip }, async () => {
  await createWorkflow(client, "later", [
    { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "hours" } },
    inApp({ body: "Later" }),
  ]);
  await trigger(client, "later", "ada");
  await inTransaction(db, async (tx) => {
    await sql`insert into schema_versions (version, name, checksum, compatible_from)
      values (9999, '9999_newer', 'x', 9999)`.execute(tx);
    await sql`select pg_notify(${schemaChannel}, '9999_newer')`.execute(tx);
  });
  await eventually(() => service.logs.some(({ migration }) => migration === "9999_newer"), "the process to notice");
  await enter(["TidingsQueueStuck"], () =>
    sql`update queue.job_common set start_after = now() - interval '10 minutes' where name = 'wake'`.execute(db),
  );
});

test("every alert fires in its state, and none in normal operation", { skip }, async () => {
  const quiet = scenarios.find(({ firing }) => firing === null)!;
  const { blocks, bsize } = await statfs(import.meta.dirname);
  const isFull = new Map([
    ...quiet.after.samples,
    ["tidings_disk_free_bytes", 0.05 * blocks * bsize],
    ["tidings_disk_size_bytes", blocks * bsize],
  ] as const);
  scenarios.push({ ...quiet, name: "disk", after: { ...quiet.after, samples: isFull }, firing: "TidingsDiskFilling" });
  await service.stop();
  const isUp = await fetch(`${service.url}/metrics`).then(
    () => true,
    () => false,
  );
  scenarios.push({ ...quiet, name: "down", isUp, firing: "TidingsDown" });

  runPromtool("check", "rules", rulesFile);
  const covered = scenarios.flatMap(({ firing }) => firing ?? []);
  assert.deepEqual(
    rules.map(({ alert }) => alert).filter((alert) => !covered.includes(alert)),
    [],
    "each alert has its state",
  );
  assert.match(checkScenarios(scenarios), /SUCCESS/);
});
