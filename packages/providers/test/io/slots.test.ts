import assert from "node:assert/strict";
import { test } from "node:test";
import { createSlots } from "../../src/io/slots.ts";

test("the next slot goes to who waited longest, but to an urgent caller first", async () => {
  const slots = createSlots(1, 10_000, () => new Error("too long"));
  assert.equal(slots.acquire(), undefined);
  const order: string[] = [];
  const callers: [string, boolean][] = [
    ["first", false],
    ["second", false],
    ["urgent", true],
    ["later urgent", true],
  ];
  const waits = callers.map(([name, isUrgent]) => slots.acquire(isUrgent)!.then(() => order.push(name)));
  for (const _ of waits) {
    slots.release();
    await new Promise(setImmediate);
  }
  assert.deepEqual(order, ["urgent", "later urgent", "first", "second"]);
  assert.equal(slots.isIdle(), false);
  slots.release();
  assert.equal(slots.isIdle(), true);
});
