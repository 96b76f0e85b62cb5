import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createFairQueue, maxLagMs, priorityAt, sharePerSecond } from "../../../src/lib/load/fair-queue.ts";

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
  queue.resetLags();
  assert.equal(queue.assignPriority(entry("busy", start, 100, "lane"), start), priorityAt(start));
  assert.ok(Math.abs(priorityAt(Date.UTC(2087, 0, 1))) < 2 ** 31);
});
