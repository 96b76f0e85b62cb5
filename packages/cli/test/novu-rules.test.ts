// Conditions of Novu decide the same after the import. The oracle says what each operator means there, for one value
// and one constant, as its published code defines it; the translated rule runs in the interpreter of the service.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { isTruthy } from "../../server/src/lib/condition-operators.ts";
import { conditionFault, evaluate } from "../../server/src/lib/conditions.ts";
import { translateRule } from "../src/import/novu-rules.ts";

type Meaning = (value: unknown, constant: unknown) => boolean;

const truthOf = (value: unknown): boolean | undefined =>
  new Map<unknown, boolean>([
    [true, true],
    ["true", true],
    [false, false],
    ["false", false],
  ]).get(value);

/** Truth values first, then numbers; a missing value counts as 0, other values are the same only when identical. */
const isEqual: Meaning = (value, constant) => {
  const [first, second] = [truthOf(value), truthOf(constant)];
  if (first !== undefined && second !== undefined) return first === second;
  const [left, right] = [Number(value), Number(constant)];
  return Number.isNaN(left) || Number.isNaN(right) ? value === constant : left === right;
};

const ofTexts =
  (decide: (value: string, constant: string) => boolean): Meaning =>
  (value, constant) =>
    typeof value === "string" && typeof constant === "string" && decide(value, constant);

const ofRange =
  (decide: (value: number, range: number[]) => boolean): Meaning =>
  (value, constant) =>
    typeof value === "number" && (constant as unknown[]).every((end) => typeof end === "number")
      ? decide(value, constant as number[])
      : false;

const ofLists =
  (isWanted: boolean): Meaning =>
  (value, constant) =>
    Array.isArray(value) && value.some((item) => (constant as unknown[]).includes(item)) === isWanted;

const ofNumbers =
  (decide: (value: number, constant: number) => boolean): Meaning =>
  (value, constant) =>
    decide(Number(value), Number(constant));

const word = fc.constantFrom("", "a", "ab", "abc", "b", "xyz", "true", "false", "0", "1", "5", "-1");
const number = fc.constantFrom(-1, 0, 1, 5, 2.5);
const scalar = fc.oneof(word, number, fc.boolean(), fc.constant(null));
const list = fc.array(scalar, { maxLength: 3 });
const value = fc.oneof(scalar, list, fc.constantFrom<unknown>({}, { a: 1 }));
const range = fc.tuple(number, number);

const operators: [name: string, meaning: Meaning, constants: fc.Arbitrary<unknown>][] = [
  ["=", isEqual, scalar],
  ["==", isEqual, scalar],
  ["!=", (one, other) => !isEqual(one, other), scalar],
  ["<", ofNumbers((one, other) => one < other), number],
  [">=", ofNumbers((one, other) => one >= other), number],
  ["startsWith", ofTexts((one, other) => one.startsWith(other)), word],
  ["endsWith", ofTexts((one, other) => one.endsWith(other)), word],
  ["contains", ofTexts((one, other) => one.includes(other)), word],
  ["doesNotBeginWith", ofTexts((one, other) => !one.startsWith(other)), word],
  ["doesNotEndWith", ofTexts((one, other) => !one.endsWith(other)), word],
  ["doesNotContain", ofTexts((one, other) => !one.includes(other)), word],
  ["null", (one) => one === null, fc.constant(null)],
  ["notNull", (one) => one !== null, fc.constant(null)],
  ["between", ofRange((one, [low = 0, high = 0]) => one >= low && one <= high), range],
  ["notBetween", ofRange((one, [low = 0, high = 0]) => one < low || one > high), range],
  ["notIn", (one, other) => !(other as unknown[]).includes(one), list],
  ["containsAny", ofLists(true), list],
  ["doesNotContainAny", ofLists(false), list],
];

for (const [name, meaning, constants] of operators)
  test(`${name} decides as it did`, () => {
    fc.assert(
      fc.property(value, constants, (one, constant) => {
        const { rule } = translateRule({ [name]: [{ var: "payload.value" }, constant] });
        assert.equal(conditionFault(rule), null);
        const payload = one === null ? {} : { value: one };
        assert.equal(isTruthy(evaluate(rule, { payload })), meaning(one, constant));
      }),
      { numRuns: 300 },
    );
  });

test("what cannot be the same is named", () => {
  const notesOf = (rule: unknown) => translateRule(rule).notes.join("; ");
  assert.match(notesOf({ ">": [{ var: "payload.at" }, "2026-01-01"] }), /2026-01-01 is compared as a text/);
  assert.match(notesOf({ "==": [{ var: "subscriber.createdAt" }, "x"] }), /subscriber.createdAt is always missing/);
  assert.match(notesOf({ and: [{ "==": [{ var: "payload.a" }, { var: "payload.b" }] }] }), /two values are compared/);
  assert.equal(notesOf({ "==": [{ var: "subscriber.data.plan" }, "pro"] }), "");
  assert.throws(() => translateRule({ "!": [{ moreThanXAgo: [{ var: "a" }, {}] }] }), /uses moreThanXAgo/);
});
