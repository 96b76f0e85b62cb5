// The rules of alerts as tables: when one ends, when people are notified, what quiet times do.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AlertQuietTimes } from "@tidings/contract";
import {
  type AlertState,
  type Decision,
  decide,
  isQuiet,
  type RuleTimes,
} from "../../../src/pipeline/alerts/decide.ts";
import { groupByTarget, type Told } from "../../../src/pipeline/alerts/notices.ts";
import type { Target } from "../../../src/pipeline/alerts/targets.ts";

const now = new Date("2026-11-18T12:00:00Z"); // A Wednesday.
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

const nights: AlertQuietTimes = { timezone: "Europe/Berlin", days: [1, 2, 3, 4, 5], from: "22:00", to: "07:00" };
const weekend: AlertQuietTimes = { timezone: "UTC", days: [6, 7], from: "00:00", to: "00:00" };
const lunch: AlertQuietTimes = { timezone: "UTC", days: [3], from: "11:30", to: "12:30" };

for (const [name, quiet, at, expected] of [
  ["without quiet times", null, "2026-11-18T12:00:00Z", false],
  ["before the night", nights, "2026-11-18T20:59:00Z", false],
  ["the night begins in local time", nights, "2026-11-18T21:00:00Z", true],
  ["after midnight the night of the day before goes on", nights, "2026-11-19T05:59:00Z", true],
  ["the night ends", nights, "2026-11-19T06:00:00Z", false],
  ["Friday night lasts until Saturday morning", nights, "2026-11-21T05:00:00Z", true],
  ["Sunday night is not among the days", nights, "2026-11-22T22:00:00Z", false],
  ["Monday before dawn belongs to Sunday", nights, "2026-11-23T03:00:00Z", false],
  ["a whole day", weekend, "2026-11-21T00:00:00Z", true],
  ["until its end", weekend, "2026-11-22T23:59:00Z", true],
  ["and not longer", weekend, "2026-11-23T00:00:00Z", false],
  ["summer time has another offset", nights, "2026-07-15T20:30:00Z", true],
] as [string, AlertQuietTimes | null, string, boolean][]) {
  test(`quiet times: ${name}`, () => assert.equal(isQuiet(quiet, new Date(at)), expected));
}

const open: AlertState = { isOpen: true, lastSeenAt: now, acknowledgedAt: null, toldAt: null };
const told: AlertState = { ...open, toldAt: ago(30) };
const plain: RuleTimes = { quiet: null, repeatAfterMinutes: null };
const hourly: RuleTimes = { quiet: null, repeatAfterMinutes: 60 };
const inQuiet: RuleTimes = { quiet: lunch, repeatAfterMinutes: 60 };

for (const [name, alert, rule, expected] of [
  ["a new alert is reported", open, plain, { notice: "opened" }],
  ["once", told, plain, {}],
  ["again when the rule says so", { ...told, toldAt: ago(60) }, hourly, { notice: "repeated" }],
  ["not before", { ...told, toldAt: ago(59) }, hourly, {}],
  ["not after somebody took it on", { ...told, toldAt: ago(90), acknowledgedAt: ago(80) }, hourly, {}],
  ["a short calm does not end it", { ...told, lastSeenAt: ago(2.9) }, plain, {}],
  [
    "a longer one does, with a message",
    { ...told, lastSeenAt: ago(3) },
    plain,
    { ending: "recovered", notice: "resolved", isClosed: true },
  ],
  ["in quiet times nothing is sent", open, inQuiet, {}],
  ["nor repeated", { ...told, toldAt: ago(90) }, inQuiet, {}],
  ["it still ends then", { ...told, lastSeenAt: ago(3) }, inQuiet, { ending: "recovered" }],
  ["its end is reported afterwards", { ...told, isOpen: false }, plain, { notice: "resolved", isClosed: true }],
  ["what came and went is summarised", { ...open, isOpen: false }, plain, { notice: "passed", isClosed: true }],
  ["a rule that is gone ends it without a message", told, null, { ending: "rule_paused", isClosed: true }],
] as [string, AlertState, RuleTimes | null, Decision][]) {
  test(`alerts: ${name}`, () => assert.deepEqual(decide(alert, rule, true, now), expected));
}

test("alerts: a kind that could not be evaluated ends nothing", () => {
  assert.deepEqual(decide({ ...told, lastSeenAt: ago(60) }, plain, false, now), {});
});

const channel: Target = { type: "slack", url: "https://hooks.example.com/1" };
const owners: Target = { type: "owners" };
const found = (environment: string, id: string, targets: Target[]): Told => ({
  alert: { environment_id: environment, id, opened_at: now, resolved_at: null } as Told["alert"],
  notice: "opened",
  targets,
});

test("everything that a target hears in a pass is one message, and environments do not mix", () => {
  const groups = groupByTarget([
    found("a", "1", [channel, owners]),
    found("a", "2", [channel]),
    found("a", "2", [channel]),
    found("b", "3", [channel]),
    found("b", "4", []),
  ]);
  assert.deepEqual(
    groups.map(({ environmentId, target, notices }) => [environmentId, target.type, notices.map((one) => one.alertId)]),
    [
      ["a", "slack", ["1", "2"]],
      ["a", "owners", ["1"]],
      ["b", "slack", ["3"]],
    ],
  );
});
