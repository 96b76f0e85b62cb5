// Conditions in words: the reasons of steps that were skipped, and the clauses they consist of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionText, decidingParts, skipText, variablePaths } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import { isTruthy } from "../../../../src/lib/condition-operators.ts";
import { conditionOperators, evaluate } from "../../../../src/lib/conditions.ts";
import type { JsonObject } from "../../../../src/lib/json.ts";
import { evaluateSkip } from "../../../../src/pipeline/rules/conditions.ts";
import { conditionReason } from "../../../../src/pipeline/rules/text/condition-text.ts";

const at = (path: string) => ({ var: path });
const plan = { "==": [at("payload.plan"), "pro"] };
const total = { ">": [at("payload.total"), 10] };

const clauses: [rule: unknown, text: string][] = [
  [plan, 'payload.plan is "pro"'],
  [{ "!=": [at("a"), 3] }, "a is not 3"],
  [{ "==": [at("a"), null] }, "a does not exist"],
  [{ "!=": [at("a"), ""] }, "a is not empty"],
  [{ "<": [5, at("a")] }, "a is more than 5"],
  [{ "<": [1, at("a"), 5] }, "a is more than 1 and less than 5"],
  [{ ">": [at("a"), "2026-11-17"] }, "a is after 2026-11-17"],
  [{ "<=": [at("a"), "2026-11-17T09:30:00.000Z"] }, "a is on or before 2026-11-17 09:30 UTC"],
  [{ "!": [total] }, "payload.total is not more than 10"],
  [{ "!!": [at("a")] }, "a is true"],
  [{ "!": at("a") }, "a is false or empty"],
  [{ in: [at("a"), ["x", "y", 3]] }, 'a is one of "x", "y" or 3'],
  [{ "!": [{ in: [at("a"), ["x"]] }] }, 'a is none of "x"'],
  [{ in: ["x", at("payload.tags")] }, 'payload.tags contains "x"'],
  [{ in: [at("a"), "abc"] }, 'a is part of "abc"'],
  [{ between: [at("a"), 1, 5] }, "a is between 1 and 5"],
  [{ notBetween: [at("a"), [1, 5]] }, "a is not between 1 and 5"],
  [{ missing: ["a", "b"] }, "a or b does not exist"],
  [{ missing: ["a"] }, "a does not exist"],
  [{ missing_some: [1, ["a", "b"]] }, "fewer than 1 of a and b exist"],
  [{ some: [at("payload.items"), { ">": [at("price"), 5] }] }, "for some item of payload.items, price is more than 5"],
  [{ and: [plan, total] }, 'payload.plan is "pro" and payload.total is more than 10'],
  [{ and: [plan, { or: [total, at("a")] }] }, 'payload.plan is "pro" and (payload.total is more than 10 or a is true)'],
  [{ "!": [{ and: [plan, total] }] }, 'payload.plan is not "pro" or payload.total is not more than 10'],
  [{ ">": [at("a"), at("b")] }, "a is more than b"],
  [{ ">": [{ "+": [at("a"), 2] }, at("b")] }, "(a + 2) is more than b"],
  [{ "==": [{ var: ["a", "free"] }, "pro"] }, 'a (or "free" if it does not exist) is "pro"'],
  [{ if: [at("a"), plan, false] }, '(if a is true, then payload.plan is "pro", otherwise never)'],
  [{ "==": [{ substr: [at("a"), 2] }, "x"] }, '{"substr":[{"var":"a"},2]} is "x"'],
  [{ unknown: [1] }, '{"unknown":[1]} is true'],
  [{ "==": [at("a"), "x".repeat(100)] }, `a is "${"x".repeat(60)}…"`],
];

test("rules read as clauses", () => {
  for (const [rule, text] of clauses) assert.equal(conditionText(rule), text);
  assert.equal(skipText({ "!": [total] }), "runs only when payload.total is more than 10");
  assert.equal(skipText(total), "is skipped when payload.total is more than 10");
  assert.equal(skipText({ "!": [at("a")] }), "is skipped when a is false or empty");
});

/** The reason as a job gives it: from what was stored when the step was skipped. */
function reasonOf(skip: unknown, scope: JsonObject): string {
  const decision = evaluateSkip(skip, () => scope);
  assert.ok("isSkipped" in decision && decision.isSkipped, "the step is skipped");
  return conditionReason(decision, "was");
}

test("a reason names the rule, and the values that decided", () => {
  const mention = { "!": [{ "!!": [at("payload.mention")] }] };
  assert.equal(
    reasonOf(mention, { payload: { mention: false } }),
    "it runs only when payload.mention is true, and it was false",
  );
  assert.equal(reasonOf(mention, { payload: {} }), "it runs only when payload.mention is true, and it was missing");
  const both = { "!": [{ and: [plan, total] }] };
  const says = 'it runs only when payload.plan is "pro" and payload.total is more than 10';
  assert.equal(reasonOf(both, { payload: { plan: "pro", total: 5 } }), `${says}, and payload.total was 5`);
  assert.equal(reasonOf(both, { payload: { plan: "free", total: 5 } }), `${says}, and payload.plan was "free"`);
  // A list that was too long to be stored: nobody knows which line decided.
  const tags = { "!": [{ and: [{ contains: [at("payload.tags"), "x"] }, total] }] };
  const long = Array.from({ length: 300 }, (_, index) => index);
  assert.match(
    reasonOf(tags, { payload: { tags: long, total: 5 } }),
    /payload\.tags was a list of 300 and payload\.tot/,
  );
  const many = { or: Array.from({ length: 200 }, () => total) };
  assert.match(reasonOf(many, { payload: { total: 11 } }), /too long to be shown here$/);
});

test("classic filters have the same words", () => {
  const part = { on: "payload", field: "plan", operator: "EQUAL", value: "pro" };
  const filters = [{ isNegated: false, type: "GROUP", value: "AND", children: [part] }];
  const values = { "payload.plan": "free" };
  assert.equal(conditionReason({ filters, values }, "is"), 'it runs only when payload.plan is "pro", and it is "free"');
});

const { rule: anyRule } = fc.letrec((tie) => ({
  rule: fc
    .tuple(fc.constantFrom(...conditionOperators), fc.oneof(tie("part"), fc.array(tie("part"), { maxLength: 4 })))
    .map(([operator, args]) => ({ [operator]: args })),
  part: fc.oneof(
    { maxDepth: 4, depthIdentifier: "rule" },
    fc.constantFrom("payload.list", "payload.plan", "", true, 3),
    fc.jsonValue({ maxDepth: 1 }),
    tie("rule"),
  ),
}));

const scope = { payload: { list: [1, 2], plan: "pro", total: 3 } };

function truthOf(rule: unknown): boolean | undefined {
  try {
    return isTruthy(evaluate(rule, scope));
  } catch {
    return undefined;
  }
}

test("any rule has words, and its double negation has the same ones and the same truth", () => {
  fc.assert(
    fc.property(anyRule, (rule) => {
      const twice = { "!": [{ "!": [rule] }] };
      assert.equal(conditionText(twice), conditionText(rule));
      assert.equal(truthOf(twice), truthOf(rule));
      const read = (of: unknown) => [...variablePaths(decidingParts(of, truthOf) ?? "unknown")];
      assert.deepEqual(read(twice), read(rule));
      // The opposite never says the same.
      assert.notEqual(conditionText({ "!": [rule] }), conditionText(rule));
      assert.ok(conditionText(rule).length <= 601);
    }),
    { numRuns: 500 },
  );
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => void [conditionText(value), skipText(value)]));
  let deep: unknown = true;
  for (let level = 0; level < 20_000; level++) deep = { "!": [deep] };
  for (const text of [conditionText(deep), conditionText({ and: [deep, deep] })]) assert.ok(text.length < 200, text);
});

test("the deciding comparisons alone decide the same", () => {
  const leaf = fc.constantFrom(plan, total, { "!!": [at("payload.none")] }, { in: [1, at("payload.list")] });
  const { rule } = fc.letrec((tie) => ({
    rule: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.record({ and: fc.array(tie("rule"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ or: fc.array(tie("rule"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ "!": fc.tuple(tie("rule")) }),
    ),
  }));
  fc.assert(
    fc.property(rule, (rule) => {
      const deciding = decidingParts(rule, truthOf)!;
      assert.ok(deciding.length > 0);
      // A comparison that is not among them does not matter: turned round, the result is the same.
      const flip = (part: unknown): unknown => {
        const [[operator, args]] = Object.entries(part as JsonObject) as [[string, unknown[]]];
        if (operator === "and" || operator === "or") return { [operator]: args.map(flip) };
        if (operator === "!") return { "!": [flip(args[0])] };
        return deciding.includes(part) ? part : { "!": [part] };
      };
      assert.equal(truthOf(flip(rule)), truthOf(rule));
    }),
  );
});
