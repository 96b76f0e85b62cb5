import assert from "node:assert/strict";
import { test } from "node:test";
import { type TimeUnit, timeUnits } from "@tidings/contract";
import fc from "fast-check";
import { addTime, readWait } from "../../../src/pipeline/rules/waits.ts";

const at = (text: string): Date => new Date(text);

test("months are calendar months, clamped to the last day", () => {
  const table: [from: string, amount: number, unit: TimeUnit, to: string][] = [
    ["2025-01-31T10:00:00Z", 1, "months", "2025-02-28T10:00:00Z"],
    ["2024-01-31T10:00:00Z", 1, "months", "2024-02-29T10:00:00Z"],
    ["2025-01-31T10:00:00Z", 2, "months", "2025-03-31T10:00:00Z"],
    ["2025-03-31T23:59:59.999Z", 1, "months", "2025-04-30T23:59:59.999Z"],
    ["2025-12-31T00:00:00Z", 2, "months", "2026-02-28T00:00:00Z"],
    ["2025-11-15T08:30:00Z", 14, "months", "2027-01-15T08:30:00Z"],
    ["2025-01-01T00:00:00Z", 1, "seconds", "2025-01-01T00:00:01Z"],
    ["2025-01-01T00:00:00Z", 90, "minutes", "2025-01-01T01:30:00Z"],
    ["2025-01-01T00:00:00Z", 25, "hours", "2025-01-02T01:00:00Z"],
    ["2025-02-28T00:00:00Z", 1, "days", "2025-03-01T00:00:00Z"],
    ["2024-12-30T00:00:00Z", 1, "weeks", "2025-01-06T00:00:00Z"],
  ];
  for (const [from, amount, unit, to] of table) {
    assert.equal(addTime(at(from), amount, unit).toISOString(), at(to).toISOString(), `${from} + ${amount} ${unit}`);
  }
});

const moment = fc.date({ min: at("2000-01-01T00:00:00Z"), max: at("2100-01-01T00:00:00Z"), noInvalidDate: true });

test("a wait always ends later than it began, and a longer one later still", () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: 1, max: 1000 }), fc.constantFrom(...timeUnits), (from, amount, unit) => {
      const until = addTime(from, amount, unit);
      assert.ok(until > from);
      assert.ok(addTime(from, amount + 1, unit) > until);
    }),
  );
});

test("adding months keeps the time of day and never leaves the month that was meant", () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: 1, max: 240 }), (from, amount) => {
      const until = addTime(from, amount, "months");
      const months = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();
      assert.equal(months(until), months(from) + amount);
      assert.ok(until.getUTCDate() <= from.getUTCDate());
      assert.equal(until.getTime() % 86_400_000, from.getTime() % 86_400_000);
    }),
  );
});

test("what is not a whole positive amount of a known unit is no wait", () => {
  const now = at("2025-01-01T00:00:00Z");
  const faulty: Record<string, unknown>[] = [
    {},
    { amount: 1 },
    { unit: "hours" },
    { amount: 0, unit: "hours" },
    { amount: -5, unit: "hours" },
    { amount: 1.5, unit: "hours" },
    { amount: "1", unit: "hours" },
    { amount: Number.NaN, unit: "hours" },
    { amount: Number.POSITIVE_INFINITY, unit: "hours" },
    { amount: 1, unit: "years" },
    { amount: 1, unit: "toString" },
    { amount: 1, unit: "__proto__" },
    { amount: 1, unit: null },
    { amount: null, unit: "hours" },
  ];
  for (const values of faulty) {
    assert.deepEqual(readWait(values, now, 90), { fault: "invalid" }, JSON.stringify(values));
  }
});

test("the longest wait is allowed, a second more is not", () => {
  const now = at("2025-01-01T00:00:00Z");
  assert.deepEqual(readWait({ amount: 90, unit: "days" }, now, 90), { until: at("2025-04-01T00:00:00Z") });
  assert.deepEqual(readWait({ amount: 90 * 86_400 + 1, unit: "seconds" }, now, 90), { fault: "too_long" });
  assert.deepEqual(readWait({ amount: 3, unit: "months" }, now, 90), { until: at("2025-04-01T00:00:00Z") });
  assert.deepEqual(readWait({ amount: 4, unit: "months" }, now, 90), { fault: "too_long" });
  // Amounts beyond what a date can hold are too long, not invalid dates that never come.
  for (const unit of timeUnits) {
    assert.deepEqual(readWait({ amount: Number.MAX_SAFE_INTEGER, unit }, now, 3650), { fault: "too_long" }, unit);
  }
});
