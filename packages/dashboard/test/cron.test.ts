// Cron expressions as plans, words and next times.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { cronText, nextTimes, type Plan, readPlan, writePlan } from "../src/fields/cron.ts";

const texts: [cron: string, text: string | undefined, isPlan: boolean][] = [
  ["0 9 * * 1", "Mondays at 09:00", true],
  ["0 9 * * MON-FRI", "Weekdays at 09:00", true],
  ["30 17 ? * SUN,SAT", "Weekends at 17:30", true],
  ["0 9 * * 1,4,0", "Mondays, Thursdays and Sundays at 09:00", true],
  ["5 8 * * *", "Every day at 08:05", true],
  ["0 * * * *", "Every hour", true],
  ["10 * * * *", "Every hour at minute 10", true],
  ["0 9 31 * *", "On day 31 of the month at 09:00", true],
  ["*/15 * * * *", "Every 15 minutes", false],
  ["* * * * *", "Every minute", false],
  ["0 9,17 * * *", undefined, false],
  ["0 9 1 * 1", undefined, false],
  ["0 9 * 1 *", undefined, false],
  ["every day at 9", undefined, false],
  ["", undefined, false],
];

test("expressions have words, and plans where a form can show them", () => {
  for (const [cron, text, isPlan] of texts) {
    assert.equal(cronText(cron), text, cron);
    assert.equal(readPlan(cron) !== null, isPlan, cron);
  }
});

test("a plan is written as an expression that is read as the same plan", () => {
  const plan: fc.Arbitrary<Plan> = fc.record({
    repeat: fc.constantFrom("hourly", "daily", "weekly", "monthly"),
    minute: fc.integer({ min: 0, max: 59 }),
    hour: fc.integer({ min: 0, max: 23 }),
    weekdays: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
    day: fc.integer({ min: 1, max: 31 }),
  });
  fc.assert(
    fc.property(plan, (given) => {
      const read = readPlan(writePlan(given))!;
      assert.equal(read.repeat, given.repeat);
      assert.equal(writePlan(read), writePlan(given));
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => void [cronText(text), readPlan(text), nextTimes(text, 0)]));
});

test("the next times are those of the service's rule; a fault names the field", () => {
  const monday = Date.UTC(2026, 10, 16, 9);
  assert.deepEqual(nextTimes("0 9 * * 1", monday), {
    times: ["Mon 23 Nov, 09:00", "Mon 30 Nov, 09:00", "Mon 7 Dec, 09:00"],
  });
  assert.match(JSON.stringify(nextTimes("every day at 9", monday)), /five fields/);
  assert.match(JSON.stringify(nextTimes("0 25 * * *", monday)), /hour must be from 0 to 23/);
  assert.match(JSON.stringify(nextTimes("0 0 31 2 *", monday)), /never comes/);
});
