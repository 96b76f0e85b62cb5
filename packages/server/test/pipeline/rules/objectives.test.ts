// The arithmetic of objectives: against a table, and against an interpreter that follows single messages.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "@tidings/testkit/properties";
import {
  budgetLeft,
  burnRate,
  countRows,
  findBurn,
  leaveOut,
  measuredPercent,
  type Objective,
  usedUpInDays,
} from "../../../src/pipeline/rules/objectives.ts";
import { latencyBounds } from "../../../src/store/events/statistics.ts";
import type { OutcomeRow } from "../../../src/store/workflows/objectives.ts";

const hourMs = 3_600_000;
const now = Date.UTC(2026, 5, 15, 12, 30);

describe("burn and budget", () => {
  for (const [counts, percent, expected] of [
    [{ good: 990, bad: 10 }, 99, { measured: 99, rate: 1, left: 0 }],
    [{ good: 995, bad: 5 }, 99, { measured: 99.5, rate: 0.5, left: 0.5 }],
    [{ good: 1_000, bad: 0 }, 99.9, { measured: 100, rate: 0, left: 1 }],
    [{ good: 0, bad: 3 }, 98, { measured: 0, rate: 50, left: -49 }],
    [{ good: 9_999, bad: 1 }, 99.99, { measured: 99.99, rate: 1, left: 0 }],
    [{ good: 0, bad: 0 }, 99, { measured: null, rate: null, left: null }],
  ] as const) {
    test(`${counts.good} good and ${counts.bad} bad with an objective of ${percent} %`, () => {
      const { measured, rate, left } = expected;
      assert.deepEqual(
        [measuredPercent(counts), burnRate(counts, percent), budgetLeft(counts, percent)],
        [measured, rate, left],
      );
    });
  }

  for (const [left, rate, days, expected] of [
    [1, 1, 30, 30],
    [0.4, 3, 30, 4],
    [0.5, 0, 30, null],
    [0, 2, 30, null],
    [-1, 2, 30, null],
    [null, null, 30, null],
  ] as const) {
    test(`a budget of ${left} at the rate ${rate} lasts for ${expected} days`, () =>
      assert.equal(usedUpInDays(left, rate, days), expected));
  }
});

describe("a budget that is used too fast", () => {
  const limits = { fastBurn: 14.4, slowBurn: 6, atLeast: 20 };
  const none = { good: 0, bad: 0 };
  const all = (counts: { good: number; bad: number }) => ({ minutes: counts, hour: counts, hours: counts });
  for (const [name, windows, percent, expected] of [
    ["1 of 2", all({ good: 1, bad: 1 }), 99, null],
    ["2 of 100 with an objective of 99.99 %", all({ good: 98, bad: 2 }), 99.99, null],
    ["15 of 100", all({ good: 85, bad: 15 }), 99, 1],
    ["14 of 100", all({ good: 86, bad: 14 }), 99, 6],
    ["5 of 100", all({ good: 95, bad: 5 }), 99, null],
    ["nothing bad any longer", { ...all({ good: 85, bad: 15 }), minutes: { good: 9, bad: 0 } }, 99, 6],
    ["no messages any longer", { ...all({ good: 50, bad: 50 }), minutes: none, hour: none }, 99, null],
    ["all bad with an objective of 90 %", all({ good: 0, bad: 20 }), 90, 1],
    ["half bad with an objective of 50 %", all({ good: 50, bad: 50 }), 50, null],
  ] as const) {
    test(`${name}: ${expected === null ? "no alarm" : `alarm about ${expected} h`}`, () =>
      assert.equal(findBurn(windows, percent, limits)?.hours ?? null, expected));
  }
});

type Message = {
  channel: "email" | "sms" | "in_app";
  provider: string;
  ageHours: number;
  fate: "sent" | "delivered" | "bounced" | "refused" | "waiting";
  ms: number;
};

const messages: fc.Arbitrary<Message[]> = fc.array(
  fc.record({
    channel: fc.constantFrom("email" as const, "sms" as const, "in_app" as const),
    provider: fc.constantFrom("alpha", "beta", "mailbox", ""),
    ageHours: fc.integer({ min: 0, max: 720 }),
    fate: fc.constantFrom(
      "sent" as const,
      "delivered" as const,
      "bounced" as const,
      "refused" as const,
      "waiting" as const,
    ),
    ms: fc.integer({ min: 0, max: 400_000 }),
  }),
  { maxLength: 60 },
);

function toRow({ channel, provider, ageHours, fate, ms }: Message): OutcomeRow {
  const classes = Array.from({ length: latencyBounds.length + 1 }, () => 0);
  const at = latencyBounds.findIndex((bound) => ms < bound);
  classes[at === -1 ? latencyBounds.length : at] = 1;
  const isAccepted = fate === "sent" || fate === "delivered" || fate === "bounced";
  return {
    environment_id: "e",
    workflow_id: "w",
    at: new Date(now - ageHours * hourMs),
    channel,
    provider_id: provider,
    sent: fate === "sent" || fate === "delivered" ? 1 : 0,
    delivered: fate === "delivered" ? 1 : 0,
    failed: fate === "bounced" || fate === "refused" ? 1 : 0,
    unaccepted: fate === "refused" ? 1 : 0,
    latency: isAccepted && channel !== "in_app" ? classes : [],
    waiting: fate === "waiting" ? classes : [],
  };
}

/** What the documentation says, message by message. */
function judge(message: Message, objective: Objective, all: Message[]): "good" | "bad" | "open" | "left out" {
  const { channel, provider, ageHours, fate, ms } = message;
  if (provider === "mailbox") return "left out";
  if (objective.kind === "handedOver") {
    if (channel === "in_app") return "left out";
    if (fate === "refused") return "bad";
    if (ms >= objective.withinSeconds! * 1_000) return "bad";
    return fate === "waiting" ? "open" : "good";
  }
  const reports = all.filter((one) => one.fate === "delivered");
  const isReporting = reports.some((one) => (provider === "" ? one.channel === channel : one.provider === provider));
  if (channel !== "in_app" && !isReporting) return "left out";
  if (fate === "waiting") return "open";
  if (fate === "delivered") return "good";
  if (fate === "sent") return ageHours >= 26 ? "bad" : "open";
  return "bad";
}

test("counts follow from the fate of each message", () => {
  const objectives = fc.oneof(
    fc.record({
      kind: fc.constant("handedOver" as const),
      percent: fc.constant(99),
      withinSeconds: fc.constantFrom(1, 5, 10, 30, 60, 300),
    }),
    fc.constant({ kind: "delivered" as const, percent: 98 }),
  );
  fc.assert(
    fc.property(messages, objectives, (all, objective: Objective) => {
      const rows = all.map(toRow);
      const reasonOf = leaveOut(objective.kind, rows, ["mailbox"]);
      const counts = countRows(rows, objective, { now, isLeftOut: (row) => reasonOf(row) !== null });
      const verdicts = all.map((message) => judge(message, objective, all));
      const count = (verdict: string) => verdicts.filter((one) => one === verdict).length;
      assert.deepEqual(counts, { good: count("good"), bad: count("bad") });
      assert.equal(rows.filter((row) => reasonOf(row) !== null).length, count("left out"));
    }),
  );
});
