import assert from "node:assert/strict";
import { test } from "node:test";
import { mapWithPauses } from "../../../src/lib/load/pauses.ts";

test("work that runs at the same time takes turns: between two slices, the event loop has a round of its own", async () => {
  const slices: string[] = [];
  let isRunning = true;
  const watch = () => {
    if (slices.at(-1) !== "round") slices.push("round");
    if (isRunning) setImmediate(watch);
  };
  setImmediate(watch);
  const work = (name: string) =>
    mapWithPauses([1, 2, 3], () => {
      slices.push(name);
      const end = performance.now() + 25;
      while (performance.now() < end);
    });
  await Promise.all([work("a"), work("b"), work("c")]);
  isRunning = false;
  assert.equal(slices.filter((slice) => slice !== "round").length, 9);
  const neighbours = slices.filter((slice, at) => slice !== "round" && at > 0 && slices[at - 1] !== "round");
  assert.deepEqual(neighbours, []);
});
