import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createIo } from "@tidings/providers";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { announceDueTasks, eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import { pino } from "pino";
import { readConfig } from "../../../src/config.ts";
import type { NetworkCtx } from "../../../src/context.ts";
import { newId } from "../../../src/lib/ids.ts";
import { createSecrets } from "../../../src/lib/secrets.ts";
import { createMetrics } from "../../../src/metrics.ts";
import { startWorkers } from "../../../src/pipeline/dispatch.ts";
import { type Db, inTransaction, openDb } from "../../../src/store/db.ts";
import { ClaimLostError, openQueue, type Queue, type Task } from "../../../src/store/queue/queue.ts";

const database = await createTestDatabase();
const db = openDb({ url: database.url, poolSize: 4, onError: () => {} });
const queue = await openQueue({ url: database.url, onError: () => {} });
atEnd(async () => {
  await queue.stop();
  await db.destroy();
  await database.drop();
});

type Row = { id: string; state: string; attempt: number; data: { mark?: string }; startAfter: Date; heartbeat: Date };

const tasksOf = async (mark: string, from: Db = db): Promise<Row[]> =>
  (
    await sql<Row>`select id, state, retry_count as attempt, data, start_after as "startAfter", heartbeat_on as heartbeat
      from queue.job where data->>'mark' like ${mark} order by data->>'mark'`.execute(from)
  ).rows;

/** A table that the transactions of tasks write to. */
const write = (tx: Db, name: string) => sql`insert into installation (name, value) values (${name}, 'x')`.execute(tx);
const isWritten = async (name: string): Promise<boolean> =>
  (await sql`select 1 from installation where name = ${name}`.execute(db)).rows.length === 1;

const pass = async (mark: string): Promise<void> => queue.enqueue(db, "fanout", [{ data: { mark } }]);

// One worker for the tests of this file: the mark of a task selects its handler.
const handlers = new Map<string, (task: Task<{ mark: string }>) => Promise<void>>();
const seen: string[] = [];
queue.work<{ mark: string }>("fanout", { batchSize: 1, concurrency: 2 }, async ([task]) => {
  seen.push(`${task!.data.mark} ${task!.attempt}`);
  await (handlers.get(task!.data.mark) ?? ((one) => queue.finish(db, "fanout", [one])))(task!);
});

test("the parts of a task leave it one by one, and the task with the last of them", async () => {
  const left = async () => (await tasksOf("parts")).map(({ data }) => (data as { ids: string[] }).ids);
  const finish = (task: Task<unknown>, ...parts: string[]) =>
    inTransaction(db, (tx) =>
      queue.finishParts(
        tx,
        "fanout",
        "ids",
        parts.map((part) => ({ task, part })),
      ),
    );
  const { promise, resolve } = Promise.withResolvers<Task<unknown>>();
  handlers.set("parts", async (task) => {
    const [kept] = await queue.keep(db, "fanout", [task]);
    queue.hold("fanout", [kept!, kept!, kept!]);
    resolve(kept!);
  });
  await queue.enqueue(db, "fanout", [{ data: { mark: "parts", ids: ["a", "b", "c"] } }]);
  const task = await promise;
  await finish(task, "b");
  assert.deepEqual(await left(), [["a", "c"]]);
  await assert.rejects(() => finish({ ...task, attempt: task.attempt - 1 }, "a"), ClaimLostError);
  // Its commit had no response, so its result is written again: that must not repeat what follows from it.
  await assert.rejects(() => finish(task, "b"), ClaimLostError);
  await assert.rejects(() => finish(task, "a", "b"), ClaimLostError);
  assert.deepEqual(await left(), [["a", "c"]]);
  // This process lost the claim while it was stopped, and has the task again: results of both claims come together.
  const mixed = [
    { task, part: "a" },
    { task: { ...task, attempt: task.attempt - 1 }, part: "c" },
  ];
  const finishMixed = (parts: typeof mixed) => inTransaction(db, (tx) => queue.finishParts(tx, "fanout", "ids", parts));
  for (const parts of [mixed, mixed.toReversed()]) {
    await assert.rejects(() => finishMixed(parts), ClaimLostError);
    assert.deepEqual(await left(), [["a", "c"]]);
  }
  // Two transactions at once: one of them waits for the other and takes the task out.
  await Promise.all([finish(task, "a"), finish(task, "c")]);
  assert.deepEqual(await left(), []);
  queue.letGo([task, task, task]);

  // All parts at once.
  handlers.set("parts", (one) => finish(one, "x", "y"));
  await queue.enqueue(db, "fanout", [{ data: { mark: "parts", ids: ["x", "y"] } }]);
  await eventually(
    async () => (await left()).length === 0 && seen.filter((mark) => mark === "parts 0").length === 2,
    "both",
  );
});

test("a heartbeat does not wait for a task that a transaction is finishing", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  handlers.set("beating", () => promise);
  await queue.enqueue(db, "fanout", [{ data: { mark: "beating" } }, { data: { mark: "beating" } }]);
  const isActive = async () => (await tasksOf("beating")).filter(({ state }) => state === "active").length === 2;
  await eventually(isActive, "both to be claimed");
  await inTransaction(db, async (tx) => {
    const [locked, free] = await tasksOf("beating");
    await sql`select 1 from queue.job where id = ${locked!.id} for update`.execute(tx);
    const beat = async () => (await tasksOf("beating")).find(({ id }) => id === free!.id)!.heartbeat;
    await eventually(async () => (await beat()) > free!.heartbeat, "a heartbeat of the task that is not locked");
  });
  resolve();
});

test("a task and the state that makes it necessary are committed together or not at all", async () => {
  const both = (name: string, isFaulty: boolean) =>
    inTransaction(db, async (tx) => {
      await write(tx, name);
      await queue.enqueue(tx, "trigger", [{ data: { mark: name } }]);
      if (isFaulty) throw new Error("changed my mind");
    });
  await both("kept", false);
  await assert.rejects(() => both("dropped", true), /changed my mind/);
  assert.deepEqual([await isWritten("kept"), (await tasksOf("kept")).length], [true, 1]);
  assert.deepEqual([await isWritten("dropped"), (await tasksOf("dropped")).length], [false, 0]);
});

test("a finished task is removed in the transaction of its result", async () => {
  handlers.set("finishing", (task) =>
    inTransaction(db, async (tx) => {
      await write(tx, "finishing");
      await queue.finish(tx, "fanout", [task]);
    }),
  );
  await pass("finishing");
  await eventually(async () => (await tasksOf("finishing")).length === 0, "the task to be finished");
  assert.ok(await isWritten("finishing"));
});

test("a failed task is retried, with a new attempt number", async () => {
  handlers.set("failing", async (task) => {
    if (task.attempt === 0) throw new Error("not yet");
    await queue.finish(db, "fanout", [task]);
  });
  await pass("failing");
  await eventually(async () => (await tasksOf("failing")).length === 0, "the task to be finished");
  assert.deepEqual(
    seen.filter((entry) => entry.startsWith("failing")),
    ["failing 0", "failing 1"],
  );
});

/** Makes the claims lapse, as when the heartbeat of a worker stopped. */
const takeAway = async (id: string) => {
  await sql`update queue.job set state = 'retry', start_after = now() where id = ${id}`.execute(db);
  await announceDueTasks(db);
};

test("work on a lost claim is rolled back, and the work of the new holder is committed", async () => {
  const faults: unknown[] = [];
  handlers.set("lapsing", async (task) => {
    const work = inTransaction(db, async (tx) => {
      await write(tx, `lapsing-${task.attempt}`);
      if (task.attempt === 0) {
        await queue.confirm(db, "fanout", [task]);
        await takeAway(task.id);
        await eventually(() => seen.includes("lapsing 1"), "another worker to have it");
        await assert.rejects(() => queue.confirm(db, "fanout", [task]), ClaimLostError);
      }
      await queue.finish(tx, "fanout", [task]);
    });
    await work.catch((error: unknown) => faults.push(error));
  });
  await pass("lapsing");
  await eventually(async () => faults.length === 1 && (await tasksOf("lapsing")).length === 0, "both to end");
  assert.ok(faults[0] instanceof ClaimLostError);
  assert.deepEqual([await isWritten("lapsing-0"), await isWritten("lapsing-1")], [false, true]);
});

test("one lost claim among several tasks refuses all", async () => {
  const held: Task<{ mark: string }>[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  for (const mark of ["pair-a", "pair-b"]) {
    handlers.set(mark, async (task) => {
      held.push(task);
      await released;
      await queue.finish(db, "fanout", [task]);
    });
    await pass(mark);
  }
  await eventually(() => held.length === 2, "both to be held");
  await queue.confirm(db, "fanout", held);
  const stale = [held[0]!, { ...held[1]!, attempt: held[1]!.attempt + 1 }];
  await assert.rejects(() => inTransaction(db, (tx) => queue.finish(tx, "fanout", stale)), ClaimLostError);
  assert.equal((await tasksOf("pair-%")).length, 2);
  release();
  await eventually(async () => (await tasksOf("pair-%")).length === 0, "both to be finished");
});

test("a kept task stays claimed after its worker returned, as long as it is held", async () => {
  const { promise, resolve } = Promise.withResolvers<Task<{ mark: string }>>();
  handlers.set("keeping", async (task) => {
    const [kept] = await queue.keep(db, "fanout", [task]);
    await assert.rejects(() => queue.keep(db, "fanout", [task]), ClaimLostError, "the old claim is void");
    queue.hold("fanout", [kept!]);
    resolve(kept!);
  });
  await pass("keeping");
  const kept = await promise;
  // The worker has returned when it fetches other tasks; the first task is not marked as finished.
  await pass("after-keeping");
  await eventually(async () => (await tasksOf("after-keeping")).length === 0, "the worker to go on");
  const [before] = await tasksOf("keeping");
  assert.equal(before?.state, "active");
  await eventually(async () => (await tasksOf("keeping"))[0]!.heartbeat > before!.heartbeat, "a heartbeat");
  await queue.finish(db, "fanout", [kept]);
  queue.letGo([kept]);
  assert.deepEqual(await tasksOf("keeping"), []);
});

test("fair shares: many tasks of one environment do not delay a task of another", async () => {
  const crowd = Array.from({ length: 400 }, (_, n) => ({
    data: { mark: `crowd-${n}` },
    environmentId: "crowd",
    cost: 10,
  }));
  await queue.enqueue(db, "unsnooze", crowd);
  await queue.enqueue(db, "unsnooze", [{ data: { mark: "newcomer" }, environmentId: "newcomer" }]);
  const { rows } = await sql<{ mark: string }>`select data->>'mark' as mark from queue.job
    where name = 'unsnooze' order by priority desc, created_on`.execute(db);
  const place = rows.findIndex((row) => row.mark === "newcomer");
  assert.ok(place <= 20, `${place} are ahead of it`);
  await sql`delete from queue.job where name = 'unsnooze'`.execute(db);
});

test("a worker gets the environment of each task", async () => {
  const owners: (string | undefined)[] = [];
  handlers.set("owned", async (task) => {
    owners.push(task.environmentId);
    await queue.finish(db, "fanout", [task]);
  });
  await queue.enqueue(db, "fanout", [{ data: { mark: "owned" }, environmentId: "its-environment" }]);
  await eventually(() => owners.length === 1, "the task to be worked");
  assert.deepEqual(owners, ["its-environment"]);
});

test("a task can be scheduled for a time, or for some seconds later", async () => {
  const moment = new Date(Date.now() + 3_600_000);
  await queue.enqueue(db, "trigger", [
    { data: { mark: "later-1" }, startAfter: moment },
    { data: { mark: "later-2" }, startAfter: 3_600 },
    { data: { mark: "later-3" } },
  ]);
  const [first, second, third] = await tasksOf("later-%");
  assert.equal(first?.startAfter.getTime(), moment.getTime());
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  const wait = second!.startAfter.getTime() - rows[0]!.now.getTime();
  assert.ok(wait > 3_500_000 && wait <= 3_600_000);
  assert.ok(third!.startAfter <= rows[0]!.now);
});

/** A claim of a process that was killed a moment ago. */
const orphan = async (from: Db, opened: Queue, mark: string): Promise<void> => {
  await opened.enqueue(from, "trigger", [{ data: { mark } }]);
  await sql`update queue.job set state = 'active', started_on = now(), heartbeat_on = now()
    where data->>'mark' = ${mark}`.execute(from);
};

test("a process that starts alone takes over the tasks of a dead one at once", async (context) => {
  const other = await createTestDatabase();
  const otherDb = openDb({ url: other.url, poolSize: 2, onError: () => {} });
  context.after(async () => {
    await otherDb.destroy();
    await other.drop();
  });
  const before = await openQueue({ url: other.url, onError: () => {} });
  await orphan(otherDb, before, "orphan");
  await before.stop();
  const next = await openQueue({ url: other.url, onError: () => {} });
  const [task] = await tasksOf("orphan", otherDb);
  await next.stop();
  assert.equal(task?.state, "retry");
});

test("a process that starts beside a running one does not take its claims", async () => {
  await orphan(db, queue, "in-use");
  const [before] = await tasksOf("in-use");
  const second = await openQueue({ url: database.url, onError: () => {} });
  const [task] = await tasksOf("in-use");
  await second.stop();
  assert.equal(task?.state, "active");
  assert.deepEqual(task?.heartbeat, before?.heartbeat);
});

test("a task that always fails does not delay the other tasks of its batch", async (context) => {
  const other = await createTestDatabase();
  const otherDb = openDb({ url: other.url, poolSize: 4, onError: () => {} });
  const otherQueue = await openQueue({ url: other.url, onError: () => {} });
  const io = createIo({ resolveHost: () => Promise.reject(new Error("no network")), capture: async () => {} });
  context.after(async () => {
    await otherQueue.stop();
    await io.close();
    await otherDb.destroy();
    await other.drop();
  });
  const logs: Record<string, unknown>[] = [];
  // The parts of the context that the stages use.
  const ctx: Partial<NetworkCtx> = {
    config: readConfig({ TIDINGS_WORKER_CONCURRENCY: "1" }),
    db: otherDb,
    queue: otherQueue,
    log: pino({ level: "error" }, { write: (line: string) => void logs.push(JSON.parse(line)) }),
    metrics: createMetrics(),
    secrets: createSecrets([{ version: 1, key: randomBytes(32) }]),
    io,
    now: () => new Date(),
    newId,
    versions: new LRUCache({ max: 10 }),
    variables: new LRUCache({ max: 10 }),
    keyOwners: new LRUCache({ max: 10 }),
    hints: { add: () => {} },
  };
  // Enqueued before the workers start, so that they are fetched as one batch. The ids of the invalid tasks are invalid.
  const marks = ["good-1", "bad-1", "good-2", "bad-2", "good-3"];
  const ids = (mark: string) => (mark.startsWith("bad") ? ["not an id"] : [newId()]);
  await otherQueue.enqueue(
    otherDb,
    "wake",
    marks.map((mark) => ({ data: { mark, notificationIds: ids(mark) }, environmentId: newId() })),
  );
  await startWorkers(ctx as NetworkCtx, { isFirst: true, countThreads: () => 1 });
  await eventually(async () => (await tasksOf("good-%", otherDb)).length === 0, "the good ones to be worked");
  const bad = await eventually(async () => {
    const rows = await tasksOf("bad-%", otherDb);
    return rows.every((row) => row.attempt > 0 || row.state === "retry") ? rows : null;
  }, "the bad ones to be given back");
  assert.equal(bad.length, 2, "nothing accepted is given up");
  assert.ok(logs.some((entry) => entry.msg === "tasks failed and will be repeated"));
});
