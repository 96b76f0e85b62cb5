// The week of a schedule between the times of the API and the fields of the form.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addHours, days, fromField, toField, weekOf, withDay } from "../../src/screens/subscribers/schedule-hours.ts";

test("times go into fields and come back unchanged, at noon and midnight too", () => {
  const pairs = [
    ["12:00 AM", "00:00"],
    ["08:30 AM", "08:30"],
    ["12:15 PM", "12:15"],
    ["09:30 PM", "21:30"],
  ] as const;
  for (const [time, field] of pairs) {
    assert.equal(toField(time), field);
    assert.equal(fromField(field), time);
  }
  assert.equal(fromField("9"), null, "not complete");
  assert.equal(toField("soon"), "");
});

test("who has no schedule starts with working hours, and a day is changed alone", () => {
  const week = weekOf(undefined);
  assert.deepEqual(
    days.filter((day) => week[day]?.isEnabled),
    ["monday", "tuesday", "wednesday", "thursday", "friday"],
  );
  const hours = [{ start: "08:30 AM", end: "05:00 PM" }];
  const changed = withDay(week, "monday", { hours });
  assert.deepEqual(changed.monday, { isEnabled: true, hours });
  assert.deepEqual({ ...changed, monday: undefined }, { ...week, monday: undefined });
  assert.deepEqual(withDay({}, "sunday", {}), { sunday: { isEnabled: false } });
  assert.deepEqual(weekOf({ isEnabled: true, weeklySchedule: changed }), changed);
  assert.equal(addHours(hours).length, 2);
});
