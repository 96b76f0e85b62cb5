// Reads from a streaming replica: never less than what was written before, and never a failure because of the replica.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createClient } from "@tidings/testkit/client";
import { metric } from "@tidings/testkit/metric";
import { startReplicatedServers } from "@tidings/testkit/postgres/standby";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import pino from "pino";
import { readConfig } from "../../src/config.ts";
import { startService } from "../../src/service.ts";
import { openDb } from "../../src/store/db.ts";
import { openReplica, type ReplicaRead } from "../../src/store/replica.ts";

const servers = await startReplicatedServers();
const encryptionKey = randomBytes(32).toString("base64");
const apiKey = randomBytes(16).toString("hex");

async function startProcess() {
  const config = readConfig({
    DATABASE_URL: servers.primaryUrl,
    TIDINGS_REPLICA_DATABASE_URL: servers.replicaUrl,
    TIDINGS_PORT: "0",
    TIDINGS_API_KEY: apiKey,
    TIDINGS_ENCRYPTION_KEY: encryptionKey,
    TIDINGS_THREADS: "1",
  });
  const logs: { msg: string }[] = [];
  const log = pino({}, { write: (line: string) => void logs.push(JSON.parse(line)) });
  const service = await startService(config, log);
  const client = createClient({ baseUrl: service.url, apiKey });
  /** How many reads the server has served, for any reason or for one. */
  const reads = async (target: string, reason: string) =>
    metric(await (await fetch(`${service.url}/metrics`)).text(), "tidings_replica_reads_total", { target, reason }) ??
    0;
  const listed = async () => (await client("subscribers.list", { query: { limit: 100 } })).body.data;
  const names = async () => (await listed()).map(({ subscriberId }) => subscriberId);
  return { url: service.url, client, logs, reads, names, stop: service.stop };
}

const one = await startProcess();
const two = await startProcess();
atEnd(async () => {
  await one.stop();
  await two.stop();
  await servers.stop();
});
const create = (subscriberId: string) => one.client("subscribers.create", { body: { subscriberId } });

test("what was written is listed at once, by the replica when it has it", async () => {
  for (let index = 0; index < 10; index++) {
    await create(`person-${index}`);
    assert.ok((await one.names()).includes(`person-${index}`), `person-${index}`);
    assert.ok((await two.names()).includes(`person-${index}`), `person-${index} from the other process`);
  }
  const isServed = async () => {
    await one.names();
    return (await one.reads("replica", "current")) > 0;
  };
  await eventually(isServed, "a read from the replica");
});

test("the operations that a replica may serve run there, and those of an inbox do not", async () => {
  const { client, reads } = one;
  const calls = [
    () => client("notifications.list"),
    () => client("messages.list"),
    () => client("activity.listEvents"),
    () => client("statistics.list"),
    () => client("subscribers.list"),
    () => client("deadLetters.list"),
    () => client("deadLetters.listGroups"),
    () => client("captured.list"),
    () => client("suppressions.list"),
    () => client("inboundReceipts.list"),
    () => client("digests.list"),
    () => client("subscribers.listSubscriptions", { params: { subscriberId: "person-1" } }),
  ];
  for (const [index, call] of calls.entries()) {
    const isServed = async () => {
      const before = await reads("replica", "current");
      await call();
      return (await reads("replica", "current")) > before;
    };
    await eventually(isServed, `call ${index} to run on the replica`);
  }
  const params = { subscriberId: "person-1" };
  const readAll = async () => {
    const text = await (await fetch(`${one.url}/metrics`)).text();
    return text.split("\n").filter((line) => line.startsWith("tidings_replica_reads_total"));
  };
  const before = await readAll();
  await client("subscribers.listFeed", { params });
  await client("subscriberNotifications.list", { params });
  await client("subscribers.retrieve", { params });
  assert.deepEqual(await readAll(), before);
});

test("while the replica does not replay, the primary serves what was just written, in every process", async () => {
  await servers.onReplica("select pg_wal_replay_pause()");
  const paused = async () =>
    (await servers.onReplica("select pg_get_wal_replay_pause_state() as state"))[0].state === "paused";
  await eventually(paused, "the pause");
  const served = async () => [await one.reads("replica", "current"), await two.reads("replica", "current")];
  const before = await served();
  await create("late");
  assert.ok((await one.names()).includes("late"));
  assert.ok((await two.names()).includes("late"));
  const isNoted = async () => (await one.names()) && (await one.reads("primary", "behind")) > 0;
  await eventually(isNoted, "the reason among the metrics");
  assert.deepEqual(await served(), before, "the replica served nothing");
  const rows = await servers.onReplica("select 1 from subscribers where subscriber_id = 'late'");
  assert.deepEqual(rows, [], "the replica lacks it");

  await servers.onReplica("select pg_wal_replay_resume()");
  const isServed = async () => {
    assert.ok((await one.names()).includes("late"));
    return (await one.reads("replica", "current")) > before[0]!;
  };
  await eventually(isServed, "the replica to serve again");
});

/** Reads through a separate replica, and collects where they went and what was logged. */
async function withReplica(url: string, work: (read: ReturnType<typeof openReplica>["read"]) => Promise<void>) {
  const primary = openDb({ url: servers.primaryUrl, poolSize: 2, onError: () => {} });
  const reads: ReplicaRead[] = [];
  const logs: string[] = [];
  const log = pino({}, { write: (line: string) => void logs.push(JSON.parse(line).msg) });
  const onRead = (read: ReplicaRead) => void reads.push(read);
  const replica = openReplica({ url, primary, poolSize: 2, statementMs: 90_000, log, onRead });
  try {
    await work(replica.read);
  } finally {
    await replica.close();
    await primary.destroy();
  }
  return { reads: reads.map(({ target, reason }) => `${target} ${reason}`), logs };
}

test("a query that the replica cancels for its recovery runs on the primary", async () => {
  await servers.onPrimary("create table scratch as select 1 as n; grant select on scratch to app");
  const isAsleep = async () =>
    (
      await servers.onReplica(
        "select from pg_stat_activity where query like '%scratch, pg_sleep%' and wait_event = 'PgSleep'",
      )
    ).length > 0;
  // It sleeps on the replica alone, with a snapshot that the truncation conflicts with.
  const query = sql<{ n: number }>`select n from scratch, pg_sleep(case when pg_is_in_recovery() then 60 else 0 end)`;
  const { reads } = await withReplica(servers.replicaUrl, async (read) => {
    const begin = async () => {
      let isOver = false;
      const rows = read(async (db) => (await query.execute(db)).rows).finally(() => {
        isOver = true;
      });
      await eventually(() => isOver || isAsleep(), "the query to begin");
      // The replica may have been behind.
      return isOver ? null : { rows };
    };
    const held = await eventually(begin, "the query on the replica");
    await servers.onPrimary("truncate scratch; insert into scratch values (2)");
    assert.deepEqual(await held.rows, [{ n: 2 }]);
  });
  assert.equal(reads.at(-1), "primary conflict", reads.join());
});

test("a server that is not a replica of the primary serves nothing, and refusals are not repeated", async () => {
  const isPrimary = sql<{ is: boolean }>`select not pg_is_in_recovery() as is`;
  const own = await withReplica(servers.primaryUrl, async (read) => {
    assert.deepEqual(await read(async (db) => (await isPrimary.execute(db)).rows), [{ is: true }]);
  });
  assert.deepEqual(own.reads, ["primary mismatch"]);
  let tries = 0;
  await withReplica(servers.replicaUrl, async (read) => {
    const refuse = async () => {
      tries++;
      throw new Error("refused");
    };
    await assert.rejects(read(refuse), /refused/);
  });
  assert.equal(tries, 1);
});

test("without the replica, the primary serves everything; the log says so once, and the service stays ready", async () => {
  await servers.stopReplica();
  for (const name of ["after-1", "after-2", "after-3"]) {
    await create(name);
    assert.ok((await one.names()).includes(name));
  }
  const isNoted = async () => (await one.names()) && (await one.reads("primary", "unavailable")) > 0;
  await eventually(isNoted, "the reason among the metrics");
  assert.equal((await fetch(`${one.url}/ready`)).status, 200);
  const { reads, logs } = await withReplica(servers.replicaUrl, async (read) => {
    for (let index = 0; index < 3; index++) await read(async (db) => sql`select 1`.execute(db));
  });
  assert.deepEqual(reads, Array(3).fill("primary unavailable"));
  assert.deepEqual(logs, ["the replica cannot be used: the primary serves reads until it can"]);
});
