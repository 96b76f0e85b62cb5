// The rules of own limits, against an interpreter that tries every number of messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AttentionBudget,
  type BudgetedClass,
  budgetedClasses,
  type OwnLimit,
  windowUnits,
} from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import { formValue, readFormValue, readOwnLimits, viewOwnLimits } from "../../../src/app/attention/own-limits.ts";
import { refusalOf } from "../../../src/failure.ts";

const hours = { hour: 1, day: 24, week: 168 };
const classes = fc.constantFrom<BudgetedClass[]>([...budgetedClasses], ["transactional"], ["promotional"]);
const limit = fc.integer({ min: 1, max: 12 });
const unit = fc.constantFrom(...windowUnits);
const budget = fc.record({
  channel: fc.constant("email" as const),
  classes,
  limit,
  window: fc.record({ amount: fc.integer({ min: 1, max: 30 }), unit }),
});
const own = fc.record({ limit, unit }, { noNullPrototype: true });

/** Whether the budgets alone let more messages through in one unit than the person wants. */
function canExceed(budgets: AttentionBudget[], wanted: OwnLimit): boolean {
  const longer = budgets.filter(({ window }) => window.amount * hours[window.unit] >= hours[wanted.unit]);
  const numbers = Array.from({ length: 26 }, (_, n) => n);
  return numbers.some((transactional) =>
    numbers.some((promotional) => {
      const sent = { transactional, promotional };
      const isAllowed = longer.every((one) => one.classes!.reduce((sum, name) => sum + sent[name], 0) <= one.limit);
      return isAllowed && transactional + promotional > wanted.limit;
    }),
  );
}

test("a limit is accepted if and only if the budgets alone could exceed it, and forms offer only such limits", () => {
  fc.assert(
    fc.property(fc.array(budget, { minLength: 1, maxLength: 4 }), own, (budgets, wanted) => {
      const refusal = refusalOf(() => readOwnLimits(budgets, { email: wanted }));
      assert.equal(refusal === null, canExceed(budgets, wanted));
      const [shown] = viewOwnLimits(budgets, null);
      for (const choice of shown!.choices) assert.ok(canExceed(budgets, choice), JSON.stringify(choice));
      const [stored] = viewOwnLimits(budgets, { email: wanted });
      assert.ok(stored!.choices.some((one) => formValue(one) === formValue(wanted)));
    }),
    { numRuns: 300 },
  );
});

test("what a form submits is read back, and nothing else is", () => {
  fc.assert(fc.property(own, (wanted) => assert.deepEqual(readFormValue(formValue(wanted)), wanted)));
  assert.equal(readFormValue(formValue(null)), null);
  assert.deepEqual(readFormValue("100-day"), { limit: 100, unit: "day" });
  for (const bad of [
    "0-day",
    "101-day",
    "-1-day",
    "1.5-day",
    "3-month",
    "3-constructor",
    "3",
    "day",
    " 3-day",
    "1e1-day",
  ])
    assert.equal(readFormValue(bad), undefined, bad);
});

test("where the budget is one message, nothing is lower", () => {
  const budgets: AttentionBudget[] = [{ channel: "email", limit: 1, window: { amount: 1, unit: "day" } }];
  const refusal = refusalOf(() => readOwnLimits(budgets, { email: { limit: 1, unit: "day" } }));
  assert.match(
    JSON.stringify(refusal?.extra.errors),
    /channels\.email cannot be set per day: the environment allows no more than 1 message per day already/,
  );
  assert.deepEqual(readOwnLimits(budgets, { email: { limit: 3, unit: "week" } }), {
    email: { limit: 3, unit: "week" },
  });
});
