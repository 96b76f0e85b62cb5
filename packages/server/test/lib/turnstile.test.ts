// Places that owners share: no more than there are, no more for one owner than it may have, and turns among those who wait.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Crowded, createTurnstile } from "../../src/lib/turnstile.ts";

const limits = { total: 3, perOwner: 2, waitingPerOwner: 50, waitMs: 60_000 };
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("one owner leaves a place to the others, and waiting owners take turns", async () => {
  const { enter } = createTurnstile(limits);
  const order: string[] = [];
  const come = async (owner: string) => {
    const leave = await enter(owner);
    order.push(owner);
    return leave;
  };
  const [first, second] = [await come("a"), await come("a")];
  const waiting = [come("a"), come("a"), come("a")];
  const other = await come("b");
  assert.deepEqual(order, ["a", "a", "b"]);
  waiting.push(come("b"), come("c"));
  second();
  await settle();
  other();
  await settle();
  first();
  await settle();
  assert.deepEqual(order.slice(3).toSorted(), ["a", "b", "c"], "each of those who waited has had a turn");
  for (const leave of [await waiting[0]!, await waiting[3]!, await waiting[4]!]) leave();
  for (const leave of await Promise.all(waiting.slice(1, 3))) leave();
});

test("too many who wait, and those who wait too long, are turned away", async () => {
  const { enter } = createTurnstile({ total: 1, perOwner: 1, waitingPerOwner: 1, waitMs: 20 });
  const leave = await enter("a");
  const waiting = assert.rejects(enter("a"), Crowded);
  await assert.rejects(enter("a"), Crowded);
  await waiting;
  leave();
  leave();
  (await enter("a"))();
});

test("whatever the order of coming and going, the limits hold and everyone gets in", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ owner: fc.constantFrom("a", "b", "c"), holds: fc.nat(3) }), { maxLength: 40 }),
      async (visits) => {
        const { enter } = createTurnstile(limits);
        const inside = new Map<string, number>();
        const count = () => [...inside.values()].reduce((sum, one) => sum + one, 0);
        await Promise.all(
          visits.map(async ({ owner, holds }) => {
            const leave = await enter(owner);
            inside.set(owner, (inside.get(owner) ?? 0) + 1);
            assert.ok(inside.get(owner)! <= limits.perOwner && count() <= limits.total);
            for (let turn = 0; turn < holds; turn++) await settle();
            inside.set(owner, inside.get(owner)! - 1);
            leave();
          }),
        );
        assert.equal(count(), 0);
      },
    ),
  );
});
