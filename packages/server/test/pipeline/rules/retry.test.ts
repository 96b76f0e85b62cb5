import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "@tidings/providers";
import fc from "fast-check";
import { afterAttempt, maxAttempts } from "../../../src/pipeline/rules/retry.ts";

const middle = () => 0.5;

test("each outcome has its consequence", () => {
  const table: [outcome: Outcome, expected: object][] = [
    [{ kind: "accepted" }, { kind: "sent", providerMessageId: undefined }],
    [
      { kind: "accepted", providerMessageId: "x1" },
      { kind: "sent", providerMessageId: "x1" },
    ],
    [
      { kind: "retry", reason: "busy" },
      { kind: "repeat", afterMs: 1_000, reason: "busy" },
    ],
    [
      { kind: "retry", reason: "busy", afterMs: 7_000 },
      { kind: "repeat", afterMs: 7_000, reason: "busy" },
    ],
    // "At once" is a wish like any other, not the absence of one.
    [
      { kind: "retry", reason: "busy", afterMs: 0 },
      { kind: "repeat", afterMs: 0, reason: "busy" },
    ],
    [
      { kind: "unknown", reason: "cut" },
      { kind: "repeat", afterMs: 1_000, reason: "cut" },
    ],
    [
      { kind: "rejected", class: "auth", reason: "who?" },
      { kind: "next_integration", reason: "who?" },
    ],
    [
      { kind: "rejected", class: "quota", reason: "full" },
      { kind: "next_integration", reason: "full" },
    ],
    [
      { kind: "rejected", class: "config", reason: "odd" },
      { kind: "next_integration", reason: "odd" },
    ],
    [
      { kind: "rejected", class: "recipient", reason: "no such user" },
      { kind: "give_up", reason: "no such user", errorId: "provider_rejected" },
    ],
    [
      { kind: "rejected", class: "content", reason: "spam" },
      { kind: "give_up", reason: "spam", errorId: "provider_rejected" },
    ],
    [
      { kind: "dead-token", reason: "gone" },
      { kind: "give_up", reason: "gone", errorId: "provider_rejected" },
    ],
  ];
  for (const [outcome, expected] of table) {
    assert.deepEqual(afterAttempt(outcome, 1, middle), expected, JSON.stringify(outcome));
  }
});

test("waits grow fourfold: 1, 4, 16 and 64 seconds, then the next integration has its turn", () => {
  const waits = [1, 2, 3, 4].map((attempt) => afterAttempt({ kind: "retry", reason: "x" }, attempt, middle));
  assert.deepEqual(
    waits.map((step) => step.kind === "repeat" && step.afterMs),
    [1_000, 4_000, 16_000, 64_000],
  );
  for (const kind of ["retry", "unknown"] as const) {
    assert.deepEqual(afterAttempt({ kind, reason: "x" }, maxAttempts, middle), {
      kind: "next_integration",
      reason: "x",
    });
    // A process that keeps dying during the call can run the count past the limit.
    assert.equal(afterAttempt({ kind, reason: "x" }, maxAttempts + 3, middle).kind, "next_integration");
  }
});

test("the random factor lies between one half and one and a half", () => {
  const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: maxAttempts - 1 }), fraction, (attempt, random) => {
      const step = afterAttempt({ kind: "retry", reason: "x" }, attempt, () => random);
      assert.ok(step.kind === "repeat");
      const base = 1_000 * 4 ** (attempt - 1);
      assert.ok(step.afterMs >= base * 0.5 && step.afterMs <= base * 1.5);
    }),
  );
});

test("a provider that asks for more than 15 minutes has had its last attempt", () => {
  const asking = (afterMs: number) => afterAttempt({ kind: "retry", reason: "x", afterMs }, 1, middle).kind;
  assert.equal(asking(15 * 60_000), "repeat");
  assert.equal(asking(15 * 60_000 + 1), "next_integration");
});

test("faults of the recipient or the content are final on every attempt", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.constantFrom("recipient", "content"), (attempt, kind) => {
      const step = afterAttempt({ kind: "rejected", class: kind as "recipient", reason: "x" }, attempt, middle);
      assert.equal(step.kind, "give_up");
    }),
  );
});
