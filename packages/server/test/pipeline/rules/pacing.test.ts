import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createTurns } from "../../../src/lib/fair-turns.ts";
import { type Admission, admit, leave, newLane, placesIn } from "../../../src/pipeline/rules/pacing.ts";

const roomy = { inFlight: 1_000_000 };
const start = 1_700_000_000_000;

test("without a rate everybody goes, up to the number that may be under way", () => {
  const lane = newLane();
  const kinds = Array.from({ length: 5 }, () => admit(lane, { inFlight: 3 }, start).kind);
  assert.deepEqual(kinds, ["go", "go", "go", "wait", "wait"]);
  leave(lane, 100);
  assert.equal(admit(lane, { inFlight: 3 }, start).kind, "go");
});

test("a provider that takes long gets a quarter of the places, until it is quick again", () => {
  const lane = newLane();
  assert.equal(placesIn(lane, 200), 200);
  const take = (ms: number) => {
    for (let call = 0; call < 30; call++) leave(lane, ms);
  };
  take(5_000);
  assert.equal(placesIn(lane, 200), 50);
  assert.equal(placesIn(lane, 1), 1);
  take(100);
  assert.equal(placesIn(lane, 200), 200);
});

test("with a rate no second sees more than twice as many, and who waits is given a place that holds", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 300 }), (perSecond, calls) => {
      const lane = newLane();
      const gone: number[] = [];
      const booked: number[] = [];
      for (let call = 0; call < calls; call++) {
        const entry: Admission = admit(lane, { ...roomy, perSecond }, start);
        if (entry.kind === "go") gone.push(start);
        else if (entry.isBooked) booked.push(entry.until);
      }
      for (const until of booked) {
        const again = admit(lane, { ...roomy, perSecond }, Math.ceil(until), until);
        assert.equal(again.kind, "go", "a booked time is kept");
        gone.push(until);
      }
      assert.equal(gone.length, calls);
      for (const first of gone) {
        const within = gone.filter((time) => time >= first && time < first + 1_000).length;
        assert.ok(within <= 2 * perSecond + 1, `${within} calls in a second at ${perSecond} a second`);
      }
      const last = Math.max(...gone);
      assert.ok(last - start <= (calls / perSecond) * 1_000, "and nobody waits longer than the rate asks for");
    }),
    { numRuns: 60 },
  );
});

test("nobody is sent away for more than 15 minutes, and a place that was missed has to be booked again", () => {
  const lane = newLane();
  const limits = { ...roomy, perSecond: 0.001 };
  assert.equal(admit(lane, limits, start).kind, "go");
  for (let call = 0; call < 3; call++) {
    const entry = admit(lane, limits, start);
    assert.deepEqual(entry, { kind: "wait", until: start + 15 * 60_000, isBooked: false });
  }
  const quick = newLane();
  for (let call = 0; call < 10; call++) admit(quick, { ...roomy, perSecond: 2 }, start);
  const missed = admit(quick, { ...roomy, perSecond: 2 }, start + 60_000, start + 2_000);
  assert.equal(missed.kind, "go", "there is room again");
});

/** Serves tasks by turn; answers how many are ahead of a newcomer. */
test("a flow that hands in a million tasks does not keep another's single one waiting", () => {
  const turns = createTurns();
  const crowd = Array.from({ length: 20_000 }, () => turns("crowd", start, start));
  const newcomer = turns("newcomer", start + 5_000, start + 5_000);
  const ahead = crowd.filter((turn) => turn >= newcomer).length;
  assert.ok(ahead <= 60, `${ahead} tasks are ahead, which is the share of the other flow until now`);
  const second = turns("crowd", start + 5_000, start + 5_000);
  assert.ok(second <= Math.min(...crowd), "its own tasks stay in order");
});

test("turns: a quiet flow is never behind, a busy one at most ten minutes, and what is due later comes later", () => {
  const turns = createTurns();
  const now = turns("quiet", start, start);
  for (let second = 1; second < 100; second++) {
    const time = start + second * 1_000;
    assert.equal(turns("quiet", time, time), now - second);
  }
  for (let task = 0; task < 100_000; task++) turns("busy", start, start);
  assert.equal(turns("busy", start, start), now - 600);
  assert.equal(turns("other", start + 90_000, start), now - 90);
  assert.ok(Math.abs(turns("other", start, start)) < 2 ** 31, "fits the column");
});
