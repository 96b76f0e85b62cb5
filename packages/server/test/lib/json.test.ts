import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "@tidings/testkit/properties";
import { canonicalJson, isObject, jsonBytes, valueAt } from "../../src/lib/json.ts";

test("canonical JSON does not depend on the order of members", () => {
  const table: [value: unknown, text: string][] = [
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ b: { d: 1, c: [3, { f: 1, e: 2 }] } }, '{"b":{"c":[3,{"e":2,"f":1}],"d":1}}'],
    [[2, 1], "[2,1]"],
    [{ a: undefined, b: null }, '{"b":null}'],
    [undefined, "null"],
    [null, "null"],
    ["ä\n", '"ä\\n"'],
    [Number.NaN, "null"],
    [-0, "0"],
    [{ "": 1 }, '{"":1}'],
  ];
  for (const [value, text] of table) assert.equal(canonicalJson(value), text);
});

/** The same value with the members of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

test("equal values have equal texts, and the text parses back to the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      assert.equal(canonicalJson(plain), canonicalJson(reversed(plain)));
      assert.deepEqual(JSON.parse(canonicalJson(plain)), plain);
    }),
  );
});

test("different values have different texts", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
      assert.equal(canonicalJson(a) === canonicalJson(b), isSame);
    }),
  );
});

test("a path reaches own members only", () => {
  const root = { order: { id: 7, items: [{ sku: "a" }], note: null }, "a.b": 1 };
  const table: [path: string, expected: unknown][] = [
    ["order.id", 7],
    ["order.items.0.sku", "a"],
    ["order.note", null],
    ["order.note.x", undefined],
    ["order.missing", undefined],
    ["order.id.toFixed", undefined],
    ["order.items.length", 1],
    ["constructor", undefined],
    ["__proto__", undefined],
    ["order.__proto__.x", undefined],
    ["order.constructor.name", undefined],
    ["a.b", undefined],
    ["", undefined],
    [".", undefined],
  ];
  for (const [path, expected] of table) assert.deepEqual(valueAt(root, path), expected, path);
  for (const nothing of [null, undefined, "text", 5]) assert.equal(valueAt(nothing, "length"), undefined);
});

test("size is counted in bytes of UTF-8", () => {
  assert.equal(jsonBytes("ä"), 4);
  assert.equal(jsonBytes({ a: "😀" }), 12);
  assert.equal(jsonBytes(undefined), 0);
});

test("lists and null are no objects", () => {
  for (const value of [null, [], "x", 1, undefined]) assert.equal(isObject(value), false);
  assert.equal(isObject({}), true);
});
