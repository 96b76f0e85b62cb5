// Slots that owners share: the limits in all and for one owner, and round robin among waiting owners.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { createFairSemaphore, SemaphoreFullError } from "../../../src/lib/load/semaphores.ts";

const limits = { total: 3, perOwner: 2, waitingPerOwner: 50, waitMs: 60_000 };
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("one owner leaves a slot to the others, and waiting owners take turns", async () => {
  const { acquire } = createFairSemaphore(limits);
  const order: string[] = [];
  const acquireSlot = async (owner: string) => {
    const release = await acquire(owner);
    order.push(owner);
    return release;
  };
  const [first, second] = [await acquireSlot("a"), await acquireSlot("a")];
  const waiting = [acquireSlot("a"), acquireSlot("a"), acquireSlot("a")];
  const other = await acquireSlot("b");
  assert.deepEqual(order, ["a", "a", "b"]);
  waiting.push(acquireSlot("b"), acquireSlot("c"));
  second();
  await settle();
  other();
  await settle();
  first();
  await settle();
  assert.deepEqual(order.slice(3).toSorted(), ["a", "b", "c"], "each waiting owner has had a slot");
  for (const release of [await waiting[0]!, await waiting[3]!, await waiting[4]!]) release();
  for (const release of await Promise.all(waiting.slice(1, 3))) release();
});

test("too much waiting work, and work that waits too long, is refused", async () => {
  const { acquire } = createFairSemaphore({ total: 1, perOwner: 1, waitingPerOwner: 1, waitMs: 20 });
  const release = await acquire("a");
  const waiting = assert.rejects(acquire("a"), SemaphoreFullError);
  await assert.rejects(acquire("a"), SemaphoreFullError);
  await waiting;
  release();
  release();
  (await acquire("a"))();
});

test("whatever the order of acquiring and releasing, the limits hold and all work gets a slot", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ owner: fc.constantFrom("a", "b", "c"), holds: fc.nat(3) }), { maxLength: 40 }),
      async (works) => {
        const { acquire } = createFairSemaphore(limits);
        const inside = new Map<string, number>();
        const count = () => [...inside.values()].reduce((sum, one) => sum + one, 0);
        await Promise.all(
          works.map(async ({ owner, holds }) => {
            const release = await acquire(owner);
            inside.set(owner, (inside.get(owner) ?? 0) + 1);
            assert.ok(inside.get(owner)! <= limits.perOwner && count() <= limits.total);
            for (let turn = 0; turn < holds; turn++) await settle();
            inside.set(owner, inside.get(owner)! - 1);
            release();
          }),
        );
        assert.equal(count(), 0);
      },
    ),
  );
});

test("limits may change: with a higher one, waiting work begins with the next release", async () => {
  const changing = { ...limits, total: 10, perOwner: 1 };
  const { acquire } = createFairSemaphore(changing);
  const first = await acquire("a");
  let begun = 0;
  const others = Array.from({ length: 4 }, () => acquire("a").then((release) => ({ release, number: ++begun })));
  changing.perOwner = 3;
  first();
  await Promise.all(others.slice(0, 3));
  assert.equal(begun, 3, "three have begun, and the fourth waits");
  (await others[0]!).release();
  await others[3];
});
