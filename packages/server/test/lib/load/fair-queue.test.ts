import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import {
  createFairQueue,
  laneOf,
  lowRange,
  maxLagMs,
  priorityAt,
  sharePerSecond,
  type TaskPriority,
} from "../../../src/lib/load/fair-queue.ts";

const start = 1_700_000_000_000;
const entry = (environmentId: string, dueAt: number, cost = 1, lane?: string) => ({ environmentId, dueAt, cost, lane });

test("an environment that hands in a million recipients does not keep another's single one waiting", () => {
  const queue = createFairQueue();
  const crowd = Array.from({ length: 10_000 }, () => queue.assignPriority(entry("crowd", start, 100), start));
  const newcomer = queue.assignPriority(entry("newcomer", start + 5_000), start + 5_000);
  const ahead = crowd.filter((priority) => priority >= newcomer).length;
  assert.ok(
    ahead * 100 <= 7 * sharePerSecond,
    `${ahead} tasks are ahead, which is the share of the other one until now`,
  );
  const second = queue.assignPriority(entry("crowd", start + 5_000), start + 5_000);
  assert.ok(second <= Math.min(...crowd), "its own tasks stay in order");
});

test("within its share an environment is never behind one that is beyond its own, whatever the tasks cost", () => {
  const arrival = fc.record({ gapMs: fc.integer({ min: 0, max: 3_000 }), cost: fc.integer({ min: 1, max: 500 }) });
  fc.assert(
    fc.property(fc.array(arrival, { minLength: 1, maxLength: 200 }), (arrivals) => {
      const queue = createFairQueue();
      let now = start;
      let owed = 0;
      for (const [index, { gapMs, cost }] of arrivals.entries()) {
        now += gapMs;
        owed = Math.max(0, owed - (gapMs * sharePerSecond) / 1000);
        const busy = queue.assignPriority(entry("busy", now, cost), now);
        const modest = queue.assignPriority(entry(`modest-${index}`, now), now);
        assert.equal(modest, priorityAt(now), "the modest one is not behind at all");
        if (owed > sharePerSecond) assert.ok(busy < modest, "the busy one is behind");
        assert.ok(busy >= priorityAt(now + maxLagMs), "by no more than the longest lag: it gets its turn");
        owed = Math.min(owed + cost, (maxLagMs * sharePerSecond) / 1000);
      }
    }),
    { numRuns: 40 },
  );
});

test("a backlog in one lane of an environment does not delay another, and many lanes are no larger share", () => {
  const queue = createFairQueue();
  for (let task = 0; task < 1_000; task++) queue.assignPriority(entry("a", start, 4, "campaign"), start);
  assert.equal(queue.assignPriority(entry("a", start, 4, "urgent"), start), priorityAt(start));
  const many = Array.from({ length: 4_000 }, (_, task) =>
    queue.assignPriority(entry("b", start, 4, `lane-${task % 40}`), start),
  );
  const soon = many.filter((priority) => priority > priorityAt(start + 10_000)).length;
  assert.ok(soon * 4 <= 10 * sharePerSecond + 40 * 4 * 2, `${soon} messages within ten seconds`);
});

test("what is due later has its turn then, also when an environment has very much of it", () => {
  const queue = createFairQueue();
  const later = start + 3_600_000;
  const crowd = Array.from({ length: 1_000 }, () => queue.assignPriority(entry("crowd", later, 100), start));
  assert.equal(crowd[0], priorityAt(later));
  const newcomer = queue.assignPriority(entry("newcomer", later + 2_000), later + 2_000);
  assert.ok(crowd.filter((priority) => priority >= newcomer).length <= 3);
  assert.equal(
    queue.assignPriority(entry("crowd", start), start),
    priorityAt(start),
    "what is due now does not wait for it",
  );
});

test("once the queue has run empty no environment is behind, and priorities fit the column", () => {
  const queue = createFairQueue();
  for (let task = 0; task < 100; task++) queue.assignPriority(entry("busy", start, 100, "lane"), start);
  queue.resetLags("others");
  assert.equal(queue.assignPriority(entry("busy", start, 100, "lane"), start), priorityAt(start));
  assert.ok(Math.abs(priorityAt(Date.UTC(2087, 0, 1))) < 2 ** 31);
});

const ranked = (environmentId: string, priority: TaskPriority, at: number, cost = 1) => ({
  ...entry(environmentId, at, cost),
  priority,
});

test("lanes: high within its share goes first, beyond it by its own clock, and low always goes last", () => {
  const arrival = fc.record({
    gapMs: fc.integer({ min: 0, max: 2_000 }),
    cost: fc.integer({ min: 1, max: 300 }),
    environment: fc.constantFrom("a", "b"),
    priority: fc.constantFrom<TaskPriority>("high", "normal", "low"),
  });
  fc.assert(
    fc.property(fc.array(arrival, { minLength: 1, maxLength: 200 }), (arrivals) => {
      const queue = createFairQueue();
      let now = start;
      // The model: what each environment owes of its high share.
      const owed = new Map<string, number>();
      for (const [index, { gapMs, cost, environment, priority }] of arrivals.entries()) {
        now += gapMs;
        for (const [name, cost] of owed) owed.set(name, Math.max(0, cost - (gapMs * sharePerSecond) / 1000));
        const order = queue.assignPriority(ranked(environment, priority, now, cost), now);
        const modest = queue.assignPriority(ranked(`modest-${index}`, "normal", now), now);
        assert.equal(modest, priorityAt(now), "another environment is not behind at all");
        if (priority === "low") {
          assert.equal(laneOf(order), "low");
          const { from, to } = lowRange(now + maxLagMs);
          assert.ok(order >= from && order <= to, "a fetch of low tasks finds it");
          assert.ok(order < priorityAt(now + 2 * maxLagMs), "behind all other tasks");
        }
        if (priority !== "high") continue;
        const debt = owed.get(environment) ?? 0;
        const isWithinShare = (debt * 1000) / sharePerSecond < 1_000;
        assert.equal(laneOf(order), isWithinShare ? "high" : "normal");
        if (!isWithinShare) assert.ok(order <= modest, "a flood of high tasks does not go before another environment");
        owed.set(environment, Math.min(debt + cost, (maxLagMs * sharePerSecond) / 1000));
      }
    }),
    { numRuns: 40 },
  );
});

test("lanes: a flood of one priority delays no task of another", () => {
  const queue = createFairQueue();
  for (let task = 0; task < 10_000; task++) queue.assignPriority(ranked("a", "low", start, 100), start);
  assert.equal(queue.assignPriority(ranked("a", "normal", start), start), priorityAt(start));
  for (let task = 0; task < 10_000; task++) queue.assignPriority(ranked("a", "normal", start, 100), start);
  assert.equal(laneOf(queue.assignPriority(ranked("a", "high", start), start)), "high");
  const late = queue.assignPriority(ranked("b", "low", start), start);
  const crowd = queue.assignPriority(ranked("a", "low", start), start);
  assert.ok(late > crowd, "among low tasks the environments take turns");
  queue.resetLags("low");
  assert.equal(queue.assignPriority(ranked("a", "low", start), start), late);
});

test("lanes: what begins later is not in the high lane, where every fetch would read past it", () => {
  const queue = createFairQueue();
  const later = start + 3_600_000;
  const high = queue.assignPriority(ranked("a", "high", later), start);
  assert.equal(laneOf(high), "normal");
  assert.ok(high > queue.assignPriority(ranked("a", "normal", later), start));
  assert.equal(laneOf(queue.assignPriority(ranked("a", "low", later), start)), "low");
  assert.ok(lowRange(Date.UTC(2053, 0, 1)).from > -(2 ** 31), "and all fit the column");
});
