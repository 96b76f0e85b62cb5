// Conditions between JSON Logic and the builder, and what the builder offers for a variable.
import assert from "node:assert/strict";
import { test } from "node:test";
import { operatorWords } from "@tidings/contract/conditions";
import fc from "@tidings/testkit/properties";
import { choicesAt, operatorsFor, sampleText, typeAt, withVariable } from "../src/fields/condition-types.ts";
import { type Condition, type Line, readRule, takesValue, writeRule } from "../src/fields/conditions.ts";

const operators = Object.keys(operatorWords) as Line["operator"][];
const path = fc.constantFrom("payload.a", "payload.b.c", "subscriber.data.plan", "steps.mail.read", "");
const value = fc.oneof(
  fc.constantFrom("", "12", "-3.5", "true", "null", '"12"', '"a\\"b"', "pro", "a b", "{{payload.x}}", "2026-01-01"),
  fc.string({ maxLength: 12 }),
);
/** Lists are written with one blank after each comma. */
const items = fc
  .array(fc.constantFrom("a", "b c", "12", "true", '"7"'), { minLength: 1, maxLength: 4 })
  .map((list) => list.join(", "));

const line: fc.Arbitrary<Line> = fc
  .record({ left: path, operator: fc.constantFrom(...operators), value, items, isPath: fc.boolean(), other: path })
  .map(({ left, operator, value, items, isPath, other }): Line => {
    if (!takesValue(operator)) return { left, operator, right: "" };
    if (isPath) return { left, operator, right: other, isPath: true };
    return { left, operator, right: operator === "in" ? items : value };
  });

const join = fc.constantFrom("and" as const, "or" as const);
const group = fc.record({ join, lines: fc.array(line, { minLength: 1, maxLength: 3 }) });
const nested = fc.record({ join, lines: fc.array(fc.oneof(line, group), { minLength: 1, maxLength: 3 }) });
const condition = fc
  .record({
    mode: fc.constantFrom("run" as const, "skip" as const),
    join,
    lines: fc.array(fc.oneof(line, group, nested), { minLength: 1, maxLength: 4 }),
  })
  // With one line, there is nothing to join.
  .map((one): Condition => (one.lines.length === 1 && !("lines" in one.lines[0]!) ? { ...one, join: "and" } : one));

test("what is built is written as JSON Logic that is built again", () => {
  fc.assert(
    fc.property(condition, (built) => {
      const rule = writeRule(built);
      const read = readRule(rule);
      // A value such as `"a` or ` 12` may be another text for the same rule; the rule never changes.
      assert.ok(read, JSON.stringify(rule));
      assert.deepEqual(writeRule(read), rule);
      assert.deepEqual(readRule(writeRule(read)), read);
    }),
    { numRuns: 500 },
  );
});

test("a rule that is read into lines is written with the same meaning; any other stays as it is", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (rule) => {
      const read = readRule(rule);
      if (read) assert.deepEqual(readRule(writeRule(read)), read);
    }),
  );
  const raw = [
    { some: [{ var: "payload.items" }, { ">": [{ var: "price" }, 5] }] },
    { and: [{ "!": [{ and: [{ "!!": [{ var: "a" }] }] }] }] },
    { "==": [{ var: ["a", 1] }, 2] },
    { in: [{ var: "a" }, []] },
    { and: [] },
  ];
  for (const rule of raw) assert.equal(readRule(rule), null, JSON.stringify(rule));
});

const knowledge = {
  schema: {
    type: "object",
    properties: {
      payload: {
        type: "object",
        properties: {
          plan: { type: "string", enum: ["free", "pro"] },
          total: { type: ["null", "number"] },
          at: { type: "string", format: "date-time" },
          tags: { type: "array" },
          day: { type: "string" },
        },
      },
    },
  },
  sample: { payload: { mention: true, total: 12, day: "2026-03-01", note: "x", deep: { a: [1, 2] }, no: null } },
};

test("types come from the schema, else from the sample", () => {
  const types = ["plan", "total", "at", "tags", "day", "mention", "note", "deep.a", "deep", "no", "none", ""].map(
    (name) => typeAt(`payload.${name}`, knowledge),
  );
  assert.deepEqual(types, [
    ...["text", "number", "date", "list", "date", "yesNo", "text", "list"],
    ...[undefined, undefined, undefined, undefined],
  ]);
  assert.deepEqual(choicesAt("payload.plan", knowledge), ["free", "pro"]);
  assert.equal(sampleText("payload.total", knowledge.sample), "12");
  assert.equal(sampleText("payload.note", knowledge.sample), '"x"');
  assert.equal(sampleText("payload.constructor", knowledge.sample), undefined);
});

test("the comparisons fit the type, and what was chosen stays", () => {
  assert.deepEqual(operatorsFor(undefined, "=="), operators);
  assert.ok(!operatorsFor("number", "==").includes("contains"));
  assert.equal(operatorsFor("number", "contains")[0], "contains");
  const empty: Line = { left: "payload.", operator: "==", right: "" };
  assert.equal(withVariable(empty, "payload.mention", "yesNo").operator, "!!");
  assert.equal(withVariable({ ...empty, right: "true" }, "payload.mention", "yesNo").operator, "==");
  assert.equal(withVariable(empty, "payload.x", undefined).operator, "==");
});
