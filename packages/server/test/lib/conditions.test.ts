// Conditions follow the JSON Logic standard, are checked when saved, and have bounded work.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "@tidings/testkit/properties";
import jsonLogic from "json-logic-js";
import { conditionFault, conditionOperators, evaluate } from "../../src/lib/conditions.ts";

const data = {
  payload: { amount: 12, text: "Hello world", tags: ["a", "b"], none: null, zero: 0, list: [1, 2, 3], empty: [] },
  subscriber: { subscriberId: "ada", data: { vip: true } },
};

type Row = [rule: object, expected: unknown];

const standard: Row[] = [
  [{ var: "payload.amount" }, 12],
  [{ var: ["payload.amount"] }, 12],
  [{ var: ["payload.missing", 7] }, 7],
  [{ var: ["payload.none", 7] }, null],
  [{ var: "payload.missing.deeper" }, null],
  [{ var: "payload.list.1" }, 2],
  [{ var: "payload.text.length" }, 11],
  [{ "==": [1, "1"] }, true],
  [{ "===": [1, "1"] }, false],
  [{ "!=": ["a", 1] }, true],
  [{ "!==": [1, "1"] }, true],
  [{ "==": [{ var: "payload.missing" }, 0] }, false],
  [{ "==": [{ var: "payload.missing" }, null] }, true],
  [{ "==": ["open", true] }, false],
  [{ "!": { var: "payload.list" } }, false],
  [{ "!": { var: "payload.empty" } }, true],
  [{ "!": ["0"] }, false],
  [{ "!!": [{}] }, true],
  [{ "<": [1, 2, 3] }, true],
  [{ "<": [1, 4, 3] }, false],
  [{ "<=": [1, 1, 2] }, true],
  [{ ">": ["text", 3] }, false],
  [{ ">=": [3, "3"] }, true],
  [{ ">": ["b", "a"] }, true],
  [{ and: [true, "x", 3] }, 3],
  [{ and: [true, "", 3] }, ""],
  [{ or: [false, 0, "x"] }, "x"],
  [{ or: [{ "==": ["a", 1] }, { "==": [1, 1] }] }, true],
  [{ if: [false, "a", true, "b", "c"] }, "b"],
  [{ if: [false, "a"] }, null],
  [{ "?:": [true, "a", "b"] }, "a"],
  [{ max: [1, 3, 2] }, 3],
  [{ min: [1, 3, 2] }, 1],
  [{ "+": [1, "2", 3] }, 6],
  [{ "-": [5, 2] }, 3],
  [{ "-": [5] }, -5],
  [{ "*": [2, "3"] }, 6],
  [{ "/": [6, 4] }, 1.5],
  [{ "%": [7, 3] }, 1],
  [{ cat: ["I am ", 3, null, "!"] }, "I am 3!"],
  [{ substr: ["jsonlogic", 4] }, "logic"],
  [{ substr: ["jsonlogic", -5] }, "logic"],
  [{ substr: ["jsonlogic", 1, 3] }, "son"],
  [{ substr: ["jsonlogic", 4, -2] }, "log"],
  [{ in: ["ell", "Hello"] }, true],
  [{ in: ["a", { var: "payload.tags" }] }, true],
  [{ in: ["c", { var: "payload.tags" }] }, false],
  [{ in: ["a", { var: "payload.missing" }] }, false],
  [{ merge: [[1, 2], 3, [4]] }, [1, 2, 3, 4]],
  [{ missing: ["payload.amount", "payload.gone"] }, ["payload.gone"]],
  [{ missing: { merge: ["payload.gone", ["payload.none"]] } }, ["payload.gone", "payload.none"]],
  [{ missing_some: [1, ["payload.amount", "payload.gone"]] }, []],
  [{ missing_some: [2, ["payload.amount", "payload.gone"]] }, ["payload.gone"]],
  [{ map: [{ var: "payload.list" }, { "*": [{ var: "" }, 2] }] }, [2, 4, 6]],
  [{ filter: [{ var: "payload.list" }, { ">": [{ var: "" }, 1] }] }, [2, 3]],
  [{ filter: [{ var: "payload.missing" }, true] }, []],
  [{ reduce: [{ var: "payload.list" }, { "+": [{ var: "current" }, { var: "accumulator" }] }, 10] }, 16],
  [{ reduce: [{ var: "payload.empty" }, { var: "current" }] }, null],
  [{ all: [{ var: "payload.list" }, { ">": [{ var: "" }, 0] }] }, true],
  [{ all: [{ var: "payload.empty" }, true] }, false],
  [{ some: [{ var: "payload.list" }, { ">": [{ var: "" }, 2] }] }, true],
  [{ none: [{ var: "payload.list" }, { ">": [{ var: "" }, 3] }] }, true],
  [{ log: "x" }, "x"],
  [{ all: [1, false] }, false],
  [{ all: [{ var: "payload" }, true] }, false],
  [{ some: ["abc", true] }, false],
  [{ none: ["abc", true] }, true],
  [{ map: ["abc", 1] }, []],
  [{ filter: [7, true] }, []],
  [{ and: true }, true],
  [{ "*": ["2"] }, "2"],
  [{ in: [null, "a null"] }, true],
  [{ substr: ["jsonlogic", 4, null] }, ""],
];

const additions: Row[] = [
  [{ contains: [{ var: "payload.text" }, "world"] }, true],
  [{ contains: [{ var: "payload.tags" }, "b"] }, true],
  [{ contains: [{ var: "payload.missing" }, "b"] }, false],
  [{ notContains: [{ var: "payload.text" }, "moon"] }, true],
  [{ notContains: [{ var: "payload.missing" }, "moon"] }, true],
  [{ beginsWith: [{ var: "payload.text" }, "Hello"] }, true],
  [{ beginsWith: [{ var: "payload.amount" }, "1"] }, false],
  [{ notBeginsWith: [{ var: "payload.text" }, "Hello"] }, false],
  [{ endsWith: [{ var: "payload.text" }, "world"] }, true],
  [{ notEndsWith: [{ var: "payload.text" }, "world"] }, false],
  [{ null: [{ var: "payload.none" }] }, true],
  [{ null: [{ var: "payload.zero" }] }, false],
  [{ notNull: { var: "payload.zero" } }, true],
  [{ notIn: ["c", { var: "payload.tags" }] }, true],
  [{ between: [{ var: "payload.amount" }, 12, 20] }, true],
  [{ between: [{ var: "payload.amount" }, [1, 11]] }, false],
  [{ between: [{ var: "payload.missing" }, 0, 20] }, false],
  [{ notBetween: [{ var: "payload.amount" }, [13, 20]] }, true],
];

for (const [rule, expected] of [...standard, ...additions]) {
  test(`${JSON.stringify(rule)} is ${JSON.stringify(expected)}`, () => {
    assert.equal(conditionFault(rule), null);
    assert.deepEqual(evaluate(rule, data), expected);
  });
}

test("every operator is covered by a row", () => {
  const used = JSON.stringify([...standard, ...additions]);
  assert.deepEqual(
    conditionOperators.filter((name) => !used.includes(`"${name}":`)),
    [],
  );
});

describe("faults", () => {
  test("name what is wrong", () => {
    assert.equal(conditionFault({ nope: [1] }), "uses an unknown operator: nope");
    assert.equal(conditionFault({ and: [true, { constructor: [] }] }), "uses an unknown operator: constructor");
    assert.equal(conditionFault({ toString: [] }), "uses an unknown operator: toString");
    assert.equal(conditionFault(JSON.parse('{"__proto__": []}')), "uses an unknown operator: __proto__");
    assert.equal(conditionFault({ and: [], or: [] }), "must have one operator per object, not and, or");
    for (const value of [null, 1, "x", [], true]) assert.equal(conditionFault(value), "must be an object");
    const deep = Array.from({ length: 40 }).reduce<object>((inner) => ({ "!": inner }), { var: "x" });
    assert.equal(conditionFault(deep), "must not be nested deeper than 32 levels");
  });

  test("an empty object is no rule and no fault", () => assert.equal(conditionFault({}), null));

  test("a rule that was never checked throws instead of doing something", () => {
    assert.throws(() => evaluate({ nope: [1] }, data));
    assert.throws(() => evaluate({ constructor: ["return process"] }, data));
    assert.throws(() => evaluate({ hasOwnProperty: ["x"] }, data));
  });
});

describe("safe", () => {
  test("no prototype is reached", () => {
    for (const path of [
      "constructor",
      "__proto__",
      "payload.constructor.name",
      "payload.text.constructor",
      "toString",
    ]) {
      assert.equal(evaluate({ var: path }, data), null, path);
    }
    const own = JSON.parse('{"payload": {"toString": 1, "constructor": 2}}');
    assert.equal(evaluate({ var: "payload.constructor" }, own), 2);
    assert.equal(evaluate({ cat: [{ var: "payload" }] }, own), "[object Object]");
    assert.equal(evaluate({ "==": [{ var: "payload" }, "x"] }, own), false);
  });

  test("work has an end", () => {
    const list = Array.from({ length: 500 }, (_, index) => index);
    const items = { var: "list" };
    const rule = { map: [items, { map: [[1, 2, 3, 4, 5, 6], { some: [list, { "==": [{ var: "" }, -1] }] }] }] };
    assert.throws(() => evaluate(rule, { list }), /takes too long/);
  });

  test("texts and lists do not grow without end", () => {
    const list = Array.from({ length: 200 }, () => 1);
    const twice = [{ var: "accumulator" }, { var: "accumulator" }];
    assert.throws(() => evaluate({ reduce: [list, { cat: twice }, "x"] }, {}), /too long/);
    assert.throws(() => evaluate({ reduce: [list, { merge: twice }, [1]] }, {}), /too long/);
    assert.throws(() => evaluate({ cat: [{ reduce: [list, twice, "x"] }] }, {}), /too long/);
    assert.throws(() => evaluate({ "==": [{ reduce: [list, twice, "x"] }, "y"] }, {}), /too long/);
  });

  test("whatever the rule, evaluating ends with a value or an error and changes nothing", () => {
    const frozen = JSON.stringify(data);
    const { rule } = fc.letrec((tie) => ({
      rule: fc
        .tuple(fc.constantFrom(...conditionOperators), fc.oneof(tie("part"), fc.array(tie("part"), { maxLength: 4 })))
        .map(([name, args]) => ({ [name]: args })),
      part: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("payload.list", "payload.tags", "payload", "", "accumulator", "current", "x"),
        fc.jsonValue({ maxDepth: 1 }),
        tie("rule"),
      ),
    }));
    fc.assert(
      fc.property(rule, (given) => {
        const before = JSON.stringify(given);
        try {
          evaluate(given, data);
        } catch (error) {
          assert.ok(error !== undefined);
        }
        assert.equal(JSON.stringify(given), before);
        assert.equal(JSON.stringify(data), frozen);
      }),
      { numRuns: 1_000 },
    );
  });

  test("the extra operators and their opposites never agree", () => {
    const pairs = ["contains", "beginsWith", "endsWith", "in", "between", "null"] as const;
    const opposite = (name: string) => `not${name[0]!.toUpperCase()}${name.slice(1)}`;
    fc.assert(
      fc.property(
        fc.constantFrom(...pairs),
        fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }),
        (name, args) => {
          const values = Object.fromEntries(args.map((value, index) => [`v${index}`, value]));
          const parts = args.map((_, index) => ({ var: `v${index}` }));
          assert.notEqual(evaluate({ [name]: parts }, values), evaluate({ [opposite(name)]: parts }, values));
        },
      ),
    );
  });
});

/**
 * Rules without end, with lists and with values that are none. Objects with several members are literals there, and
 * refused here.
 */
const value = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, -2.5, 7, "", "0", "1", "abc", "a,b", "2 apples", "payload", "null"),
  fc.constantFrom<unknown>([], [1, 2, 3], ["a", null], [[1], [2]], {}, [""], ["payload.list", "payload.gone"]),
  fc
    .constantFrom("payload.amount", "payload.list", "payload.list.1", "payload.text", "payload.gone.x", "")
    .map((path) => ({ var: path })),
);
const standardOperators = conditionOperators.filter(
  (name) => name !== "log" && standard.some(([rule]) => JSON.stringify(rule).includes(`"${name}":`)),
);
const { rule } = fc.letrec((tie) => ({
  rule: fc
    .tuple(
      fc.constantFrom(...standardOperators.filter((name) => !additions.some(([added]) => name in added))),
      fc.oneof(
        { weight: 8, arbitrary: fc.array(tie("part"), { maxLength: 4 }) },
        { weight: 1, arbitrary: tie("part") },
      ),
    )
    .map(([name, args]) => ({ [name]: args })),
  part: fc.oneof({ maxDepth: 3 }, value, value, tie("rule")),
}));

/** A value, or its absence. Texts of errors differ. */
function answerOf(work: () => unknown): unknown {
  try {
    return work() ?? null;
  } catch {
    return "an error";
  }
}

test("whatever the rule and the types of its values, the answer is that of json-logic-js", () => {
  fc.assert(
    fc.property(rule, (given) => {
      const expected = answerOf(() => jsonLogic.apply(given as never, data));
      assert.deepEqual(
        answerOf(() => evaluate(given, data)),
        expected,
        JSON.stringify(given),
      );
    }),
    { numRuns: 8_000 },
  );
});
