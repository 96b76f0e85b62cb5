// Items of one owner that wait for a slot run in one batch.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { createBatcher } from "../../../src/http/triggers/batcher.ts";
import { createFairSemaphore } from "../../../src/lib/load/semaphores.ts";

const limits = { total: 3, perOwner: 2, waitingPerOwner: 1_000, waitMs: 60_000 };
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("an item that arrives alone runs at once; what arrives meanwhile runs in one batch per owner", async () => {
  const runs: string[][] = [];
  const held: (() => void)[] = [];
  const { acquire } = createFairSemaphore({ ...limits, total: 2, perOwner: 1 });
  const add = createBatcher<string, string>({
    ...{ acquire, maxCost: 3, waitMs: 0, costOf: () => 1 },
    async run(items) {
      runs.push(items);
      await new Promise<void>((resolve) => held.push(resolve));
      return items.map((item) => ({ status: "fulfilled", value: item.toUpperCase() }));
    },
  });
  const addOwn = (item: string) => add(item[0]!, item);
  const first = ["a1", "b1"].map(addOwn);
  await settle();
  assert.deepEqual(runs, [["a1"], ["b1"]]);
  const results = [...first, ...["a2", "a3", "a4", "a5", "b2"].map(addOwn)];
  for (let done = 0; done < 6; done++) {
    held.shift()?.();
    await settle();
  }
  assert.deepEqual(runs.slice(2).toSorted(), [["a2", "a3", "a4"], ["a5"], ["b2"]]);
  assert.deepEqual(await Promise.all(results), ["A1", "B1", "A2", "A3", "A4", "A5", "B2"]);
});

test("an item with a free slot waits for others while a batch of its owner is in progress", async () => {
  const runs: string[][] = [];
  let end = () => {};
  const add = createBatcher<string, null>({
    ...{ ...createFairSemaphore(limits), maxCost: 10, waitMs: 5, costOf: () => 1 },
    async run(items) {
      runs.push(items);
      if (items.includes("first")) await new Promise<void>((resolve) => (end = resolve));
      return items.map(() => ({ status: "fulfilled", value: null }));
    },
  });
  const first = add("a", "first");
  await settle();
  const second = add("a", "second");
  await settle();
  await Promise.all([second, add("a", "third")]);
  assert.deepEqual(runs, [["first"], ["second", "third"]]);
  end();
  await first;
});

test("each item has its own result, even when one fails; an error of the batch is the result of all", async () => {
  const add = createBatcher<number, number>({
    ...{ ...createFairSemaphore(limits), maxCost: 10, waitMs: 0, costOf: () => 1 },
    async run(items) {
      await settle();
      if (items.includes(-1)) throw new Error("all of them");
      return items.map((item) =>
        item % 2 ? { status: "rejected", reason: new Error("odd") } : { status: "fulfilled", value: item },
      );
    },
  });
  const outcomes = (items: number[]) =>
    Promise.all(items.map((item) => add("a", item).catch((error: Error) => error.message)));
  assert.deepEqual(await outcomes([0, 1, 2, 3, 4, 5]), [0, "odd", 2, "odd", 4, "odd"]);
  assert.deepEqual(await outcomes([0, -1, 2]), Array(3).fill("all of them"));
  assert.deepEqual(await outcomes([0]), [0], "its slot was released");
});

test("an item that gets no slot is refused, and does not run later", async () => {
  const done: number[] = [];
  const { acquire } = createFairSemaphore({ total: 1, perOwner: 1, waitingPerOwner: 2, waitMs: 60_000 });
  let end = () => {};
  const add = createBatcher<number, null>({
    ...{ acquire, maxCost: 1, waitMs: 0, costOf: () => 1 },
    async run(items) {
      done.push(...items);
      await new Promise<void>((resolve) => (end = resolve));
      return items.map(() => ({ status: "fulfilled", value: null }));
    },
  });
  const results = Promise.allSettled([1, 2, 3, 4].map((item) => add("a", item)));
  for (let round = 0; round < 6; round++) {
    await settle();
    end();
  }
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ["fulfilled", "fulfilled", "fulfilled", "rejected"],
  );
  assert.deepEqual(done, [1, 2, 3]);
});

test("every item runs once, in a batch of one owner within the limits, whenever it arrives", async () => {
  const item = fc.record({ owner: fc.constantFrom("a", "b", "c"), cost: fc.nat(6), arrives: fc.nat(4) });
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 40 }), async (items) => {
      const done = new Map<(typeof items)[number], number>();
      const add = createBatcher<(typeof items)[number], number>({
        ...{ ...createFairSemaphore(limits), maxCost: 5, waitMs: 0, costOf: ({ cost }) => cost },
        async run(taken) {
          assert.equal(new Set(taken.map(({ owner }) => owner)).size, 1);
          assert.ok(taken.length === 1 || taken.reduce((sum, { cost }) => sum + cost, 0) <= 5);
          for (const one of taken) done.set(one, (done.get(one) ?? 0) + 1);
          await settle();
          return taken.map(({ cost }) => ({ status: "fulfilled", value: cost }));
        },
      });
      const answers = await Promise.all(
        items.map(async (one) => {
          for (let turn = 0; turn < one.arrives; turn++) await settle();
          return add(one.owner, one);
        }),
      );
      assert.deepEqual(
        answers,
        items.map(({ cost }) => cost),
      );
      assert.deepEqual(
        [...done.values()],
        items.map(() => 1),
      );
    }),
  );
});
