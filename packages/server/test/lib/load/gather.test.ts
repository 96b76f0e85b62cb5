// Work of one owner that waits for a slot is done together.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createGatherer } from "../../../src/lib/load/gather.ts";
import { createFairSemaphore } from "../../../src/lib/load/semaphores.ts";

const limits = { total: 3, perOwner: 2, waitingPerOwner: 1_000, waitMs: 60_000 };
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("an item without others is done at once and alone; what arrives meanwhile is done together, per owner", async () => {
  const runs: string[][] = [];
  const held: (() => void)[] = [];
  const { acquire } = createFairSemaphore({ ...limits, total: 2, perOwner: 1 });
  const gather = createGatherer<string, string>({
    ...{ acquire, mostCost: 3, waitMs: 0, costOf: () => 1 },
    async run(items) {
      runs.push(items);
      await new Promise<void>((resolve) => held.push(resolve));
      return items.map((item) => ({ status: "fulfilled", value: item.toUpperCase() }));
    },
  });
  const add = (item: string) => gather(item[0]!, item);
  const first = ["a1", "b1"].map(add);
  await settle();
  assert.deepEqual(runs, [["a1"], ["b1"]]);
  const results = [...first, ...["a2", "a3", "a4", "a5", "b2"].map(add)];
  for (let done = 0; done < 6; done++) {
    held.shift()?.();
    await settle();
  }
  assert.deepEqual(runs.slice(2).toSorted(), [["a2", "a3", "a4"], ["a5"], ["b2"]]);
  assert.deepEqual(await Promise.all(results), ["A1", "B1", "A2", "A3", "A4", "A5", "B2"]);
});

test("while a run of its owner is under way, an item with a free slot waits for others", async () => {
  const runs: string[][] = [];
  let end = () => {};
  const gather = createGatherer<string, null>({
    ...{ ...createFairSemaphore(limits), mostCost: 10, waitMs: 5, costOf: () => 1 },
    async run(items) {
      runs.push(items);
      if (items.includes("first")) await new Promise<void>((resolve) => (end = resolve));
      return items.map(() => ({ status: "fulfilled", value: null }));
    },
  });
  const first = gather("a", "first");
  await settle();
  const second = gather("a", "second");
  await settle();
  await Promise.all([second, gather("a", "third")]);
  assert.deepEqual(runs, [["first"], ["second", "third"]]);
  end();
  await first;
});

test("each item has its own result, also when one fails; an error of the run is the result of all", async () => {
  const gather = createGatherer<number, number>({
    ...{ ...createFairSemaphore(limits), mostCost: 10, waitMs: 0, costOf: () => 1 },
    async run(items) {
      await settle();
      if (items.includes(-1)) throw new Error("all of them");
      return items.map((item) =>
        item % 2 ? { status: "rejected", reason: new Error("odd") } : { status: "fulfilled", value: item },
      );
    },
  });
  const outcomes = (items: number[]) =>
    Promise.all(items.map((item) => gather("a", item).catch((error: Error) => error.message)));
  assert.deepEqual(await outcomes([0, 1, 2, 3, 4, 5]), [0, "odd", 2, "odd", 4, "odd"]);
  assert.deepEqual(await outcomes([0, -1, 2]), Array(3).fill("all of them"));
  assert.deepEqual(await outcomes([0]), [0], "its slot was released");
});

test("an item that gets no slot is refused, and is not done later", async () => {
  const done: number[] = [];
  const { acquire } = createFairSemaphore({ total: 1, perOwner: 1, waitingPerOwner: 2, waitMs: 60_000 });
  let end = () => {};
  const gather = createGatherer<number, null>({
    ...{ acquire, mostCost: 1, waitMs: 0, costOf: () => 1 },
    async run(items) {
      done.push(...items);
      await new Promise<void>((resolve) => (end = resolve));
      return items.map(() => ({ status: "fulfilled", value: null }));
    },
  });
  const results = Promise.allSettled([1, 2, 3, 4].map((item) => gather("a", item)));
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

test("whatever arrives when, every item is done once, in runs of one owner within the limits", async () => {
  const item = fc.record({ owner: fc.constantFrom("a", "b", "c"), cost: fc.nat(6), arrives: fc.nat(4) });
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 40 }), async (items) => {
      const done = new Map<(typeof items)[number], number>();
      const gather = createGatherer<(typeof items)[number], number>({
        ...{ ...createFairSemaphore(limits), mostCost: 5, waitMs: 0, costOf: ({ cost }) => cost },
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
          return gather(one.owner, one);
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
