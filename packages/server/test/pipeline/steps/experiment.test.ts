// Experiments: who is in which variant, what a change of weights moves, and what is recorded.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { heldOutVariant } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import { advance } from "../../../src/pipeline/run/advance.ts";
import { exposuresOf } from "../../../src/pipeline/run/exposures.ts";
import type { Run } from "../../../src/pipeline/run/run.ts";
import { chooseVariant, experimentName, isHeldOut, type Variant } from "../../../src/pipeline/steps/variants.ts";
import { factsOf, now, runOf, statuses, step, subscriber } from "../../support/runs.ts";

const people = Array.from({ length: 4_000 }, (_, number) => `person-${number}`);

const variants = fc
  .array(fc.integer({ min: 1, max: 1_000 }), { minLength: 2, maxLength: 6 })
  .map((weights): Variant[] => weights.map((weight, index) => ({ id: `v${index}`, weight })));

const few = { numRuns: 8 };

/**
 * Pearson's statistic divided by its expected value plus 5 standard deviations, which a fair hash exceeds in about one
 * of a million: below 1. The seeds of these tests are fixed, so that they have one result.
 */
function misfit(counts: number[], expected: number[]): number {
  const squares = counts.map((count, index) => (count - expected[index]!) ** 2 / expected[index]!);
  const degrees = counts.length - 1;
  return squares.reduce((sum, one) => sum + one, 0) / (degrees + 5 * Math.sqrt(2 * degrees) + 5);
}

const countBy = <T>(list: readonly T[], keys: readonly T[]): number[] =>
  keys.map((key) => list.filter((one) => one === key).length);

describe("the variant of a person", () => {
  test("does not depend on the order of the variants, on other variants without weight, or on time", () => {
    fc.assert(
      fc.property(variants, fc.string(), fc.string(), (all, experiment, person) => {
        const chosen = chooseVariant(experiment, person, all);
        assert.equal(chooseVariant(experiment, person, all.toReversed()), chosen);
        assert.ok(all.some(({ id }) => id === chosen));
      }),
    );
    // Stored nowhere, so a release must never change them.
    const two = [
      { id: "a", weight: 1 },
      { id: "b", weight: 1 },
    ];
    const fixed = ["ada", "bob", "eve", "kim"].map((person) => chooseVariant("welcome/subject", person, two));
    assert.deepEqual(fixed, ["b", "b", "b", "a"]);
    assert.deepEqual(
      ["ada", "bob", "eve", "kim"].map((person) => isHeldOut("welcome/subject", person, 50)),
      [false, true, false, false],
    );
  });

  test("shares are those of the weights", () => {
    fc.assert(
      fc.property(variants, (all) => {
        const total = all.reduce((sum, { weight }) => sum + weight, 0);
        const kept = all.filter(({ weight }) => (weight / total) * people.length >= 5);
        const chosen = people.map((person) => chooseVariant("shares", person, all)!);
        const counts = countBy(
          chosen,
          kept.map(({ id }) => id),
        );
        const expected = kept.map(({ weight }) => (weight / total) * people.length);
        assert.ok(misfit(counts, expected) < 1, `${counts} for ${expected}`);
      }),
      { ...few, seed: 7 },
    );
  });

  test("a change of one weight moves people only into or out of that variant, and as few as needed", () => {
    fc.assert(
      fc.property(variants, fc.integer({ min: 0, max: 1_000 }), (all, weight) => {
        const [first, ...others] = all as [Variant, ...Variant[]];
        const changed = weight === 0 ? others : [{ ...first, weight }, ...others];
        const total = (list: Variant[]) => list.reduce((sum, one) => sum + one.weight, 0);
        const before = people.map((person) => chooseVariant("moves", person, all)!);
        const after = people.map((person) => chooseVariant("moves", person, changed)!);
        const moved = people.flatMap((_, index) => (before[index] === after[index] ? [] : [index]));
        const grows = weight > first.weight;
        for (const index of moved) assert.equal((grows ? after : before)[index], first.id, "only in one direction");
        const needed = Math.abs(first.weight / total(all) - weight / total(changed)) * people.length;
        assert.ok(Math.abs(moved.length - needed) < 6 * Math.sqrt(needed + 1), `${moved.length} for ${needed}`);
      }),
      { ...few, seed: 11 },
    );
  });

  test("people held out by a share are held out by every larger one, and are as many as it says", () => {
    let before: string[] = [];
    for (const percent of [0, 1, 5, 20, 50, 99]) {
      const out = people.filter((person) => isHeldOut("nested", person, percent));
      assert.deepEqual(
        before.filter((person) => !out.includes(person)),
        [],
      );
      const expected = (percent / 100) * people.length;
      assert.ok(Math.abs(out.length - expected) <= 5 * Math.sqrt(expected), `${out.length} of ${percent} %`);
      before = out;
    }
  });

  test("two experiments, and the hold-out of one, say nothing about each other", () => {
    const ids = ["a", "b", "held out"];
    const three = ids.map((id) => ({ id, weight: 1 }));
    const pairs = people.map((person) => [
      chooseVariant("w/one", person, three)!,
      chooseVariant("w/two", person, three)!,
      String(isHeldOut("w/one", person, 50)),
    ]);
    for (const [left, right] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      const cells = pairs.map((pair) => `${pair[left]} ${pair[right]}`);
      const names = [...new Set(cells)];
      const expected = names.map(() => people.length / names.length);
      assert.ok(misfit(countBy(cells, names), expected) < 1, `${countBy(cells, names)}`);
    }
  });

  test("an experiment is known by its identifiers, or by the seed that it continues", () => {
    assert.equal(experimentName("welcome", "subject", {}), "welcome/subject");
    assert.equal(experimentName("hello", "title", { seed: "welcome/subject" }), "welcome/subject");
    assert.equal(experimentName("welcome", "subject", { seed: "" }), "welcome/subject");
  });
});

describe("a run", () => {
  const experiment = (values: object) => step("experiment", values, { stepId: "exp" });
  const inApp = step("in_app", { body: "{{ steps.exp.variant }}" });
  const two = [{ id: "a" }, { id: "b", weight: 3 }];
  const walked = (values: object, changes: Parameters<typeof runOf>[1] = {}): { run: Run; rows: object[] } => {
    const run = runOf([experiment(values), inApp], changes);
    return { run, rows: exposuresOf(advance(run, factsOf(), now)) };
  };

  test("goes on with its variant, which is recorded with the person", () => {
    const { run, rows } = walked({ variants: two });
    const { variant } = run.jobs[0]!.output as { variant: string };
    assert.deepEqual(statuses(run), ["completed", "completed"]);
    const { environmentId: environment_id, notificationId: notification_id } = run;
    const place = { environment_id, notification_id, step_id: run.jobs[0]!.step.id, step_index: 0 };
    assert.deepEqual(rows, [{ ...place, subscriber_id: subscriber.id, variant, exposed_at: now }]);
    for (const job of run.jobs) job.newDetails = [];
    assert.deepEqual(exposuresOf(advance(run, factsOf(), now)), [], "once: the next advance has nothing new");
  });

  test("of a person who is held out ends, and is recorded", () => {
    const { run, rows } = walked({ variants: two, holdOutPercent: 99 });
    assert.deepEqual(statuses(run), ["skipped", "skipped"]);
    assert.equal((rows[0] as { variant: string }).variant, heldOutVariant);
  });

  test("without a weight fails with the reason, and is not recorded; neither is a test of a draft", () => {
    const none = walked({ variants: two.map(({ id }) => ({ id, weight: 0 })) });
    assert.deepEqual(statuses(none.run), ["failed", "completed"]);
    assert.equal(none.run.jobs[0]!.newDetails[0]!.r?.reason, "the weights of its variants add up to 0");
    assert.deepEqual(none.rows, []);
    assert.deepEqual(walked({ variants: two }, { definition: { isTest: true } }).rows, []);
  });
});
