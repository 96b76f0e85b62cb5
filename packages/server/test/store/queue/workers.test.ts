// Which tasks the loops take, against a queue that always has as many of each lane as it is asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "@tidings/testkit/wait";
import { laneOf } from "../../../src/lib/load/fair-queue.ts";
import { startLoops, type Work } from "../../../src/store/queue/workers.ts";

type Lane = "low" | "others";

/** Runs until `batches` are handled; returns how many tasks of each lane they had. */
async function work(waiting: Record<Lane, number>, batches: number): Promise<Record<Lane, number> & { empty: Lane[] }> {
  const done = { low: 0, others: 0 };
  const empty: Lane[] = [];
  let handled = 0;
  const tasks: Work<Lane> = {
    async fetch(limit, { to }) {
      const lane: Lane = to !== undefined && laneOf(to) === "low" ? "low" : "others";
      const taken = Math.min(limit, waiting[lane]);
      waiting[lane] -= taken;
      return Array.from({ length: taken }, () => lane);
    },
    async handle(jobs) {
      await new Promise(setImmediate);
      if (handled < batches) for (const lane of jobs) done[lane]++;
      handled++;
    },
    onEmpty: (backlog) => void empty.push(backlog),
    onError: assert.fail,
    isPaused: () => handled >= batches,
  };
  const workers = startLoops({ batchSize: 10, concurrency: 8 }, tasks);
  workers.wake(true);
  await eventually(() => handled >= batches || (waiting.low === 0 && waiting.others === 0), "the batches");
  await workers.stop();
  return { ...done, empty };
}

test("low tasks get a tenth while others wait without end, and all of it when none does", async () => {
  const endless = Number.POSITIVE_INFINITY;
  const both = await work({ low: endless, others: endless }, 500);
  assert.ok(both.low / (both.low + both.others) >= 0.099, JSON.stringify(both));
  assert.ok(both.low / (both.low + both.others) <= 0.11, JSON.stringify(both));
  assert.equal((await work({ low: endless, others: 0 }, 50)).low, 500);
  assert.equal((await work({ low: 0, others: endless }, 50)).others, 500);
});

test("low tasks behind a few others are found without being announced again", async () => {
  const mixed = await work({ low: 25, others: 3 }, 100);
  assert.deepEqual([mixed.low, mixed.others], [25, 3]);
  assert.ok(mixed.empty.includes("low") && mixed.empty.includes("others"));
});

test("tasks of low priority are asked for once they are announced", async () => {
  let fetches = 0;
  let waiting = 0;
  const workers = startLoops<string>(
    { batchSize: 10, concurrency: 1 },
    {
      async fetch(_limit, { to }) {
        if (to === undefined) return [];
        fetches++;
        const found = Array.from({ length: waiting }, () => "low");
        waiting = 0;
        return found;
      },
      handle: async () => {},
      onEmpty: () => {},
      onError: assert.fail,
    },
  );
  assert.equal(fetches, 0, "a start costs no query");
  workers.wake(false);
  await eventually(() => fetches === 1, "the first look");
  workers.wake(false);
  waiting = 1;
  await new Promise(setImmediate);
  assert.equal(fetches, 1, "an announcement of other tasks costs no query more");
  workers.wake(true);
  await eventually(() => waiting === 0, "the low task to be taken");
  await workers.stop();
});
