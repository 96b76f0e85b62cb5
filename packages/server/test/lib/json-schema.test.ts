// The interpreter of JSON Schema finds the same values valid as ajv does, and fills in the same defaults. Where ajv is
// known to be wrong (`unevaluated…`), a second interpreter decides.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Validator } from "@cfworker/json-schema";
import fc from "@tidings/testkit/properties";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonObject } from "../../src/lib/json.ts";
import { faultsOf } from "../../src/lib/json-schema/json-schema.ts";
import { matchesPattern, patternFault } from "../../src/lib/patterns.ts";

const runs = Number(process.env.FUZZ_RUNS ?? 25);

const key = fc.constantFrom("a", "b", "c");
const plain = fc.constantFrom<unknown>(
  0,
  1,
  3.5,
  -1,
  "",
  "a",
  "abc",
  "2026-01-01",
  "x@y.z",
  "😀",
  true,
  null,
  [1, 1],
  {},
);

const { value, schema } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    plain,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
  schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), tie("keywords")),
  keywords: fc
    .tuple(...Array.from({ length: 3 }, () => tie("keyword")))
    .map((parts) => Object.assign({}, ...(parts as JsonObject[])) as JsonObject),
  keyword: fc.oneof(
    fc.record({ type: fc.constantFrom("string", "number", "integer", "object", "array", "boolean", "null") }),
    fc.record({ enum: fc.uniqueArray(plain, { minLength: 1, maxLength: 3 }) }),
    fc.record({ minimum: fc.integer({ min: -2, max: 3 }), multipleOf: fc.constantFrom(1, 0.5) }),
    fc.record({ minLength: fc.nat(2), maxLength: fc.nat(3), pattern: fc.constantFrom("^a", "^[a-z]+$") }),
    fc.record({ format: fc.constantFrom("date", "email", "uri", "nope") }),
    fc.record({ items: tie("schema"), maxItems: fc.nat(3), uniqueItems: fc.boolean() }),
    fc.record({ contains: tie("schema") }),
    fc.record({ properties: fc.dictionary(key, tie("schema")), required: fc.uniqueArray(key) }),
    fc.record({ properties: fc.dictionary(key, tie("schema")), additionalProperties: tie("schema") }),
    fc.record({ patternProperties: fc.dictionary(fc.constantFrom("^a", "[bc]"), tie("schema")) }),
    fc.record({ properties: fc.record({ b: fc.record({ default: plain }) }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
    fc.record({ if: tie("schema"), then: tie("schema"), else: tie("schema") }),
    fc.record({ not: tie("schema") }),
    fc.record({ $ref: fc.constant("#/definitions/x") }),
    fc.record({ unevaluatedProperties: tie("schema"), anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ prefixItems: fc.array(tie("schema"), { minLength: 1 }), unevaluatedItems: tie("schema") }),
    fc.record({ dependentRequired: fc.dictionary(key, fc.uniqueArray(key)) }),
  ),
}));

/** Null where what ajv has compiled throws: it does on some schemas with `unevaluated…`. */
function judgeByAjv(root: JsonObject, given: unknown): boolean | null {
  const options = { allErrors: true, strict: false, useDefaults: true, logger: false } as const;
  const { $schema, ...rest } = root;
  const ajv = String($schema).includes("2020-12") ? new Ajv2020(options) : new Ajv(options);
  addFormats.default(ajv as Ajv);
  const validate = ajv.compile(rest);
  try {
    return validate(given) as boolean;
  } catch {
    return null;
  }
}

/**
 * For ajv, a branch of `anyOf` that fails has still evaluated what its `patternProperties` name, which the
 * specification excludes (2020-12, section 11). A verdict of ajv about `unevaluated…` needs a second one.
 */
function isWronglyJudgedByAjv(root: JsonObject, given: unknown, verdict: boolean): boolean {
  const isDisputed = String(root.$schema).includes("2020-12") && JSON.stringify(root).includes('"unevaluated');
  return isDisputed && new Validator(root, "2020-12", false).validate(structuredClone(given)).valid !== verdict;
}

describe("validity and defaults as in ajv", () => {
  for (const $schema of ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]) {
    test($schema, () => {
      fc.assert(
        fc.property(schema, schema, value, (part, x, given) => {
          const root = { ...($schema && { $schema }), allOf: [part], definitions: { x: toDefinition(x) } };
          const [one, other] = [structuredClone(given), structuredClone(given)];
          const expected = judgeByAjv(root, other);
          if (expected === null) return;
          const isFit = faultsOf(root, one).length === 0;
          if (isFit !== expected && isWronglyJudgedByAjv(root, given, expected)) return;
          assert.equal(isFit, expected);
          if (expected) assert.deepEqual(one, other);
        }),
        { numRuns: runs },
      );
    });
  }
});

test("a branch that fails has evaluated nothing", () => {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  const branches = [{ type: "string", patternProperties: { c: {} } }, { properties: { b: {} } }];
  const root = { $schema, anyOf: branches, unevaluatedProperties: false };
  assert.deepEqual(faultsOf(root, { b: 1 }), []);
  assert.notDeepEqual(faultsOf(root, { c: 1 }), []);
  assert.equal(isWronglyJudgedByAjv(root, { c: 1 }, judgeByAjv(root, { c: 1 }) ?? false), true);
});

test("without $schema the keywords of both drafts count; a schema of draft 7 has only its own", () => {
  const table: [schema: JsonObject, value: unknown][] = [
    [{ prefixItems: [{ type: "string" }] }, [1]],
    [{ items: [{ type: "string" }] }, [1]],
    [{ items: [{}], additionalItems: false }, [1, 2]],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }],
    [{ dependencies: { a: ["b"] } }, { a: 1 }],
    [{ properties: { a: {} }, unevaluatedProperties: false }, { b: 1 }],
    [{ contains: { type: "string" }, minContains: 2 }, ["a"]],
    [{ $defs: { x: { type: "string" } }, $ref: "#/$defs/x" }, 1],
  ];
  for (const [schema, value] of table) assert.notDeepEqual(faultsOf(schema, value), [], JSON.stringify(schema));
  const $schema = "http://json-schema.org/draft-07/schema#";
  assert.deepEqual(faultsOf({ $schema, prefixItems: [{ type: "string" }] }, [1]), []);
});

test("defaults are filled in after `not`, `anyOf` and the like have been checked", () => {
  const properties = { b: { default: 0 } };
  const closed = { properties: {}, additionalProperties: false };
  for (const root of [
    { properties, not: closed },
    { properties, anyOf: [{ required: ["b"] }] },
  ]) {
    assert.equal(judgeByAjv(root, {}), false);
    assert.notDeepEqual(faultsOf(root, {}), []);
  }
});

/**
 * No circles; ajv fills in defaults behind a reference even where the schema is only tried, and it does not know which
 * members a referenced `true` or `false` has evaluated.
 */
function toDefinition(part: unknown): unknown {
  if (typeof part === "boolean") return part ? {} : { not: {} };
  return JSON.parse(JSON.stringify(part).replaceAll('"$ref"', '"x"').replaceAll('"default"', '"y"'));
}

test("references: paths, anchors, identifiers, and what leads nowhere is passed over", () => {
  const definitions = { "a/b": { type: "string" }, c: { $id: "other.json", $anchor: "here", type: "number" } };
  const isFit = ($ref: string, given: unknown) => faultsOf({ $ref, definitions }, given).length === 0;
  for (const ref of ["#/definitions/a~1b", "#/definitions/a%2Fb".replace("%2F", "~1")]) {
    assert.deepEqual([isFit(ref, "x"), isFit(ref, 1)], [true, false], ref);
  }
  for (const ref of ["other.json", "other.json#here"])
    assert.deepEqual([isFit(ref, 1), isFit(ref, "x")], [true, false], ref);
  assert.equal(isFit("#/definitions/none", 1), true);
});

test("expressions: what RE2 takes is matched, what it does not is named", () => {
  assert.equal(matchesPattern("^(a+)+$", `${"a".repeat(10_000)}!`), false);
  assert.equal(matchesPattern("^\\d{4}-\\d{2}$", "2026-11"), true);
  for (const pattern of ["(?=x)a", "(a)\\1", "(", "x{1000}{1000}", "a".repeat(1_001)]) {
    assert.ok(patternFault(pattern), pattern);
    assert.equal(matchesPattern(pattern, "b"), true, "a stored one that cannot be used says nothing");
  }
});
