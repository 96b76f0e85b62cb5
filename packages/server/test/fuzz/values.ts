// Bad input, made from the contract: values that fit a schema more or less, and good inputs with something broken.

import type { RawInput } from "@tidings/testkit/client";
import fc from "fast-check";

type Schema = Record<string, unknown>;

const textOf = (points: number[]): string => String.fromCodePoint(...points);

/** Texts that programs stumble over. */
const strangeText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "../../etc",
    "..",
    "%00",
    "%",
    "null",
    "undefined",
    "__proto__",
    "constructor",
    "toString",
    "'; drop table subscribers; --",
    "{{ payload | nope: }}",
    "{% for %}",
    "{{",
    "1e309",
    "-1",
    "99999999999999999999",
    "2026-13-45",
    "0001-01-01T00:00:00Z",
    "275760-09-13T00:00:00.000Z",
    "\u202e\ufeff🙂",
    "x".repeat(300),
    "x".repeat(5_000),
    "a:b",
    ":",
    "00000000-0000-0000-0000-000000000000",
    "eyJpZCI6MX0",
  ),
  // The unit "binary" of fc.string has no half surrogates either, and takes seconds of a core to prepare.
  fc.array(fc.oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff })), { maxLength: 20 }).map(textOf),
  fc.string({ maxLength: 10 }),
);

// One for all places: fast-check takes milliseconds to make one.
const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const strangeNumber = fc.constantFrom(0, -1, 1.5, 1e21, -1e308, 2 ** 53, 2 ** 31, 4e9, 100, 101);
const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: { b: [] } }, ["x"], { __proto__: null }),
  strangeText,
  strangeNumber,
  fc.jsonValue({ maxDepth: 3 }),
);

/** Mostly what the schema asks for; at each place it may be something else. */
export function fromSchema(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const fitting = fit(schema, depth);
  return fc.oneof({ weight: 12, arbitrary: fitting }, { weight: 1, arbitrary: anything });
}

/** As above, but the value itself is of the schema's kind. */
export function fit(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  if (depth > 6) return anything;
  const branches = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (branches?.every((branch) => "type" in branch || "anyOf" in branch)) {
    return fc.oneof(...branches.map((branch) => fromSchema(branch, depth + 1)));
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  const types = [schema.type].flat() as string[];
  return fc.oneof(...types.map((type) => ofType(type, schema, depth)));
}

function ofType(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case "object":
      return ofObject(schema, depth);
    case "array":
      return fc.array(schema.items ? fromSchema(schema.items as Schema, depth + 1) : anything, { maxLength: 3 });
    case "string":
      return fc.oneof(word, strangeText);
    case "integer":
    case "number":
      return fc.oneof(fc.integer({ min: 0, max: 20 }), strangeNumber);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return anything;
  }
}

function ofObject(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties as Record<string, Schema>) ?? {});
  if (properties.length === 0) return fc.dictionary(strangeText, anything, { maxKeys: 3 });
  const required = new Set((schema.required as string[]) ?? []);
  const members = properties.map(([name, member]) => {
    const given = fromSchema(member, depth + 1);
    // A required member is missing once in 15 times, another one every second time.
    return fc.option(fc.tuple(fc.constant(name), given), { nil: null, freq: required.has(name) ? 15 : 2 });
  });
  return fc.tuple(...members).map((pairs) => Object.fromEntries(pairs.flatMap((pair) => (pair ? [pair] : []))));
}

/** A good input with one to three places replaced, removed or added to. */
export const mutated = (input: RawInput): fc.Arbitrary<RawInput> =>
  fc
    .array(fc.record({ at: fc.nat(), how: fc.constantFrom("replace", "remove", "grow"), what: anything }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((edits) => {
      const root = { value: structuredClone(input) as unknown };
      for (const { at, how, what } of edits) {
        const spots = spotsIn(root);
        const spot = spots[at % spots.length];
        if (!spot) continue;
        if (how === "remove" && !Array.isArray(spot.owner)) delete (spot.owner as Record<string, unknown>)[spot.name];
        else if (how === "grow" && typeof spot.owner[spot.name] === "string") spot.owner[spot.name] += "x".repeat(600);
        else spot.owner[spot.name] = structuredClone(what);
      }
      return root.value as RawInput;
    });

type Owner = Record<string, unknown>;

function spotsIn(root: Owner): { owner: Owner; name: string }[] {
  const spots: { owner: Owner; name: string }[] = [];
  const visit = (owner: Owner, depth: number) => {
    for (const [name, value] of Object.entries(owner)) {
      // The parts of a request and the files of a form stay what they are.
      if (depth > 1) spots.push({ owner, name });
      if (typeof value === "object" && value !== null && depth < 8) visit(value as Owner, depth + 1);
    }
  };
  visit(root, 0);
  return spots;
}

const fileName = fc.oneof(fc.constantFrom("en_US.json", "de.json", "nonsense.txt", "master.json"), strangeText);
const fileText = fc.oneof(
  fc.constantFrom("", "{", "[]", "null", '{"a":"b"}', '{"workflows":5}', '{"workflows":{"x":{"a":1}}}', "\u00ff\u00fe"),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value).replace(/[^\u0020-\u007e]/g, "?")),
);

const file = fc.record({
  fileName: fileName.map((name) => name.toWellFormed()),
  contentType: fc.constantFrom("application/json", "text/plain", "application/octet-stream"),
  bytes: fileText,
});

/** A form with the same parts as a good one, and other contents. */
export function mutatedForm(input: RawInput): fc.Arbitrary<RawInput> {
  const parts = Object.entries(input.body as Record<string, unknown>).map(([name, value]) => {
    const kept = fc.constant(value);
    const other =
      typeof value === "object" ? fc.array(file, { maxLength: 3 }) : strangeText.map((text) => text.toWellFormed());
    return fc.tuple(fc.constant(name), fc.oneof(kept, other));
  });
  return fc.tuple(...parts).map((pairs) => ({ ...input, body: Object.fromEntries(pairs) }));
}
