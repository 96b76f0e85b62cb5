import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createTurns, longestLagMs, share, turnAt } from "../../src/lib/fair-turns.ts";

const start = 1_700_000_000_000;
const ticket = (environmentId: string, dueAt: number, cost = 1, way?: string) => ({ environmentId, dueAt, cost, way });

test("an environment that hands in a million recipients does not keep another's single one waiting", () => {
  const turns = createTurns();
  const crowd = Array.from({ length: 10_000 }, () => turns.take(ticket("crowd", start, 100), start));
  const newcomer = turns.take(ticket("newcomer", start + 5_000), start + 5_000);
  const ahead = crowd.filter((turn) => turn >= newcomer).length;
  assert.ok(ahead * 100 <= 7 * share, `${ahead} tasks are ahead, which is the share of the other one until now`);
  const second = turns.take(ticket("crowd", start + 5_000), start + 5_000);
  assert.ok(second <= Math.min(...crowd), "its own tasks stay in order");
});

test("within its share an environment is never behind one that is beyond its own, whatever the tasks cost", () => {
  const arrival = fc.record({ gapMs: fc.integer({ min: 0, max: 3_000 }), cost: fc.integer({ min: 1, max: 500 }) });
  fc.assert(
    fc.property(fc.array(arrival, { minLength: 1, maxLength: 200 }), (arrivals) => {
      const turns = createTurns();
      let now = start;
      let owed = 0;
      for (const [index, { gapMs, cost }] of arrivals.entries()) {
        now += gapMs;
        owed = Math.max(0, owed - (gapMs * share) / 1000);
        const busy = turns.take(ticket("busy", now, cost), now);
        const modest = turns.take(ticket(`modest-${index}`, now), now);
        assert.equal(modest, turnAt(now), "the modest one is not behind at all");
        if (owed > share) assert.ok(busy < modest, "the busy one is behind");
        assert.ok(busy >= turnAt(now + longestLagMs), "by no more than the longest lag: its turn will come");
        owed = Math.min(owed + cost, (longestLagMs * share) / 1000);
      }
    }),
    { numRuns: 40 },
  );
});

test("a busy way of an environment does not hold up a quiet one, and many ways are no larger share", () => {
  const turns = createTurns();
  for (let task = 0; task < 1_000; task++) turns.take(ticket("a", start, 4, "campaign"), start);
  assert.equal(turns.take(ticket("a", start, 4, "urgent"), start), turnAt(start));
  const many = Array.from({ length: 4_000 }, (_, task) => turns.take(ticket("b", start, 4, `way-${task % 40}`), start));
  const soon = many.filter((turn) => turn > turnAt(start + 10_000)).length;
  assert.ok(soon * 4 <= 10 * share + 40 * 4 * 2, `${soon} messages within ten seconds`);
});

test("what is due later has its turn then, also when an environment has very much of it", () => {
  const turns = createTurns();
  const later = start + 3_600_000;
  const crowd = Array.from({ length: 1_000 }, () => turns.take(ticket("crowd", later, 100), start));
  assert.equal(crowd[0], turnAt(later));
  const newcomer = turns.take(ticket("newcomer", later + 2_000), later + 2_000);
  assert.ok(crowd.filter((turn) => turn >= newcomer).length <= 3);
  assert.equal(turns.take(ticket("crowd", start), start), turnAt(start), "what is due now does not wait for it");
});

test("once the queue has run empty no environment is behind, and turns fit the column", () => {
  const turns = createTurns();
  for (let task = 0; task < 100; task++) turns.take(ticket("busy", start, 100, "way"), start);
  turns.forgive();
  assert.equal(turns.take(ticket("busy", start, 100, "way"), start), turnAt(start));
  assert.ok(Math.abs(turnAt(Date.UTC(2087, 0, 1))) < 2 ** 31);
});
