// The attention budget in words and as a form, without a browser.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AttentionBudget } from "@tidings/contract";
import { budgetOf, faultsAt, fieldsOf } from "../src/screens/attention/budget-fields.ts";
import { budgetSentence, words } from "../src/screens/attention/words.ts";

const day = { amount: 1, unit: "day" } as const;
describe("the words of a budget", () => {
  const sentences: [AttentionBudget, string][] = [
    [{ channel: "email", limit: 3, window: day }, "At most 3 emails a day; the rest is rolled up"],
    [
      { channel: "sms", limit: 1, window: { amount: 2, unit: "week" }, overflow: "roll_up", rollUpAt: "18:00" },
      "At most 1 SMS message in 2 weeks; the rest is rolled up at 18:00",
    ],
    [
      { channel: "push", classes: ["promotional"], limit: 2, window: { amount: 1, unit: "hour" }, overflow: "drop" },
      "At most 2 promotional push messages an hour; the rest is not sent",
    ],
    [
      { channel: "in_app", limit: 5, window: { amount: 1, unit: "week" }, overflow: "delay" },
      "At most 5 in-app messages a week; the rest waits for a free place",
    ],
  ];
  for (const [budget, sentence] of sentences) test(sentence, () => assert.equal(budgetSentence(budget), sentence));

  test("messages of the service name the budget as the screen does", () => {
    assert.equal(
      words.fault("budgets.1.window must not be longer than 90 days"),
      "Window must not be longer than 90 days",
    );
    assert.equal(
      words.fault("budgets.1 has the window of budgets.0: remove one of them"),
      "Budget 2 has the window of budget 1: remove one of them",
    );
  });
});

describe("the form of a budget", () => {
  test("an unchanged form is no change", () => {
    const classes: AttentionBudget["classes"] = ["transactional", "promotional"];
    const budget = {
      channel: "email",
      classes,
      limit: 3,
      window: day,
      overflow: "roll_up",
      rollUpAt: "18:00",
    } as const;
    assert.deepEqual(budgetOf(fieldsOf(budget)), budget);
  });

  test("a time of day is only for roll-ups, and text that is no number stays text", () => {
    const fields = { ...fieldsOf(undefined), rollUpAt: "18:00", overflow: "drop" as const, limit: "a few" };
    assert.deepEqual(budgetOf(fields), {
      channel: "email",
      classes: ["transactional", "promotional"],
      limit: "a few",
      window: day,
      overflow: "drop",
    });
  });

  test("errors belong to their budget", () => {
    const fields = { "budgets.1": "twin", "budgets.1.window.amount": "amount", "budgets.10.limit": "limit" };
    assert.deepEqual(faultsAt(fields, 1), { "": "twin", "window.amount": "amount" });
  });
});
