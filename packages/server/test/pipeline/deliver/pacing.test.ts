import assert from "node:assert/strict";
import { test } from "node:test";
import { endCall, newLoad, nextTryByRate, slotsFor, takeSlot } from "../../../src/pipeline/deliver/pacing.ts";

const start = 1_700_000_000_000;

test("without a rate limit every message goes, up to the number of calls in flight", () => {
  const load = newLoad();
  const kinds = Array.from({ length: 5 }, () => takeSlot(load, 3, start).kind);
  assert.deepEqual(kinds, ["go", "go", "go", "wait", "wait"]);
  endCall(load, 100);
  assert.equal(takeSlot(load, 3, start).kind, "go");
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
  const times = Array.from({ length: 40 }, () => nextTryByRate(load, 4, start));
  for (const [index, time] of times.entries()) assert.equal(time, start + 500 + (index + 1) * 250);
  assert.equal(nextTryByRate(newLoad(), 0.001, start), start + 15 * 60_000);
});
