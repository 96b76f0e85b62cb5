import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { createRateLimiter } from "../../../src/http/auth/rate-limit.ts";
import { createBudgets } from "../../../src/lib/load/budgets.ts";
import { inTransaction, openDb } from "../../../src/store/db.ts";
import { deleteBudgets, reserveCalls, spendBudgets } from "../../../src/store/installation/budgets.ts";
import { migrate } from "../../../src/store/installation/migrate.ts";
import { purgeBudgets } from "../../../src/store/installation/purges.ts";

const database = await createTestDatabase();
const db = openDb({ url: database.url, poolSize: 4, onError: () => {} });
await migrate(db);
atEnd(async () => {
  await db.destroy();
  await database.drop();
});

const sliceMs = 250;
const within = (calls: number, horizonMs = 1_000) => [{ calls, horizonMs }];

/** Reserves calls and returns their times, by the clock of this process. */
async function reserve(name: string, perSecond: number, wanted: number): Promise<number[]> {
  const gapMs = 1_000 / perSecond;
  const [granted] = await inTransaction(db, (tx) =>
    reserveCalls(tx, [{ name, gapMs, groups: within(wanted) }], sliceMs),
  );
  const from = Date.now();
  const { offsetMs } = granted!;
  return Array.from({ length: granted!.granted[0]! }, (_, index) => from + Math.max(0, offsetMs + index * gapMs));
}

test("calls are reserved for the next second only, a gap apart, for all processes together", async () => {
  const perSecond = 20;
  const begun = Date.now();
  // On a busy machine the second passes while the requests wait: each gap that has passed is one more call.
  const passed = () => Math.ceil((Date.now() - begun) / (1_000 / perSecond));
  const both = (await Promise.all([reserve("calls a", perSecond, 100), reserve("calls a", perSecond, 100)])).flat();
  assert.ok(both.length >= perSecond && both.length <= perSecond * 1.25 + 2 + passed(), `${both.length} calls`);
  const more = await reserve("calls a", perSecond, 5);
  assert.ok(more.length <= 1 + passed(), "the second is used up");
  assert.ok((await reserve("calls b", perSecond, 5)).length === 5, "other integrations have calls of their own");
});

test("over several seconds no second sees more than the limit and a slice", async () => {
  const perSecond = 40;
  const moments: number[] = [];
  const end = Date.now() + 2_500;
  const one = async () => {
    while (Date.now() < end) moments.push(...(await reserve("calls c", perSecond, 7)));
  };
  await Promise.all([one(), one(), one()]);
  for (const first of moments) {
    const inSecond = moments.filter((moment) => moment >= first && moment < first + 1_000).length;
    // One more slice for the difference between the clock of the database and ours.
    assert.ok(inSecond <= perSecond * 1.5 + 1, `${inSecond} calls in a second`);
  }
  assert.ok(moments.length >= perSecond * 2.5 - 2, "and none is lost");
});

test("calls with a shorter horizon leave room for those with a longer one, which come right behind them", async () => {
  const gapMs = 10_000;
  const horizons = [40, 30, 10].map((gaps) => gaps * gapMs);
  const reserveAll = async (...calls: number[]) => {
    const groups = calls.map((count, index) => ({ calls: count, horizonMs: horizons[index]! }));
    const [granted] = await inTransaction(db, (tx) => reserveCalls(tx, [{ name: "calls e", gapMs, groups }], sliceMs));
    return { granted: granted!.granted, gaps: Math.round(granted!.offsetMs / gapMs) + 0 };
  };
  assert.deepEqual(await reserveAll(0, 0, 100), { granted: [0, 0, 11], gaps: 0 }, "low takes what its horizon has");
  assert.deepEqual(await reserveAll(1, 0, 5), { granted: [1, 0, 0], gaps: 11 }, "high comes behind it, low no more");
  assert.deepEqual(await reserveAll(2, 100, 1), { granted: [2, 17, 0], gaps: 12 });
  assert.deepEqual(await reserveAll(100, 1, 1), { granted: [10, 0, 0], gaps: 31 }, "high has the rest");
  assert.deepEqual(await reserveAll(1, 1, 1), { granted: [0, 0, 0], gaps: 41 });
});

test("a batch that fails gives its calls back", async () => {
  const failed = inTransaction(db, async (tx) => {
    await reserveCalls(tx, [{ name: "calls d", gapMs: 100, groups: within(5) }], sliceMs);
    throw new Error("changed my mind");
  });
  await assert.rejects(failed, /changed my mind/);
  const [granted] = await reserveCalls(db, [{ name: "calls d", gapMs: 100, groups: within(5) }], sliceMs);
  assert.ok(granted!.offsetMs <= -200);
});

test("two processes share a rate limit", async () => {
  const settle = (spent: Map<string, number>) => spendBudgets(db, spent);
  const now = () => performance.now();
  const processes = [1, 2].map(() => {
    const budgets = createBudgets({ now, settle, max: 100 });
    atEnd(async () => budgets.close());
    return createRateLimiter({ trigger: 100, configuration: 0, global: 0, inbox: 0 }, now, budgets);
  });
  // A bucket holds 550: each process takes 300 at once, and learns at the next settling that it is used up.
  for (const limiter of processes) assert.ok(limiter.take("env", "trigger", 300).isAllowed);
  const ask = () => processes.map((limiter) => limiter.take("env", "trigger", 100));
  await eventually(() => ask().every(({ isAllowed }) => !isAllowed), "both to be refused");
  assert.ok(processes[0]!.take("other", "trigger", 100).isAllowed);
  assert.ok(Number(ask()[1]!.headers["retry-after"]) >= 1);
});

test("while the database is unavailable each process keeps the limit on its own", async () => {
  let tries = 0;
  const settle = async () => {
    tries++;
    throw new Error("away");
  };
  const budgets = createBudgets({ now: () => performance.now(), settle, max: 100 });
  const limiter = createRateLimiter(
    { trigger: 1, configuration: 0, global: 0, inbox: 0 },
    () => performance.now(),
    budgets,
  );
  for (let event = 0; event < 6; event++) assert.equal(limiter.take("env", "trigger", 1).isAllowed, event < 6);
  await eventually(() => tries >= 2, "it to try again");
  assert.equal(limiter.take("env", "trigger", 5).isAllowed, false);
  budgets.close();
});

test("an environment is behind for all processes, by ten minutes at most, until the queue is empty", async () => {
  const settle = (spent: Map<string, number>) => spendBudgets(db, spent);
  const [here, there] = [1, 2].map(() => createBudgets({ now: Date.now, settle, max: 100 }));
  atEnd(async () => {
    here!.close();
    there!.close();
  });
  const longest = 10 * 60_000;
  const lag = (budgets = here) => budgets!.spend("turns trigger b", 1_000, longest) - Date.now();
  here!.spend("turns trigger b", longest, longest);
  await eventually(() => lag(there) > longest / 2, "the other process to know");
  for (let round = 0; round < 5; round++) assert.ok(lag() <= longest && lag(there) <= longest);
  await eventually(() => here!.forget("turns trigger "), "it to know that others know");
  await deleteBudgets(db, "turns trigger ");
  await eventually(() => lag(there) < longest / 2, "the other process to be forgiven");
});

test("budgets are deleted by the prefix of their names, and purged when unused", async () => {
  await spendBudgets(db, new Map([["turns trigger a", 60_000]]));
  await spendBudgets(db, new Map([["turns wake a", 60_000]]));
  await deleteBudgets(db, "turns trigger ");
  const { rows } = await sql<{ name: string }>`select name from budgets where name like 'turns%'`.execute(db);
  assert.deepEqual(rows, [{ name: "turns wake a" }]);
  assert.ok((await purgeBudgets(db, new Date(Date.now() + 3_600_000), 100)) >= 1);
  assert.equal((await sql`select 1 from budgets`.execute(db)).rows.length, 0);
});
