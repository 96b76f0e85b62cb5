import assert from "node:assert/strict";
import { test } from "node:test";
import { admit, askLater, leave, newLane, placesIn } from "../../../src/pipeline/deliver/pacing.ts";

const start = 1_700_000_000_000;

test("without a rate everybody goes, up to the number that may be under way", () => {
  const lane = newLane();
  const kinds = Array.from({ length: 5 }, () => admit(lane, 3, start).kind);
  assert.deepEqual(kinds, ["go", "go", "go", "wait", "wait"]);
  leave(lane, 100);
  assert.equal(admit(lane, 3, start).kind, "go");
});

test("a provider that takes long gets a quarter of the places, until it is quick again", () => {
  const lane = newLane();
  assert.equal(placesIn(lane, 200), 200);
  const take = (ms: number) => {
    for (let call = 0; call < 30; call++) leave(lane, ms);
  };
  take(5_000);
  assert.equal(placesIn(lane, 200), 50);
  assert.equal(placesIn(lane, 1), 1);
  take(100);
  assert.equal(placesIn(lane, 200), 200);
});

test("those that wait for the rate come back as far apart as calls may be, and within 15 minutes", () => {
  const lane = newLane();
  const times = Array.from({ length: 40 }, () => askLater(lane, 4, start));
  for (const [index, time] of times.entries()) assert.equal(time, start + 500 + (index + 1) * 250);
  assert.equal(askLater(newLane(), 0.001, start), start + 15 * 60_000);
});
