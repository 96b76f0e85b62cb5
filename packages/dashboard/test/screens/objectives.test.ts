// The objectives of a workflow: the percentage that is typed, and what is said about the error budget.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectiveState } from "@tidings/contract";
import { isPercent, readPercent } from "../../src/screens/workflows/objectives/percent.ts";
import { words } from "../../src/screens/workflows/objectives/words.ts";

test("a percentage has a point or a comma, and at most two decimals", () => {
  assert.equal(readPercent("99,5"), 99.5);
  assert.equal(readPercent("99.95"), 99.95);
  assert.equal(readPercent("many"), 0);
  assert.deepEqual([50, 99.99, 49.99, 100, 99.999, 0].map(isPercent), [true, true, false, false, false, false]);
});

test("the pace at which the error budget is used up, in a sentence", () => {
  const paceOf = (budgetLeft: number | null, burnRate: number | null, usedUpInDays: number | null) =>
    words.paceOf({ budgetLeft, usedUpInDays, windows: [{ hours: 24, burnRate }] } as unknown as ObjectiveState);
  assert.equal(paceOf(null, null, null), "Nothing to measure yet.");
  assert.equal(paceOf(0, 6, 1), "The budget of 30 days is used up: the objective is missed.");
  assert.equal(paceOf(0.2, null, null), "No messages in the last 24 hours.");
  assert.equal(paceOf(0.2, 0, null), "Nothing went wrong in the last 24 hours.");
  assert.equal(paceOf(0.2, 1, 6), "At this pace the objective is met.");
  assert.equal(paceOf(0.2, 6, 1), "At this pace the budget of 30 days is used up in 1 day.");
  assert.equal(paceOf(0.2, 9, 0.6), "At this pace the budget of 30 days is used up within a day.");
});

test("an objective is named by what it asks for", () => {
  const handedOver = { kind: "handedOver", percent: 99.5, withinSeconds: 10 } as ObjectiveState;
  assert.equal(words.titleOf(handedOver), "99.5 % handed over within 10 s");
  assert.equal(words.titleOf({ kind: "delivered", percent: 98 } as ObjectiveState), "98 % delivered");
});
