// What the numbers of a variant show, in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deedOf, hundredths, sentenceAgainst, sentenceAlone } from "../../../src/app/experiments/sentences.ts";

const group = (name: string, count: number, total: number) => ({ name: `Variant ${name}`, people: { count, total } });
const against = (own: [number, number], first: [number, number]): string =>
  sentenceAgainst(group("b", ...own), group("a", ...first), deedOf("clicked"));

test("a sentence says what is shown, or what it would take", () => {
  const table: [string, string][] = [
    [
      against([124, 1_000], [91, 1_000]),
      "Variant b: 12.4 % clicked against 9.1 %; the difference is between 0.6 and 6 points.",
    ],
    [
      against([124, 1_000], [101, 1_000]),
      "Variant b: 12.4 % clicked against 10.1 %. The difference is not shown yet: it is between −0.5 and 5.1 points. " +
        "With the present shares, about 4,000 more people are needed.",
    ],
    [
      against([3, 30], [3, 30]),
      "Variant b: 10 % clicked against 10 %. The difference is not shown yet: it is between −16.9 and 16.9 points.",
    ],
    [
      against([1_000, 10_000], [1_001, 10_000]),
      "Variant b: 10 % clicked against 10 %. The difference is not shown yet: it is between −0.8 and 0.8 points. " +
        "With the present shares, more than 10 million more people are needed.",
    ],
    [against([0, 0], [1, 5]), "Variant b: nobody yet."],
    [against([1, 5], [0, 0]), "Variant b: nothing to compare with, since nobody is in Variant a yet."],
    [
      sentenceAlone(group("a", 81, 263), deedOf("goal", "order.paid")),
      "Variant a: 30.8 % reached the goal order.paid, between 25.5 and 36.6 %.",
    ],
  ];
  for (const [sentence, expected] of table) assert.equal(sentence, expected);
});

test("a bound that is not 0 does not read as 0", () => {
  assert.deepEqual([0, 0.000_4, -0.000_04, 0.012, -0.25, 1].map(hundredths), [
    "0",
    "0.04",
    "−0.004",
    "1.2",
    "−25",
    "100",
  ]);
});
