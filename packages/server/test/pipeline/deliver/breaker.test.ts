import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "@tidings/providers";
import fc from "@tidings/testkit/properties";
import { afterCall, checkBreaker, type Health, healthy } from "../../../src/pipeline/deliver/breaker.ts";

const limits = { failures: 5, firstProbeMs: 30_000, maxProbeMs: 600_000, probeLimitMs: 60_000 };
const start = Date.parse("2026-03-01T12:00:00Z");
const at = (seconds: number) => new Date(start + seconds * 1000);
const away: Outcome = { kind: "retry", reason: "away" };
const hung: Outcome = { kind: "unknown", reason: "hung" };
const taken: Outcome = { kind: "accepted" };
const refused: Outcome = { kind: "rejected", class: "recipient", reason: "no" };
const unasked: Outcome = { ...refused, isDecidedLocally: true };

const after = (outcomes: Outcome[], from = healthy, seconds = 0): Health =>
  outcomes.reduce((health, outcome) => afterCall(health, { outcome, isProbe: false }, at(seconds), limits), from);

test("five failures in a row open it, four and a success do not", () => {
  assert.equal(after([away, away, away, away]).state, "closed");
  assert.deepEqual(after([away, away, away, away, taken]), healthy);
  assert.deepEqual(after([away, hung, away, away, refused, away]).failures, 1, "a provider that rejects is healthy");
  const open = after([away, hung, away, hung, away]);
  assert.deepEqual(open, { state: "open", failures: 5, probes: 0, openedAt: at(0), nextProbeAt: at(30) });
});

test("while open no message passes; then one probe, with pauses that double up to ten minutes", () => {
  let health = after([away, away, away, away, away]);
  assert.deepEqual(checkBreaker(healthy, at(0)), { kind: "pass" });
  assert.deepEqual(checkBreaker(health, at(29)), { kind: "wait", until: at(30) });
  assert.deepEqual(checkBreaker(health, at(30)), { kind: "probe" });
  const pauses: number[] = [];
  for (let probe = 0; probe < 7; probe++) {
    health = after([hung], { ...health, state: "half_open", nextProbeAt: at(60) }, 0);
    assert.equal(health.state, "open");
    pauses.push((health.nextProbeAt!.getTime() - start) / 1000);
  }
  assert.deepEqual(pauses, [60, 120, 240, 480, 600, 600, 600]);
  assert.deepEqual(after([taken], { ...health, state: "half_open" }), healthy);
});

test("a probe under lane: the other messages wait a few seconds, and a lost one is replaced", () => {
  const probing: Health = { ...after([away, away, away, away, away]), state: "half_open", nextProbeAt: at(60) };
  assert.deepEqual(checkBreaker(probing, at(1)), { kind: "wait", until: at(6) });
  assert.deepEqual(checkBreaker(probing, at(58)), { kind: "wait", until: at(60) });
  assert.deepEqual(checkBreaker(probing, at(60)), { kind: "probe" });
});

test("faults before the provider was called change nothing, and a probe that was not made is due again", () => {
  const four = after([away, away, away, away]);
  assert.deepEqual(after([unasked, { kind: "retry", reason: "ours", isDecidedLocally: true }], four), four);
  const probing: Health = { ...after([away], four), state: "half_open", nextProbeAt: at(60) };
  assert.deepEqual(after([unasked], probing), probing, "the probe of another message");
  const given = afterCall(probing, { outcome: unasked, isProbe: true }, at(1), limits);
  assert.deepEqual(given, { ...probing, state: "open", nextProbeAt: at(1) });
  assert.deepEqual(checkBreaker(given, at(1)), { kind: "probe" });
});

test("late failures of calls that were in flight change nothing but the count", () => {
  const open = after([away, away, away, away, away]);
  const later = after([hung, hung], open, 20);
  assert.deepEqual(later, { ...open, failures: 7 });
});

test("whatever happens: closed exactly while there were fewer than five failures since the last answer", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(away, hung, taken, refused, unasked), { maxLength: 40 }), (all) => {
      const health = after(all);
      const outcomes = all.filter((outcome) => outcome !== unasked);
      const lastAnswer = outcomes.findLastIndex((outcome) => outcome === taken || outcome === refused);
      const failures = outcomes.length - 1 - lastAnswer;
      assert.deepEqual([health.state, health.failures], [failures < 5 ? "closed" : "open", failures]);
    }),
  );
});
