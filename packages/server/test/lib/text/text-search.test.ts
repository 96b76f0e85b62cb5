// The linear search returns what the engine's own search returns, and its work is bounded.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { indexIn, lastIndexIn, splitText } from "../../../src/lib/text/text-search.ts";
import { charge, chargeSize, OverBudgetError, withinBudget, workPerStep } from "../../../src/lib/work.ts";

const text = (maxLength: number) => fc.string({ unit: fc.constantFrom("a", "b", "é"), maxLength });

test("searches agree with those of JavaScript, also for long parts", () => {
  const long = fc.tuple(text(400), fc.nat(400), fc.integer({ min: 33, max: 80 }), text(3));
  fc.assert(
    fc.property(long, ([whole, from, length, tail]) => {
      const twice = whole + whole.slice(0, 50) + whole;
      for (const part of [twice.slice(from, from + length), twice.slice(from, from + length) + tail, tail]) {
        assert.equal(indexIn(twice, part), twice.indexOf(part));
        assert.equal(lastIndexIn(twice, part), twice.lastIndexOf(part));
        assert.deepEqual(splitText(twice, part), twice.split(part));
      }
    }),
  );
});

test("a budget is shared by what runs inside it, and the next one is new", () => {
  const half = workPerStep / 2 + 1;
  const useHalf = () => withinBudget(() => charge(half));
  useHalf();
  useHalf();
  assert.throws(() => withinBudget(() => [useHalf(), useHalf()]), OverBudgetError);
  assert.throws(() => withinBudget(() => charge(Number.POSITIVE_INFINITY)), OverBudgetError);
  assert.throws(
    () => withinBudget(() => [charge(Number.NaN), charge(-workPerStep), charge(2 * half)]),
    OverBudgetError,
  );
  useHalf();
});

test("lists inside lists count each time they come up", () => {
  let list: unknown[] = [1, 2];
  for (let level = 0; level < 60; level++) list = [list, list];
  assert.throws(() => withinBudget(() => chargeSize(list, 1, 1)), OverBudgetError);
});
