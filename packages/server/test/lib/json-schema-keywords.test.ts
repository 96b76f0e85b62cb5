// Every keyword of draft-07 and 2020-12 with values that fit and values that do not, by the specifications. ajv is the
// second opinion. The table at the end names where we differ from the specifications, as docs/payload-schemas.md does.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonObject } from "../../src/lib/json.ts";
import { faultsOf } from "../../src/lib/json-schema/json-schema.ts";

type Row = [schema: JsonObject, fitting: unknown[], unfitting: unknown[]];

const text = { type: "string" };
const whole = { type: "integer" };

/** The same in both drafts. */
const shared: Row[] = [
  [{ type: "string" }, ["", "a", "1"], [1, null, true, [], {}]],
  [{ type: "number" }, [0, -1, 1.5, 1e300], ["1", null, true, [], {}]],
  [{ type: "integer" }, [0, -1, 1.0, 1e20], [1.5, "1", null, true]],
  [{ type: "boolean" }, [true, false], [0, 1, "true", null]],
  [{ type: "null" }, [null], [0, "", false, "null"]],
  [{ type: "array" }, [[], [1]], [{}, "a", null]],
  [{ type: "object" }, [{}, { a: 1 }], [[], "a", null]],
  [{ type: ["string", "null"] }, ["a", null], [1, []]],
  [{ enum: [1, "a", null, [1], { a: [2] }] }, [1, "a", null, [1], { a: [2] }], ["1", [2], {}, { a: 2 }]],
  [{ enum: [false] }, [false], [0, "", null]],
  [{ const: 0 }, [0, -0], [false, "0", null]],
  [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }, { a: 1, b: 2, c: 3 }]],
  [{ const: null }, [null], [0, ""]],
  [{ multipleOf: 3 }, [0, 9, -3, "x"], [1, 4.5]],
  [{ multipleOf: 0.25 }, [0.5, 3], [0.3]],
  [{ maximum: 3 }, [3, -9, "9"], [3.1]],
  [{ exclusiveMaximum: 3 }, [2.9], [3, 4]],
  [{ minimum: -1 }, [-1, 0, null], [-1.5]],
  [{ exclusiveMinimum: -1 }, [-0.9], [-1]],
  [{ maxLength: 2 }, ["", "ab", "😀😀", 123], ["abc", "😀😀😀"]],
  [{ minLength: 2 }, ["ab", "😀😀", 1], ["a", "😀", ""]],
  [{ pattern: "b+" }, ["abbc", 1], ["ac", ""]],
  [{ pattern: "^\\d{3}$" }, ["123"], ["1234", "12"]],
  [{ maxItems: 1 }, [[], [1], "ab"], [[1, 2]]],
  [{ minItems: 1 }, [[1], {}], [[]]],
  [
    { uniqueItems: true },
    [[], [1, "1"], [1, true], [[1], [2]], [{ a: 1 }, { a: 2 }]],
    [
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  [{ uniqueItems: false }, [[1, 1]], []],
  [{ contains: whole }, [["a", 1], {}, "a"], [[], ["a"]]],
  [{ contains: { const: 5 } }, [[5, 5]], [[4]]],
  [{ contains: true }, [[1]], [[]]],
  [{ contains: false }, ["a"], [[], [1]]],
  [{ items: whole }, [[], [1, 2], { 0: "a" }], [[1, "a"]]],
  [{ items: false }, [[], {}], [[1]]],
  [{ items: true }, [[1, "a"]], []],
  [{ items: { items: text } }, [[["a"], []]], [[[1]]]],
  [{ maxProperties: 1 }, [{}, { a: 1 }, [1, 2]], [{ a: 1, b: 2 }]],
  [{ minProperties: 1 }, [{ a: 1 }, []], [{}]],
  [{ required: ["a"] }, [{ a: null }, [], "a"], [{}, { b: 1 }]],
  [{ required: [] }, [{}], []],
  [{ properties: { a: whole, b: text } }, [{}, { a: 1, b: "x", c: null }, []], [{ a: "x" }, { a: 1, b: 2 }]],
  [{ properties: { a: false } }, [{}, { b: 1 }], [{ a: 1 }]],
  [{ properties: { "a.b/c~d": whole } }, [{ "a.b/c~d": 1 }], [{ "a.b/c~d": "x" }]],
  [
    { patternProperties: { "^n_": whole, x$: text } },
    [{ n_a: 1, ax: "a", o: [] }],
    [{ n_a: "a" }, { ax: 1 }, { n_x: 1 }],
  ],
  [
    { additionalProperties: false, properties: { a: {} }, patternProperties: { "^b": {} } },
    [{ a: 1, bc: 2 }, {}],
    [{ c: 1 }],
  ],
  [{ additionalProperties: whole }, [{ a: 1 }], [{ a: "x" }]],
  [{ additionalProperties: whole, properties: { a: text } }, [{ a: "x", b: 1 }], [{ a: "x", b: "y" }]],
  [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }, {}, "abc"], [{ abc: 1 }]],
  [{ propertyNames: false }, [{}], [{ a: 1 }]],
  [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [1, 3, "a"], [0, 4]],
  [{ allOf: [true, false] }, [], [1, null]],
  [{ anyOf: [whole, { minLength: 2 }] }, [1, "ab", null], ["a"]],
  [{ anyOf: [false, false] }, [], [1]],
  [{ oneOf: [whole, { minimum: 2 }] }, [1, 2.5], [3, 1.5]],
  [{ oneOf: [true, true] }, [], [1]],
  [{ oneOf: [{ required: ["a"] }, { required: ["b"] }] }, [{ a: 1 }, { b: 1 }], [{}, { a: 1, b: 1 }]],
  [{ not: whole }, ["a", 1.5], [1]],
  [{ not: true }, [], [1, {}]],
  [{ not: { not: text } }, ["a"], [1]],
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  [{ if: { minimum: 5 }, then: { multipleOf: 2 }, else: { multipleOf: 3 } }, [6, 8, 3, "a"], [7, 4]],
  [{ if: { const: 1 } }, [1, 2], []],
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  [{ then: false, else: false }, [1], []],
  [{ if: true, else: false }, [1], []],
  [{ if: false, else: text }, ["a"], [1]],
  [{ $ref: "#/definitions/x", definitions: { x: whole } }, [1], ["a"]],
  [{ $ref: "#/definitions/a~1b~0c%25d", definitions: { "a/b~c%d": whole } }, [1], ["a"]],
  [
    { properties: { child: { $ref: "#" }, v: whole } },
    [{ child: { child: { v: 1 } } }],
    [{ child: { child: { v: "x" } } }],
  ],
  [{ allOf: [{ $ref: "#/allOf/1" }, whole] }, [1], ["a"]],
  [{ properties: { $ref: text } }, [{ $ref: "a" }, {}], [{ $ref: 1 }]],
  [{ properties: { a: { $ref: "#/definitions/no" } }, definitions: { no: false } }, [{}], [{ a: 1 }]],
  [{ format: "date" }, ["2026-02-28", 1], ["2026-02-30", "28.02.2026"]],
  [{ format: "time" }, ["12:00:00Z", "23:59:59+01:00"], ["25:00:00Z", "noon"]],
  [{ format: "date-time" }, ["2026-01-01T00:00:00Z"], ["2026-01-01", "2026-13-01T00:00:00Z"]],
  [{ format: "email" }, ["a@b.io"], ["a", "@b.io"]],
  [{ format: "hostname" }, ["a.b.io"], ["-a.io", "a b"]],
  [{ format: "ipv4" }, ["10.0.0.1"], ["256.0.0.1", "1.2.3"]],
  [{ format: "ipv6" }, ["::1", "2001:db8::1"], ["1::2::3", "10.0.0.1"]],
  [{ format: "uri" }, ["https://x.io/a?b#c", "mailto:a@b.io"], ["/a", "a b"]],
  [{ format: "uri-reference" }, ["/a", "#b"], ["\\\\a"]],
  [{ format: "uri-template" }, ["/a/{b}"], ["/a/{b"]],
  [{ format: "json-pointer" }, ["/a/b~0", ""], ["a", "/~2"]],
  [{ format: "relative-json-pointer" }, ["0", "1/a"], ["/a", "-1"]],
  [{ format: "regex" }, ["^a+$"], ["("]],
  [{ format: "unknown" }, ["anything", 1], []],
  [{ title: "t", description: "d", default: 1, examples: [1], readOnly: true, $comment: "c" }, [1, "a"], []],
  [{ contentMediaType: "application/json", contentEncoding: "base64" }, ["no base64: {"], []],
  [{ unknownKeyword: false, "x-y": 1 }, [1], []],
  [{}, [1, null, [], {}, "a"], []],
];

const draft7: Row[] = [
  [{ items: [whole, text] }, [[1, "a", null], [1], []], [["a"], [1, 2]]],
  [{ items: [whole], additionalItems: text }, [[1, "a"], [1]], [[1, 2]]],
  [{ items: [whole], additionalItems: false }, [[1]], [[1, 2]]],
  [{ additionalItems: false }, [[1, 2]], []],
  [{ items: whole, additionalItems: false }, [[1, 2]], [["a"]]],
  [{ dependencies: { a: ["b", "c"] } }, [{}, { b: 1 }, { a: 1, b: 1, c: 1 }], [{ a: 1, b: 1 }]],
  [{ dependencies: { a: { required: ["b"] } } }, [{ a: 1, b: 1 }, {}], [{ a: 1 }]],
  [{ dependencies: { a: false } }, [{}], [{ a: 1 }]],
  [{ $ref: "node", definitions: { n: { $id: "node", type: "integer" } } }, [1], ["a"]],
  [{ prefixItems: [whole], minContains: 2, unevaluatedItems: false }, [["a"]], []],
  [{ dependentRequired: { a: ["b"] }, unevaluatedProperties: false }, [{ a: 1 }], []],
];

const draft2020: Row[] = [
  [{ prefixItems: [whole, text] }, [[1, "a", null], [1], [], {}], [["a"], [1, 2]]],
  [{ prefixItems: [whole], items: text }, [[1, "a"], [1]], [[1, 2], ["a"]]],
  [{ prefixItems: [whole], items: false }, [[1], []], [[1, 2]]],
  [{ contains: whole, minContains: 2 }, [[1, 2]], [[1, "a"], []]],
  [{ contains: whole, maxContains: 1 }, [[1, "a"]], [[1, 2], []]],
  [{ contains: whole, minContains: 0 }, [[], ["a"]], []],
  [{ contains: whole, minContains: 0, maxContains: 1 }, [[], [1]], [[1, 2]]],
  [{ minContains: 2, maxContains: 1 }, [[], [1, 2, 3]], []],
  [{ dependentRequired: { a: ["b"] } }, [{}, { a: 1, b: 1 }, []], [{ a: 1 }]],
  [{ dependentSchemas: { a: { properties: { b: whole } } } }, [{ b: "x" }, { a: 1, b: 1 }], [{ a: 1, b: "x" }]],
  [{ dependentSchemas: { a: false } }, [{}], [{ a: 1 }]],
  [{ $ref: "#/$defs/x", $defs: { x: whole } }, [1], ["a"]],
  [{ $ref: "#/$defs/x", $defs: { x: whole }, minimum: 2 }, [2], [1, "a"]],
  [{ $ref: "#here", $defs: { x: { $anchor: "here", type: "integer" } } }, [1], ["a"]],
  [{ $ref: "part", $defs: { x: { $id: "part", type: "integer" } } }, [1], ["a"]],
  [{ properties: { a: {} }, unevaluatedProperties: false }, [{ a: 1 }, {}, []], [{ b: 1 }]],
  [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, [{ a: 1 }], [{ b: 1 }]],
  [
    { anyOf: [{ required: ["a"], properties: { a: {} } }, { properties: { b: text } }], unevaluatedProperties: false },
    [{ a: 1 }, { b: "x" }, { a: 1, b: "x" }],
    [{ a: 1, b: 1 }, { c: 1 }],
  ],
  [
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
    { if: { required: ["a"], properties: { a: {} } }, then: { properties: { b: {} } }, unevaluatedProperties: false },
    [{ a: 1, b: 1 }, {}],
    [{ b: 1 }],
  ],
  [{ not: { not: { properties: { a: {} } } }, unevaluatedProperties: false }, [{}], [{ a: 1 }]],
  [{ additionalProperties: true, unevaluatedProperties: false }, [{ a: 1 }], []],
  [{ patternProperties: { "^a": {} }, unevaluatedProperties: whole }, [{ ab: "x", c: 1 }], [{ c: "x" }]],
  [
    { $ref: "#/$defs/x", $defs: { x: { properties: { a: {} } } }, unevaluatedProperties: false },
    [{ a: 1 }],
    [{ b: 1 }],
  ],
  [
    { dependentSchemas: { a: { properties: { a: {}, b: {} } } }, unevaluatedProperties: false },
    [{ a: 1, b: 1 }],
    [{ b: 1 }],
  ],
  [{ prefixItems: [{}], unevaluatedItems: false }, [[1], []], [[1, 2]]],
  [{ allOf: [{ prefixItems: [{}, {}] }], unevaluatedItems: text }, [[1, 2, "a"]], [[1, 2, 3]]],
  [{ items: whole, unevaluatedItems: false }, [[1, 2]], [["a"]]],
  [{ format: "uuid" }, ["123e4567-e89b-12d3-a456-426614174000"], ["123"]],
  [{ format: "duration" }, ["P1DT2H"], ["1 day", "P"]],
  [{ deprecated: true, writeOnly: true, contentSchema: false }, [1, "a"], []],
];

/** Here we follow the specifications and ajv does not: it counts inherited members, and calls the schema for ever. */
const withoutAjv: Row[] = [
  [{ required: ["toString", "constructor"] }, [{ toString: 1, constructor: 1 }], [{}, { toString: 1 }]],
  [{ $dynamicRef: "#here", $defs: { x: { $dynamicAnchor: "here", type: "integer" } } }, [1], ["a"]],
];

const isValid = ($schema: string, schema: JsonObject, value: unknown): boolean =>
  faultsOf({ $schema, ...schema }, structuredClone(value)).length === 0;

const drafts = [
  { name: "http://json-schema.org/draft-07/schema#", rows: [...shared, ...draft7], create: Ajv },
  { name: "https://json-schema.org/draft/2020-12/schema", rows: [...shared, ...draft2020], create: Ajv2020 },
];

describe("every keyword, by the specifications and by ajv", () => {
  for (const { name, rows, create } of drafts) {
    test(name, () => {
      const wrong: string[] = [];
      const ajv = new create({ strict: false, logger: false, validateSchema: false });
      addFormats.default(ajv as Ajv);
      for (const [schema, fitting, unfitting] of rows) {
        const judge = ajv.compile(schema);
        for (const [values, expected] of [[fitting, true] as const, [unfitting, false] as const]) {
          for (const value of values) {
            const isFit = isValid(name, schema, value);
            const about = `${JSON.stringify(schema)}: ${JSON.stringify(value)}`;
            if (isFit !== expected) wrong.push(`ours is ${isFit}: ${about}`);
            if (judge(value) !== expected) wrong.push(`ajv is ${!expected}: ${about}`);
          }
        }
      }
      assert.deepEqual(wrong, []);
    });
  }
});

test("inherited names and $dynamicRef, by the specification", () => {
  for (const [schema, fitting, unfitting] of withoutAjv) {
    const { name } = drafts[1]!;
    for (const value of fitting) assert.equal(isValid(name, schema, value), true, JSON.stringify([schema, value]));
    for (const value of unfitting) assert.equal(isValid(name, schema, value), false, JSON.stringify([schema, value]));
  }
});

test("where we differ from the specifications on purpose", () => {
  const [draft7Name, draft2020Name] = [drafts[0]!.name, drafts[1]!.name];
  const definitions = { x: whole };
  // By the specification, each result is the opposite.
  const table: [reason: string, draft: string, schema: JsonObject, value: unknown, isFit: boolean][] = [
    ["keywords beside $ref count", draft7Name, { $ref: "#/definitions/x", definitions, minimum: 2 }, 1, false],
    ["format is asserted", draft2020Name, { format: "date" }, "soon", false],
    ["dependencies count", draft2020Name, { dependencies: { a: ["b"] } }, { a: 1 }, false],
    ["a default fills a required member", draft7Name, { required: ["a"], properties: { a: { default: 1 } } }, {}, true],
  ];
  for (const [reason, draft, schema, value, isFit] of table) assert.equal(isValid(draft, schema, value), isFit, reason);
});
