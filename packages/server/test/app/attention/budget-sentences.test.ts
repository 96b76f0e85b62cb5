// What a change of the attention budget means, in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttentionBudget } from "@tidings/contract";
import { describeBudgets } from "../../../src/app/attention/budget-sentences.ts";

const emails = (more: Partial<AttentionBudget> = {}): AttentionBudget => ({
  channel: "email",
  limit: 3,
  window: { amount: 1, unit: "day" },
  ...more,
});
const texts = emails({ channel: "sms", limit: 1, window: { amount: 2, unit: "week" }, overflow: "drop" });

const cases: [before: AttentionBudget[], after: AttentionBudget[], sentences: string[]][] = [
  [[], [emails()], ["At most 3 emails a day; what is over it is rolled up"]],
  [[], [texts], ["At most 1 SMS in 2 weeks; what is over it is dropped"]],
  [[emails()], [], ["There is no longer a limit of 3 emails a day"]],
  [[emails()], [emails({ classes: ["transactional", "promotional"], overflow: "roll_up", rollUpAt: null })], []],
  [
    [emails({ rollUpAt: "18:00" })],
    [emails({ limit: 2, rollUpAt: "18:00" })],
    ["At most 3 emails a day become at most 2; what is over it is rolled up at 18:00"],
  ],
  [
    [emails({ limit: 1 })],
    [emails({ limit: 5, window: { amount: 1, unit: "hour" }, overflow: "delay" })],
    ["At most 1 email a day becomes at most 5 emails an hour; what is over it is delayed"],
  ],
  [
    [emails({ classes: ["promotional"] })],
    [emails({ classes: ["promotional"], rollUpAt: "07:30" })],
    ["At most 3 promotional emails a day: what is over it is rolled up at 07:30, was rolled up"],
  ],
  [
    [emails(), texts],
    [texts, emails()],
    ["The budgets are checked in another order: the first one that is full decides"],
  ],
  [
    [emails(), emails({ limit: 9, window: { amount: 1, unit: "week" } })],
    [emails({ limit: 8, window: { amount: 1, unit: "week" } }), texts],
    [
      "At most 9 emails a week become at most 8; what is over it is rolled up",
      "At most 1 SMS in 2 weeks; what is over it is dropped",
      "There is no longer a limit of 3 emails a day",
    ],
  ],
];

test("there is one sentence for each budget that differs", () => {
  for (const [before, after, sentences] of cases) assert.deepEqual(describeBudgets({ before, after }), sentences);
});
