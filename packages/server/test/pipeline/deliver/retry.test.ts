import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "@tidings/providers";
import fc from "@tidings/testkit/properties";
import { decideAfterAttempt, isReplayable, type NextStep, type Tried } from "../../../src/pipeline/deliver/retry.ts";

const middle = () => 0.5;
const now = new Date("2026-03-01T12:00:00Z");
const later = (ms: number) => new Date(now.getTime() + ms);
const limits = {
  attempts: 5,
  firstWaitMs: 1_000,
  factor: 4,
  maxRetryAfterMs: 15 * 60_000,
  unknownWaitMs: 10 * 60_000,
};

const after = (outcome: Outcome, tried: Partial<Tried> = {}, random = middle): NextStep =>
  decideAfterAttempt(
    outcome,
    { attempt: 1, onUnknown: "may_duplicate", hadUnknown: false, now, deadline: later(86_400_000), ...tried },
    limits,
    random,
  );

const busy: Outcome = { kind: "retry", reason: "busy" };
const cut: Outcome = { kind: "unknown", reason: "cut" };
const locked: Outcome = { kind: "rejected", class: "auth", reason: "who?" };

test("each outcome has its consequence", () => {
  const table: [outcome: Outcome, expected: object][] = [
    [{ kind: "accepted" }, { kind: "sent", providerMessageId: undefined }],
    [
      { kind: "accepted", providerMessageId: "x1" },
      { kind: "sent", providerMessageId: "x1" },
    ],
    [busy, { kind: "retry", afterMs: 1_000, reason: "busy", class: "transient" }],
    [
      { ...busy, afterMs: 7_000 },
      { kind: "retry", afterMs: 7_000, reason: "busy", class: "transient" },
    ],
    // "At once", and what comes to the same, would use up the attempts in a moment.
    [
      { ...busy, afterMs: 0 },
      { kind: "retry", afterMs: 1_000, reason: "busy", class: "transient" },
    ],
    [
      { ...busy, afterMs: 999 },
      { kind: "retry", afterMs: 1_000, reason: "busy", class: "transient" },
    ],
    [cut, { kind: "retry", afterMs: 1_000, reason: "cut", class: "unknown" }],
    [locked, { kind: "next_integration", reason: "who?", class: "auth" }],
    [
      { kind: "rejected", class: "quota", reason: "full" },
      { kind: "next_integration", reason: "full", class: "quota" },
    ],
    [
      { kind: "rejected", class: "config", reason: "odd" },
      { kind: "next_integration", reason: "odd", class: "config" },
    ],
    [
      { kind: "rejected", class: "recipient", reason: "no such user" },
      { kind: "give_up", reason: "no such user", class: "recipient" },
    ],
    [
      { kind: "rejected", class: "content", reason: "spam" },
      { kind: "give_up", reason: "spam", class: "content" },
    ],
    [
      { kind: "dead-token", reason: "gone" },
      { kind: "give_up", reason: "gone", class: "recipient" },
    ],
  ];
  for (const [outcome, expected] of table) assert.deepEqual(after(outcome), expected, JSON.stringify(outcome));
});

test("waits grow fourfold: 1, 4, 16 and 64 seconds, then the next integration has its turn", () => {
  const waits = [1, 2, 3, 4].map((attempt) => after(busy, { attempt }));
  assert.deepEqual(
    waits.map((step) => step.kind === "retry" && step.afterMs),
    [1_000, 4_000, 16_000, 64_000],
  );
  for (const outcome of [busy, cut]) {
    assert.equal(after(outcome, { attempt: 5 }).kind, "next_integration");
    // A process that keeps dying during the call can run the count past the limit.
    assert.equal(after(outcome, { attempt: 8 }).kind, "next_integration");
  }
});

test("the random factor lies between one half and one and a half", () => {
  const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fraction, (attempt, random) => {
      const step = after(busy, { attempt }, () => random);
      assert.ok(step.kind === "retry");
      const base = 1_000 * 4 ** (attempt - 1);
      assert.ok(step.afterMs >= base * 0.5 && step.afterMs <= base * 1.5);
    }),
  );
});

test("a provider that asks for more than 15 minutes has had its last attempt", () => {
  assert.equal(after({ ...busy, afterMs: 15 * 60_000 }).kind, "retry");
  assert.equal(after({ ...busy, afterMs: 15 * 60_000 + 1 }).kind, "next_integration");
});

test("faults of the recipient or the content are final on every attempt, whatever the workflow fears", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom("recipient" as const, "content" as const),
      fc.constantFrom("may_duplicate" as const, "may_delay" as const),
      (attempt, fault, onUnknown) => {
        const step = after({ kind: "rejected", class: fault, reason: "x" }, { attempt, onUnknown });
        assert.ok(step.kind === "give_up" && !isReplayable(step.class));
      },
    ),
  );
});

test("who fears doubles waits for a receipt, and never asks another provider after an unknown outcome", () => {
  const careful = { onUnknown: "may_delay" as const };
  assert.deepEqual(after(cut, careful), { kind: "retry", afterMs: 600_000, reason: "cut", class: "unknown" });
  assert.deepEqual(after(cut, { ...careful, attempt: 5 }), { kind: "give_up", reason: "cut", class: "unknown" });
  assert.equal(after(busy, careful).kind, "retry");
  assert.equal(after(locked, careful).kind, "next_integration", "nothing was sent yet");
  assert.equal(after(locked, { ...careful, hadUnknown: true }).kind, "give_up");
  assert.equal(after(busy, { ...careful, hadUnknown: true, attempt: 5 }).kind, "give_up");
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.constantFrom(busy, cut, locked), (attempt, outcome) => {
      assert.notEqual(after(outcome, { ...careful, hadUnknown: true, attempt }).kind, "next_integration");
    }),
  );
});

test("what would be repeated too late is handed on while there is time, and the reason says so", () => {
  const tight = { deadline: later(900) };
  for (const outcome of [busy, cut, { ...busy, afterMs: 120_000 } as Outcome]) {
    const late = after(outcome, tight);
    assert.ok(late.kind === "next_integration" && isReplayable(late.class));
    assert.match(late.reason, /^(busy|cut) .*time in which it may be delivered is over before a repeat\)$/);
  }
  assert.equal(after(busy, { deadline: later(1_000) }).kind, "retry");
  const careful = { ...tight, onUnknown: "may_delay" as const };
  assert.equal(after(busy, careful).kind, "next_integration", "nothing was sent yet");
  assert.equal(after(cut, careful).kind, "give_up");
  assert.deepEqual(after(locked, tight), after(locked), "no repeat was due");
});

test("nothing is repeated or handed on beyond the deadline", () => {
  for (const outcome of [busy, cut, locked]) {
    const over = after(outcome, { deadline: later(-1) });
    assert.ok(over.kind === "give_up" && isReplayable(over.class));
    assert.match(over.reason, /time in which it may be delivered is over/);
  }
});
