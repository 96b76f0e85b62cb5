// The plan of a chaos run: pure, within its time, and never with faults together that would only stop everything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRandom } from "@tidings/testkit/load/random";
import fc from "@tidings/testkit/properties";
import type { PlannedFault } from "../../../../scripts/auditor/evidence.ts";
import { areCompatible, calmSeconds, faultKinds, makePlan, notEmbedded } from "../../../../scripts/chaos/plan.ts";

const options = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  seconds: fc.integer({ min: 30, max: 4_000 }),
  only: fc.option(fc.uniqueArray(fc.constantFrom(...faultKinds), { minLength: 1 }), { nil: undefined }),
  except: fc.constantFrom([], notEmbedded),
});

const endOf = ({ startSeconds, seconds }: PlannedFault) => startSeconds + seconds;
const areTogether = (one: PlannedFault, other: PlannedFault) =>
  one.startSeconds < endOf(other) && other.startSeconds < endOf(one);

const pairsOf = (plan: PlannedFault[]) =>
  plan.flatMap((one, at) => plan.slice(at + 1).map((other) => [one, other] as const));

test("the same seed and options give the same plan", () => {
  fc.assert(fc.property(options, (given) => assert.deepEqual(makePlan(given), makePlan(given))));
});

test("faults are within the time of the load, in their order, and only of the kinds that were asked for", () => {
  fc.assert(
    fc.property(options, (given) => {
      const plan = makePlan(given);
      const calm = calmSeconds(given.seconds);
      for (const [at, planned] of plan.entries()) {
        assert.ok(planned.seconds > 0);
        assert.ok(planned.startSeconds >= calm.first - 0.1);
        assert.ok(endOf(planned) <= given.seconds - calm.last);
        assert.ok(planned.startSeconds >= (plan[at - 1]?.startSeconds ?? 0));
        assert.ok((given.only ?? faultKinds).includes(planned.fault));
        assert.ok(!given.except.includes(planned.fault));
      }
    }),
  );
});

test("faults at the same time are compatible", () => {
  fc.assert(
    fc.property(options, (given) => {
      for (const [one, other] of pairsOf(makePlan(given)))
        if (areTogether(one, other)) assert.ok(areCompatible(one, other), JSON.stringify([one, other]));
    }),
  );
});

test("never two databases stopped at once, nor both processes; a standby is rebuilt before the next failover", () => {
  fc.assert(
    fc.property(options, (given) => {
      const plan = makePlan(given);
      const isDatabase = ({ target }: PlannedFault) => target === "primary";
      const isProcess = ({ fault }: PlannedFault) =>
        ["kill-process", "stop-process", "stop-thread", "upgrade"].includes(fault);
      for (const [one, other] of pairsOf(plan)) {
        if (isDatabase(one) && isDatabase(other)) assert.ok(!areTogether(one, other));
        if (isProcess(one) && isProcess(other)) assert.ok(!areTogether(one, other));
        if (one.fault === "failover" && isDatabase(other)) assert.ok(other.startSeconds >= endOf(one) + 25 - 0.1);
      }
    }),
  );
});

test("an hour has every kind, many of them with another one", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const plan = makePlan({ seed, seconds: 3_600 });
      assert.deepEqual(new Set(plan.map(({ fault }) => fault)), new Set(faultKinds));
      const together = new Set(pairsOf(plan).flatMap((pair) => (areTogether(...pair) ? pair : [])));
      assert.ok(together.size >= plan.length * 0.15 && together.size <= plan.length * 0.7, `${together.size}`);
    }),
  );
});

test("five minutes have at least twelve faults of at least ten kinds", () => {
  for (let seed = 0; seed < 200; seed++) {
    const plan = makePlan({ seed, seconds: 300 });
    assert.ok(plan.length >= 12, `seed ${seed}: ${plan.length} faults`);
    assert.ok(new Set(plan.map(({ fault }) => fault)).size >= 10, `seed ${seed}`);
  }
});

test("random numbers are within their bounds, and differ with the seed", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer(), fc.nat(1_000), (seed, from, span) => {
      const random = createRandom(seed);
      const value = random.integer(from, from + span);
      assert.ok(value >= from && value <= from + span);
      assert.deepEqual(random.shuffle([1, 2, 3, 4]).sort(), [1, 2, 3, 4]);
    }),
  );
  assert.notEqual(createRandom(1).next(), createRandom(2).next());
});
