// Intervals of shares, compared with the tables of R. G. Newcombe's two papers (Statistics in Medicine 17, 1998):
// “Two-sided confidence intervals for the single proportion”, table I, method 3, and “Interval estimation for the
// difference between independent proportions”, table II, method 10.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRandom } from "@tidings/testkit/load/random";
import fc from "@tidings/testkit/properties";
import { isShown, newcombe, type Proportion, peopleNeeded, shareOf, wilson } from "../../src/lib/proportions.ts";

const of = (count: number, total: number): Proportion => ({ count, total });
const rounded = ({ low, high }: { low: number; high: number }) => [low.toFixed(4), high.toFixed(4)];

test("the interval of a share", () => {
  const table: [Proportion, string, string][] = [
    [of(81, 263), "0.2553", "0.3662"],
    [of(15, 148), "0.0624", "0.1605"],
    [of(0, 20), "0.0000", "0.1611"],
    [of(1, 29), "0.0061", "0.1718"],
  ];
  for (const [share, ...bounds] of table) assert.deepEqual(rounded(wilson(share)), bounds);
});

test("the interval of a difference", () => {
  const table: [Proportion, Proportion, string, string][] = [
    [of(56, 70), of(48, 80), "0.0524", "0.3339"],
    [of(9, 10), of(3, 10), "0.1705", "0.8090"],
    [of(6, 7), of(2, 7), "0.0582", "0.8062"],
    [of(5, 56), of(0, 29), "-0.0381", "0.1926"],
    [of(0, 10), of(0, 20), "-0.1611", "0.2775"],
    [of(0, 10), of(0, 10), "-0.2775", "0.2775"],
    [of(10, 10), of(0, 20), "0.6791", "1.0000"],
    [of(10, 10), of(0, 10), "0.6075", "1.0000"],
  ];
  for (const [a, b, ...bounds] of table) assert.deepEqual(rounded(newcombe(a, b)), bounds);
});

const proportion = fc
  .tuple(fc.nat(2_000), fc.nat(2_000))
  .map(([one, other]): Proportion => ({ count: Math.min(one, other), total: Math.max(one, other) }));

test("intervals contain the share, stay within their limits, and change sides with the groups", () => {
  fc.assert(
    fc.property(proportion, proportion, (a, b) => {
      const { low, high } = wilson(a);
      assert.ok(0 <= low && low <= shareOf(a) + 1e-12 && shareOf(a) <= high + 1e-12 && high <= 1);
      const [there, back] = [newcombe(a, b), newcombe(b, a)];
      assert.ok(-1 <= there.low && there.low <= there.high && there.high <= 1);
      assert.ok(Math.abs(there.low + back.high) < 1e-9 && Math.abs(there.high + back.low) < 1e-9);
      assert.equal(isShown(there), isShown(back));
    }),
  );
});

/** Draws people one by one, so that the test shares nothing with what it tests. */
function draw(random: ReturnType<typeof createRandom>, share: number, total: number): Proportion {
  let count = 0;
  for (let person = 0; person < total; person++) if (random.chance(share)) count++;
  return of(count, total);
}

describe("in simulated experiments", () => {
  const rounds = 2_000;
  const shownShare = (shares: [number, number], sizes: [number, number], seed: number): number => {
    const random = createRandom(seed);
    let shown = 0;
    for (let round = 0; round < rounds; round++) {
      if (isShown(newcombe(draw(random, shares[0], sizes[0]), draw(random, shares[1], sizes[1])))) shown++;
    }
    return shown / rounds;
  };

  test("a difference that does not exist is shown in about 5 of 100", () => {
    const share = shownShare([0.1, 0.1], [400, 400], 1);
    assert.ok(share > 0.03 && share < 0.065, String(share));
  });

  test("with the people that are said to be needed, a true difference is shown in about 80 of 100", () => {
    const [a, b] = [of(24, 200), of(36, 200)];
    const more = peopleNeeded(a, b)!;
    const size = 200 + more / 2;
    const share = shownShare([0.12, 0.18], [size, size], 2);
    assert.ok(share > 0.77 && share < 0.84, `${share} with ${size}`);
  });
});

test("how many more people are needed cannot be said without people, or without a difference", () => {
  assert.equal(peopleNeeded(of(0, 0), of(1, 5)), null);
  assert.equal(peopleNeeded(of(2, 10), of(1, 5)), null);
});
