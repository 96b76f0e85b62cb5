import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskPriority } from "../../../src/lib/load/fair-queue.ts";
import {
  endCall,
  newLoad,
  nextTryByRate,
  slotsFor,
  takeSlot,
  waitForSlot,
} from "../../../src/pipeline/deliver/pacing.ts";

const start = 1_700_000_000_000;

test("without a rate limit every message goes, up to the number of calls in flight", () => {
  const load = newLoad();
  const kinds = Array.from({ length: 5 }, () => takeSlot(load, 3, { now: start }).kind);
  assert.deepEqual(kinds, ["go", "go", "go", "wait", "wait"]);
  endCall(load, 100);
  assert.equal(takeSlot(load, 3, { now: start }).kind, "go");
});

test("a provider that takes long gets a quarter of the slots, until it is quick again", () => {
  const load = newLoad();
  assert.equal(slotsFor(load, 200), 200);
  const take = (ms: number) => {
    for (let call = 0; call < 30; call++) endCall(load, ms);
  };
  take(5_000);
  assert.equal(slotsFor(load, 200), 50);
  assert.equal(slotsFor(load, 1), 1);
  take(100);
  assert.equal(slotsFor(load, 200), 200);
});

test("messages over the rate limit come back as far apart as calls may be, and within 15 minutes", () => {
  const load = newLoad();
  const times = Array.from({ length: 40 }, () => nextTryByRate(load, 4, { now: start }));
  for (const [index, time] of times.entries()) assert.equal(time, start + 500 + (index + 1) * 250);
  assert.equal(nextTryByRate(newLoad(), 0.001, { now: start }), start + 15 * 60_000);
});

test("high and low messages have slots for themselves, and together exceed the limit by these only", () => {
  const load = newLoad();
  const take = (priority: TaskPriority, times = 50) =>
    Array.from({ length: times }, () => takeSlot(load, 20, { priority, now: start })).filter(
      ({ kind }) => kind === "go",
    ).length;
  assert.equal(take("normal"), 20);
  assert.deepEqual([take("high"), take("low"), take("normal")], [2, 2, 0]);
  endCall(load, 10, "high");
  assert.deepEqual([take("low"), take("normal"), take("high")], [0, 0, 1]);
});

test("a high message does not try again after those of low priority that wait", () => {
  const load = newLoad();
  for (let message = 0; message < 1_000; message++) nextTryByRate(load, 4, { priority: "low", now: start });
  assert.ok(nextTryByRate(load, 4, { priority: "high", now: start }) <= start + 1_000);
  for (let message = 0; message < 1_000; message++) waitForSlot(load, 1, { priority: "low", now: start });
  const waits = waitForSlot(load, 1, { priority: "high", now: start });
  assert.ok(waits.kind === "wait" && waits.until <= start + load.averageMs);
});
