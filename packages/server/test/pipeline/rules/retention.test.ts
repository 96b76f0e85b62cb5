import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../../src/config.ts";
import { cutoffOf, goneAt, nextRunAt, resolveRetention } from "../../../src/pipeline/rules/retention.ts";

for (const [now, days, step, expected] of [
  ["2026-03-01T00:00:00.000Z", 1, "day", "2026-02-28"],
  ["2028-03-01T23:59:59.999Z", 1, "day", "2028-02-29"],
  ["2026-01-01T00:00:00.000Z", 1, "day", "2025-12-31"],
  ["2026-12-31T23:59:59.999Z", 365, "day", "2025-12-31"],
  ["2026-04-01T12:00:00.000Z", 90, "day", "2026-01-01"],
  ["2026-03-31T12:00:00.000Z", 90, "month", "2025-12-01"],
  ["2026-04-01T00:00:00.000Z", 90, "month", "2026-01-01"],
] as const) {
  test(`at ${now}, ${days} days by ${step}: rows from before ${expected} go`, () => {
    const cutoff = cutoffOf(new Date(now), days, step);
    assert.equal(cutoff.toISOString(), `${expected}T00:00:00.000Z`);
  });
}

test("a month is gone at the first moment at which the cut-off has reached its end", () => {
  for (const days of [1, 30, 90, 365]) {
    const end = new Date("2026-03-01T00:00:00Z");
    const at = goneAt(end, days);
    for (const step of ["day", "month"] as const) {
      assert.ok(cutoffOf(at, days, step) >= end);
      assert.ok(cutoffOf(new Date(at.getTime() - 1), days, step) < end);
    }
  }
});

test("runs follow each other until one is complete, then the next day has its own", () => {
  const at = (now: string, last: string | null) => nextRunAt(new Date(now), last === null ? null : new Date(last));
  assert.equal(at("2026-05-05T10:00:00Z", null).toISOString(), "2026-05-05T10:04:00.000Z");
  assert.equal(at("2026-05-05T10:04:00Z", "2026-05-04T00:04:00Z").toISOString(), "2026-05-05T10:14:00.000Z");
  assert.equal(at("2026-12-31T10:00:00Z", "2026-12-31T00:04:00Z").toISOString(), "2027-01-01T00:04:00.000Z");
});

test("days that were chosen under other settings are moved to what is allowed now", () => {
  const settings = readConfig({ TIDINGS_RETENTION_MAX_DAYS: "200", TIDINGS_RETENTION_IN_APP_DAYS: "150" });
  assert.deepEqual(
    resolveRetention(settings, { messages: 40, inApp: 50, deadLetters: 365, statistics: 1, captured: 900 }),
    {
      messages: 90,
      inApp: 90,
      captured: 200,
      deadLetters: 90,
      statistics: 3,
    },
  );
  assert.equal(resolveRetention(readConfig({ TIDINGS_RETENTION_DAYS: "500" }), {}).inApp, 500, "the default gives way");
});
