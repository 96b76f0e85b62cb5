import assert from "node:assert/strict";
import { test } from "node:test";
import { type TimeUnit, timeUnits } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import { addTime, readLength, readWait, type Wait } from "../../../src/pipeline/rules/waits.ts";
import { zoneOf } from "../../../src/pipeline/rules/zones.ts";

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
    ["2025-03-31T10:00:00Z", -1, "months", "2025-02-28T10:00:00Z"],
    ["2025-01-15T10:00:00Z", -13, "months", "2023-12-15T10:00:00Z"],
    ["2025-01-01T00:00:00Z", -1, "seconds", "2024-12-31T23:59:59Z"],
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

const now = at("2025-01-01T00:00:00Z");
const zone = zoneOf("Europe/Berlin", "UTC");

type Asked = { override?: unknown; scope?: Record<string, unknown>; maxDays?: number };

const ask = (values: Record<string, unknown>, { override, scope = {}, maxDays = 90 }: Asked = {}): Wait =>
  readWait({ values, override, scope: () => scope, now, zone, maxDays });

/** Until when, or the error; the reason is checked where it matters. */
const short = (wait: Wait): string =>
  "until" in wait ? wait.until.toISOString().replace(":00.000Z", "Z") : wait.fault;

test("what is not a whole positive amount of a known unit is no wait, and the reason says why", () => {
  const faulty: [value: unknown, reason: RegExp][] = [
    [undefined, /must be an object with amount and unit/],
    [null, /must be an object/],
    [[1, "hours"], /must be an object/],
    ["1 hour", /must be an object/],
    [{}, /amount must be a whole number/],
    [{ amount: 1 }, /unit must be one of: seconds, minutes/],
    [{ unit: "hours" }, /amount/],
    [{ amount: 0, unit: "hours" }, /amount/],
    [{ amount: -5, unit: "hours" }, /amount/],
    [{ amount: 1.5, unit: "hours" }, /amount/],
    [{ amount: "1", unit: "hours" }, /amount/],
    [{ amount: Number.NaN, unit: "hours" }, /amount/],
    [{ amount: Number.POSITIVE_INFINITY, unit: "hours" }, /amount/],
    [{ amount: 1, unit: "years" }, /unit/],
    [{ amount: 1, unit: "toString" }, /unit/],
    [{ amount: 1, unit: "__proto__" }, /unit/],
    [{ amount: 1, unit: null }, /unit/],
    [{ amount: null, unit: "hours" }, /amount/],
  ];
  for (const [value, reason] of faulty) {
    const wait = readLength(value, now, 90);
    assert.ok("fault" in wait && wait.fault === "invalid", JSON.stringify(value));
    assert.match(wait.reason, reason, JSON.stringify(value));
  }
});

test("the longest wait is allowed, a second more is not", () => {
  const read = (amount: number, unit: TimeUnit, maxDays = 90) => short(readLength({ amount, unit }, now, maxDays));
  assert.equal(read(90, "days"), "2025-04-01T00:00Z");
  assert.equal(read(90 * 86_400 + 1, "seconds"), "too_long");
  assert.equal(read(3, "months"), "2025-04-01T00:00Z");
  assert.equal(read(4, "months"), "too_long");
  // Amounts beyond what a date can hold are too long, not invalid dates that never come.
  for (const unit of timeUnits) assert.equal(read(Number.MAX_SAFE_INTEGER, unit, 3650), "too_long", unit);
});

test("the event's override replaces the length of regular waits only", () => {
  const hour = { amount: 1, unit: "hours" };
  const override = { amount: 2, unit: "days" };
  const table: [values: Record<string, unknown>, override: unknown, expected: string][] = [
    [hour, undefined, "2025-01-01T01:00Z"],
    [hour, override, "2025-01-03T00:00Z"],
    [{ ...hour, type: "regular" }, override, "2025-01-03T00:00Z"],
    [{}, override, "2025-01-03T00:00Z"],
    [{ ...hour, type: "fixed" }, override, "2025-01-01T01:00Z"],
    [{ type: "timed", cron: "0 9 * * *" }, override, "2025-01-01T08:00Z"],
    [{ type: "dynamic", dynamicKey: "in" }, override, "invalid"],
    [hour, { amount: 91, unit: "days" }, "too_long"],
    [{ ...hour, type: "weekly" }, override, "invalid"],
  ];
  for (const [values, given, expected] of table) assert.equal(short(ask(values, { override: given })), expected);
  const malformed: [override: unknown, reason: RegExp][] = [
    [null, /^overrides\.delay must be an object with amount and unit$/],
    ["2 days", /^overrides\.delay must be an object/],
    [{ amount: 0, unit: "days" }, /^overrides\.delay\.amount must be a whole number of at least 1$/],
    [{ amount: 1, unit: "fortnights" }, /^overrides\.delay\.unit must be one of/],
  ];
  for (const [given, reason] of malformed) {
    const wait = ask(hour, { override: given });
    assert.ok("fault" in wait && wait.fault === "invalid");
    assert.match(wait.reason, reason);
  }
});

test("timed waits end at the next match in the subscriber's zone", () => {
  assert.equal(short(ask({ type: "timed", cron: "0 9 * * MON" })), "2025-01-06T08:00Z");
  assert.equal(short(ask({ type: "timed", cron: "0 1 * * *" })), "2025-01-02T00:00Z", "strictly later than now");
  assert.equal(short(ask({ type: "timed", cron: "0 0 29 2 *" })), "too_long");
  assert.deepEqual(ask({ type: "timed", cron: "0 0 30 2 *" }), {
    fault: "invalid",
    reason: "cron names a day that never comes",
  });
  for (const cron of [undefined, null, 5, ["* * * * *"], "", "soon"]) {
    assert.equal(short(ask({ type: "timed", cron })), "invalid", String(cron));
  }
});

test("dynamic waits end when the event says", () => {
  const scope = {
    payload: {
      sendAt: "2025-01-02T00:00:00Z",
      local: "2025-01-02T09:00:00+09:00",
      basic: "2025-01-02T09:00:00.000000+0900",
      bare: "2025-01-02T09:00",
      date: "2025-01-02",
      nested: { list: [{ at: "2025-01-02T00:00:00Z" }] },
      span: { amount: 3, unit: "hours" },
      badSpan: { amount: 0, unit: "hours" },
      past: "2024-12-31T23:59:59Z",
      sharp: "2025-01-01T00:00:00Z",
      far: "2026-01-01T00:00:00Z",
      noSuchDay: "2025-02-30T00:00:00Z",
      noSuchHour: "2025-01-02T25:00:00Z",
      words: "tomorrow",
      rfc: "Thu, 02 Jan 2025 00:00:00 GMT",
      number: 1_735_776_000_000,
      list: ["2025-01-02T00:00:00Z"],
      nothing: null,
      subscriber: { at: "2025-01-03T00:00:00Z" },
    },
    subscriber: { data: { renewal: "2025-01-05T00:00:00Z" } },
    steps: { digest: { events: [{ time: "2025-01-06T00:00:00Z" }] } },
  };
  const table: [dynamicKey: unknown, expected: string, reason?: string][] = [
    ["payload.sendAt", "2025-01-02T00:00Z"],
    ["sendAt", "2025-01-02T00:00Z"],
    [" payload.sendAt ", "2025-01-02T00:00Z"],
    ["local", "2025-01-02T00:00Z"],
    ["basic", "2025-01-02T00:00Z"],
    ["bare", "2025-01-02T09:00Z"],
    ["date", "2025-01-02T00:00Z"],
    ["payload.nested.list.0.at", "2025-01-02T00:00Z"],
    ["payload.span", "2025-01-01T03:00Z"],
    ["subscriber.data.renewal", "2025-01-05T00:00Z"],
    ["steps.digest.events.0.time", "2025-01-06T00:00Z"],
    ["payload.subscriber.at", "2025-01-03T00:00Z"],
    ["payload.past", "past", "payload.past is 2024-12-31T23:59:59.000Z, which is in the past"],
    ["sharp", "past"],
    ["far", "too_long", "The wait is longer than the allowed 90 days"],
    ["badSpan", "invalid", "badSpan.amount must be a whole number of at least 1"],
    ["noSuchDay", "invalid"],
    ["noSuchHour", "invalid"],
    ["words", "invalid", "words must be an ISO time or an object with amount and unit"],
    ["rfc", "invalid"],
    ["number", "invalid"],
    ["list", "invalid"],
    ["nothing", "invalid", "nothing is missing"],
    ["subscriber.at", "invalid", "subscriber.at is missing"],
    ["payload.missing.deeper", "invalid", "payload.missing.deeper is missing"],
    ["payload.sendAt.length", "invalid"],
    ["__proto__.toString", "invalid"],
    ["", "invalid", "dynamicKey must name a value, for example payload.sendAt"],
    [undefined, "invalid"],
    [{ path: "sendAt" }, "invalid"],
    ["a.".repeat(200), "invalid", "dynamicKey must not be longer than 256 characters"],
  ];
  for (const [dynamicKey, expected, reason] of table) {
    const wait = ask({ type: "dynamic", dynamicKey }, { scope });
    assert.equal(short(wait), expected, String(dynamicKey));
    if (reason) assert.equal("fault" in wait && wait.reason, reason);
  }
});

test("only a dynamic wait looks into the scope", () => {
  const scope = () => assert.fail("nobody should look");
  for (const values of [
    { amount: 1, unit: "hours" },
    { type: "timed", cron: "* * * * *" },
  ]) {
    assert.ok("until" in readWait({ values, scope, now, zone, maxDays: 90 }));
  }
});
