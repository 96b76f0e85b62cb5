// Classic conditions, operator by operator, and how groups join them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepFilter } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import { passesFilters, renderFilters } from "../../../src/pipeline/rules/step-filters.ts";

type Part = StepFilter["children"][number];

const payload = {
  count: 10,
  text: "Hello World",
  numeric: "7.5",
  day: "2025-06-01",
  moment: "2025-06-01T12:00:00+02:00",
  yes: true,
  tags: ["red", "blue"],
  numbers: [1, 2],
  none: null,
  nothing: [],
  deep: { plan: "gold" },
};
const scope = {
  payload,
  subscriber: { firstName: "Ada", data: { level: 3 } },
  tenant: { identifier: "acme", name: null, data: { plan: "gold" } },
  actor: { firstName: "Ada" },
};

const part = (field: string, operator: Part["operator"], value: string, on: Part["on"] = "payload"): Part => ({
  field,
  operator,
  value,
  on,
});
const group = (children: Part[], changes: Partial<StepFilter> = {}): StepFilter => ({
  isNegated: false,
  type: "GROUP",
  value: "AND",
  children,
  ...changes,
});
const holds = (one: Part): boolean => passesFilters([group([one])], scope);

test("each operator compares numbers as numbers, times as times and everything else as text", () => {
  const table: [field: string, operator: Part["operator"], value: string, expected: boolean][] = [
    ["count", "EQUAL", "10", true],
    ["count", "EQUAL", "10.0", true],
    ["numeric", "EQUAL", " 7.50 ", true],
    ["text", "EQUAL", "hello world", false],
    ["yes", "EQUAL", "true", true],
    ["deep.plan", "EQUAL", "gold", true],
    ["tags", "EQUAL", '["red","blue"]', true],
    ["moment", "EQUAL", "2025-06-01T10:00:00Z", true],
    ["count", "NOT_EQUAL", "9", true],
    ["count", "LARGER", "9", true],
    ["count", "LARGER", "10", false],
    ["text", "LARGER", "Hello", true],
    ["count", "LARGER_EQUAL", "10", true],
    ["count", "SMALLER", "9", false],
    ["count", "SMALLER", "100", true],
    ["text", "SMALLER", "Zebra", true],
    ["count", "SMALLER_EQUAL", "10", true],
    ["moment", "SMALLER", "2025-06-01T11:00:00Z", true],
    ["day", "LARGER", "2025-05-31T23:59:59Z", true],
    ["count", "IN", "1, 10,100", true],
    ["count", "IN", "1,100", false],
    ["text", "NOT_IN", "a,b", true],
    ["tags", "ANY_IN", "green, blue", true],
    ["tags", "ANY_IN", "green", false],
    ["deep.plan", "ANY_IN", "silver,gold", true],
    ["tags", "ALL_IN", "red,green,blue", true],
    ["tags", "ALL_IN", "red", false],
    ["numbers", "ALL_IN", "1,2", true],
    ["nothing", "ALL_IN", "red", false],
    ["count", "BETWEEN", "10,20", true],
    ["count", "BETWEEN", "1, 10", true],
    ["count", "BETWEEN", "11,20", false],
    ["count", "BETWEEN", "5", false],
    ["day", "BETWEEN", "2025-05-01,2025-06-01", true],
    ["count", "NOT_BETWEEN", "11,20", true],
    ["text", "LIKE", "WORLD", true],
    ["text", "LIKE", "word", false],
    ["text", "NOT_LIKE", "word", true],
  ];
  for (const [field, operator, value, expected] of table) {
    assert.equal(holds(part(field, operator, value)), expected, `${field} ${operator} ${value}`);
  }
  assert.ok(holds(part("firstName", "EQUAL", "Ada", "subscriber")));
  assert.ok(holds(part("data.level", "LARGER", "2", "subscriber")));
});

test("what is missing equals nothing and is in nothing; a path never reaches a prototype", () => {
  for (const field of ["missing", "none", "deep.plan.length", "constructor.name", "__proto__.x", "text.length"]) {
    for (const operator of ["EQUAL", "LARGER", "SMALLER", "SMALLER_EQUAL", "IN", "ANY_IN", "ALL_IN", "LIKE"] as const) {
      assert.ok(!holds(part(field, operator, "")), `${field} ${operator}`);
    }
    assert.ok(!holds(part(field, "BETWEEN", "a,z")));
    for (const operator of ["NOT_EQUAL", "NOT_IN", "NOT_BETWEEN", "NOT_LIKE"] as const) {
      assert.ok(holds(part(field, operator, "a,z")), `${field} ${operator}`);
    }
  }
  assert.ok(!passesFilters([group([part("email", "EQUAL", "x", "subscriber")])], { ...scope, subscriber: null }));
});

test("a value that is a template is compared as what it renders to; the field and other values stay", () => {
  const table: [one: Part, expected: boolean][] = [
    [part("firstName", "EQUAL", "{{actor.firstName}}", "subscriber"), true],
    [part("firstName", "EQUAL", "{{ payload.text }}", "subscriber"), false],
    [part("count", "IN", "9, {{ payload.count }}"), true],
    [part("identifier", "EQUAL", "acme", "tenant"), true],
    [part("data.plan", "EQUAL", "{{payload.deep.plan}}", "tenant"), true],
    [part("data.plan", "NOT_EQUAL", "{{payload.deep.plan}}", "tenant"), false],
    [part("none", "EQUAL", "{{ payload.missing }}"), false],
  ];
  for (const [one, expected] of table) {
    const rendered = renderFilters([group([one])], scope);
    assert.equal(passesFilters(rendered, scope), expected, JSON.stringify(one));
    assert.equal(rendered[0]!.children[0]!.field, one.field);
  }
  assert.ok(!passesFilters([group([part("identifier", "EQUAL", "acme", "tenant")])], { ...scope, tenant: null }));
});

test("groups join their children, turn round, and all have to pass", () => {
  const [yes, no] = [part("count", "EQUAL", "10"), part("count", "EQUAL", "11")];
  const table: [groups: StepFilter[], expected: boolean][] = [
    [[], true],
    [[group([])], true],
    [[group([], { isNegated: true })], true],
    [[group([yes, no])], false],
    [[group([yes, no], { value: "OR" })], true],
    [[group([yes, no], { isNegated: true })], true],
    [[group([yes, no], { value: "OR", isNegated: true })], false],
    [[group([yes]), group([no])], false],
    [[group([yes]), group([no], { isNegated: true })], true],
  ];
  for (const [groups, expected] of table) assert.equal(passesFilters(groups, scope), expected, JSON.stringify(groups));
});

test("whatever the values, an operator and its opposite never agree, and none throws", () => {
  const opposites = [
    ["EQUAL", "NOT_EQUAL"],
    ["IN", "NOT_IN"],
    ["BETWEEN", "NOT_BETWEEN"],
    ["LIKE", "NOT_LIKE"],
  ] as const;
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), fc.constantFrom(...opposites), (found, value, [one, other]) => {
      const holdsFor = (operator: Part["operator"]) =>
        passesFilters([group([part("x", operator, value)])], { ...scope, payload: { x: found } });
      assert.notEqual(holdsFor(one), holdsFor(other));
    }),
    { numRuns: 300 },
  );
});
