import assert from "node:assert/strict";
import { test } from "node:test";
import { commonErrors, type ErrorCode, errorCatalogue, type OperationId } from "@tidings/contract";
import { operationOf } from "@tidings/testkit/http";
import fc from "@tidings/testkit/properties";
import { shareService } from "@tidings/testkit/service";
import { type FieldFaults, invalid, maxFaults } from "../../src/failure.ts";
import { checkShape, compileBody, compileQuery, faultsOf, mergeFaults, unstorableTexts } from "../../src/validation.ts";
import { inputIds, makeThings, validInput } from "../support/inputs.ts";

const string = { type: "string" };
const object = (properties: object, rest: object = {}) => ({ type: "object", properties, ...rest });
const person = object({ id: string, age: { type: "integer", minimum: 0, maximum: 150 } }, { required: ["id"] });
const to = { anyOf: [string, person, { type: "array", items: { anyOf: [string, person] } }] };
const list = (items: object) => ({ type: "array", items });

type Row = { name: string; schema: object; value: unknown; query?: boolean; faults: FieldFaults };

const rows: Row[] = [
  { name: "nothing wrong", schema: to, value: ["a", { id: "b" }], faults: {} },
  {
    name: "a union that means no branch names them all",
    schema: object({ to }),
    value: { to: 5 },
    faults: { to: { messages: ["to must be a string, an object or an array"], value: 5 } },
  },
  {
    name: "a union reports the branch that was meant",
    schema: object({ to }),
    value: { to: { id: 1, age: 200 } },
    faults: {
      "to.id": { messages: ["to.id must be a string"], value: 1 },
      "to.age": { messages: ["to.age must not be greater than 150"], value: 200 },
    },
  },
  {
    name: "a union in a union",
    schema: object({ to }),
    value: { to: ["ok", null, { age: 1.5 }, {}] },
    faults: {
      "to.1": { messages: ["to.1 must be a string or an object"], value: null },
      "to.2.id": { messages: ["to.2.id is required"] },
      "to.2.age": { messages: ["to.2.age must be a whole number"], value: 1.5 },
      "to.3.id": { messages: ["to.3.id is required"] },
    },
  },
  {
    name: "the same union at several places, each with its own fault",
    schema: list(object({ to })),
    value: [{ to: 5 }, { to: { id: 5 } }, { to: "fine" }, { to: true }, { to: [7] }],
    faults: {
      "0.to": { messages: ["0.to must be a string, an object or an array"], value: 5 },
      "1.to.id": { messages: ["1.to.id must be a string"], value: 5 },
      "3.to": { messages: ["3.to must be a string, an object or an array"], value: true },
      "4.to.0": { messages: ["4.to.0 must be a string or an object"], value: 7 },
    },
  },
  {
    name: "place 1 is not the beginning of place 10",
    schema: list(to),
    value: [...Array<string>(1).fill("a"), 5, ...Array<string>(8).fill("a"), { id: 5 }],
    faults: {
      "1": { messages: ["1 must be a string, an object or an array"], value: 5 },
      "10.id": { messages: ["10.id must be a string"], value: 5 },
    },
  },
  {
    name: "null beside an object is no alternative worth naming",
    schema: object({ all: { anyOf: [object({ on: { type: "boolean" } }), { type: "null" }] } }),
    value: { all: "yes" },
    faults: { all: { messages: ["all must be an object"], value: "yes" } },
  },
  {
    name: "several types",
    schema: object({ port: { type: ["string", "number"] }, name: { type: ["string", "null"] } }),
    value: { port: true, name: 1 },
    faults: {
      port: { messages: ["port must be a string or a number"], value: true },
      name: { messages: ["name must be a string"], value: 1 },
    },
  },
  {
    name: "several faults of one field",
    schema: object({ id: { type: "string", minLength: 5, pattern: "^[a-z]+$" } }),
    value: { id: "A" },
    faults: { id: { messages: ["id must not be shorter than 5", "id has an invalid format"], value: "A" } },
  },
  {
    name: "lists",
    schema: object({ a: { type: "array", minItems: 1 }, b: { type: "array", maxItems: 1 } }),
    value: { a: [], b: [1, 2] },
    faults: {
      a: { messages: ["a must not be empty"], value: [] },
      b: { messages: ["b must contain no more than 1 elements"], value: [1, 2] },
    },
  },
  {
    name: "unknown members where none may be",
    schema: object({ inner: object({ a: string }, { additionalProperties: false }) }),
    value: { inner: { b: "secret?" } },
    faults: { "inner.b": { messages: ["inner.b is not a known member"] } },
  },
  {
    name: "names with signs of the path syntax in them",
    schema: object({ map: { type: "object", additionalProperties: string } }),
    value: { map: { "a/b": 1, "c~d": 2, "": 3 } },
    faults: {
      "map.a/b": { messages: ["map.a/b must be a string"], value: 1 },
      "map.c~d": { messages: ["map.c~d must be a string"], value: 2 },
      map: { messages: ["map must be a string"], value: 3 },
    },
  },
  {
    name: "names that every object inherits",
    schema: object({ toString: string, valueOf: string }, { required: ["hasOwnProperty"] }),
    value: { toString: 1, valueOf: 2, hasOwnProperty: 3 },
    faults: {
      toString: { messages: ["toString must be a string"], value: 1 },
      valueOf: { messages: ["valueOf must be a string"], value: 2 },
    },
  },
  {
    name: "sizes",
    schema: object({ data: { type: "object", maxJsonBytes: 10 } }),
    value: { data: { text: "0123456789" } },
    faults: { data: { messages: ["data must not be larger than 10 bytes of JSON"], value: { text: "0123456789" } } },
  },
  {
    name: "secret names at any depth, and values that hold them",
    schema: object({ credentials: object({ user: string }), note: string, apiKey: string, list: string }),
    value: { credentials: { user: 1 }, note: { password: "p" }, apiKey: 5, list: [{ deep: { authToken: "t" } }] },
    faults: {
      "credentials.user": { messages: ["credentials.user must be a string"] },
      note: { messages: ["note must be a string"] },
      apiKey: { messages: ["apiKey must be a string"] },
      list: { messages: ["list must be a string"] },
    },
  },
  {
    name: "1,000 characters of JSON are repeated, whatever their bytes",
    schema: object({ a: { type: "string", maxLength: 1 }, b: { type: "string", maxLength: 1 } }),
    value: { a: "ü".repeat(998), b: "ü".repeat(999) },
    faults: {
      a: { messages: ["a must not be longer than 1 characters"], value: "ü".repeat(998) },
      b: { messages: ["b must not be longer than 1 characters"] },
    },
  },
  {
    name: "query: text is read as what it should be",
    schema: object({ limit: { type: "integer" }, all: { type: "boolean" }, tags: list(string) }),
    value: { limit: "5", all: "true", tags: "one" },
    query: true,
    faults: {},
  },
  {
    name: "query: text that cannot be read so",
    schema: object({ a: { type: "integer" }, b: { type: "integer" }, c: { type: "boolean" }, d: { type: "integer" } }),
    value: { a: "x", b: "1.5", c: "1", d: "" },
    query: true,
    faults: {
      a: { messages: ["a must be a number"], value: "x" },
      b: { messages: ["b must be a whole number"], value: "1.5" },
      c: { messages: ["c must be a boolean"], value: "1" },
      d: { messages: ["d must be a number"], value: "" },
    },
  },
];

for (const { name, schema, value, query, faults } of rows) {
  test(`faults: ${name}`, () => {
    const check = (query ? compileQuery : compileBody)(schema);
    assert.equal(check(value), Object.keys(faults).length === 0);
    assert.deepEqual(faultsOf(check.errors ?? []), faults);
  });
}

test("faults: a list that is too long is refused for its length, its items are not looked at", () => {
  const limits = { minItems: 1, maxItems: 3 };
  let seen = 0;
  const item = {
    get id() {
      seen++;
      return 1;
    },
  };
  const check = compileBody(object({ list: { ...list(person), ...limits } }));
  assert.equal(check({ list: Array(4).fill(item) }), false);
  assert.equal(seen, 0, "no item was read");
  const faults = faultsOf(check.errors ?? []);
  assert.deepEqual(faults.list?.messages, ["list must contain no more than 3 elements"]);
  assert.deepEqual(Object.keys(faults), ["list"]);
});

test("faults: a value with millions of them is judged by its first thousand", () => {
  const check = compileBody(list(to));
  assert.equal(check(Array(100_000).fill(true)), false);
  assert.ok((check.errors ?? []).length < 1_100);
  const faults = faultsOf(check.errors ?? []);
  assert.deepEqual(faults["49"], { messages: ["49 must be a string, an object or an array"], value: true });
  const { errors } = invalid(faults).extra as { errors: FieldFaults };
  assert.equal(Object.keys(errors).length, maxFaults + 1);
  assert.deepEqual(errors.general, { messages: ["More than 50 fields have errors; the first 50 are named"] });
  const closed = compileBody(object({ a: string }, { additionalProperties: false }));
  assert.equal(closed({ ...Array(5_000).fill(0) }), false);
  assert.ok((closed.errors ?? []).length < 1_100);
  assert.equal(closed({ a: "known" }), true);
  assert.equal(check([...Array(2_000).fill("a"), 5]), false, "a fault behind many good items is found");
  assert.deepEqual(Object.keys(faultsOf(check.errors ?? [])), ["2000"]);
});

test("faults: a prefix stands before every path", () => {
  const check = compileBody(object({ a: string }, { required: ["b"] }));
  check({ a: 1 });
  const faults = faultsOf(check.errors ?? [], "steps.0");
  assert.deepEqual(Object.keys(faults).sort(), ["steps.0.a", "steps.0.b"]);
});

test("checkShape says each fault in a sentence", () => {
  const check = checkShape(person);
  assert.deepEqual(check({ id: "a" }), []);
  assert.deepEqual(check({ age: -1 }).sort(), ["age must not be less than 0", "id is required"]);
});

test("faults of two sources are put together by field", () => {
  const faults: FieldFaults = { a: { messages: ["one"], value: 1 } };
  mergeFaults(faults, { a: { messages: ["two"] }, toString: { messages: ["three"] } });
  assert.deepEqual(faults, { a: { messages: ["one", "two"], value: 1 }, toString: { messages: ["three"] } });
});

test("texts that cannot be stored are found wherever they are", () => {
  const fields = (value: unknown) => Object.keys(unstorableTexts(value));
  assert.deepEqual(fields({ a: "fine 😀", b: ["\u0001", null, 5] }), []);
  assert.deepEqual(fields("\0"), ["general"]);
  assert.deepEqual(fields({ a: { b: ["", "x\0"] } }), ["a.b.1"]);
  assert.deepEqual(fields({ a: "\ud83d", b: "\ude00\ud83d" }), ["a", "b"]);
  assert.deepEqual(fields({ "\0": 1, a: { "b\ud800": 1 } }), ["general", "a"]);
  assert.equal(fields(Array(1000).fill("\0")).length, maxFaults + 1, "enough to see what is wrong");
});

const service = await shareService();
const { client } = service;
const things = await makeThings(client, "any");

const withBody = inputIds.filter((id) => operationOf(id).body !== undefined);

/** Any JSON value, with the texts in it that databases and parsers stumble over. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: "binary", maxLength: 10 }),
  fc.constantFrom("\0", "\ud800", "\\u0000", "__proto__", "{{ payload.a }}", "{% if", "'; --", "a".repeat(3000), ""),
);
const leaf = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom("name", "to", "steps", "data", "type")), tie("json"), { maxKeys: 4 }),
  ),
}));

/** A valid body with one member, at any depth, replaced by something else: most errors are near what is right. */
function replaceOne(body: unknown, seed: number, value: unknown): unknown {
  const paths: (string | number)[][] = [];
  const collect = (at: unknown, path: (string | number)[]) => {
    paths.push(path);
    if (typeof at === "object" && at !== null)
      for (const [name, member] of Object.entries(at)) collect(member, [...path, name]);
  };
  collect(body, []);
  const path = paths[seed % paths.length]!;
  if (path.length === 0) return value;
  const copy = structuredClone(body) as Record<string, unknown>;
  let parent = copy;
  for (const part of path.slice(0, -1)) parent = parent[part] as Record<string, unknown>;
  parent[path.at(-1)!] = value;
  return copy;
}

/** Bodies that ask a provider are left out: this test must not call anyone. */
const asksProvider = (body: unknown) =>
  typeof body === "object" && body !== null && (body as { check?: unknown }).check === true;

const calls = fc
  .record({
    id: fc.constantFrom(...withBody),
    value: json,
    seed: fc.nat(),
    isNear: fc.boolean(),
    key: fc.option(fc.uuid(), { nil: undefined }),
  })
  .map(({ id, value, seed, isNear, key }) => {
    const valid = validInput[id](things, `any-${seed}`);
    return { id, params: valid.params, body: isNear ? replaceOne(valid.body, seed, value) : value, key };
  })
  .filter(({ body }) => body !== undefined && !asksProvider(body));

const isDocumented = (id: OperationId, code: ErrorCode, status: number) =>
  errorCatalogue[code]?.status === status &&
  ([...operationOf(id).errors, ...commonErrors] as readonly string[]).includes(code);

test("any JSON sent to any operation is accepted or refused in a documented way", async () => {
  assert.ok(withBody.length >= 9);
  await fc.assert(
    fc.asyncProperty(calls, async ({ id, params, body, key }) => {
      const { status, body: answer } = await client.raw(id, { params, body, headers: { "idempotency-key": key } });
      if (status === operationOf(id).success.status) return;
      const { code } = answer as { code: ErrorCode };
      assert.ok(isDocumented(id, code, status), `${id}: ${status} ${JSON.stringify(answer)}`);
      assert.ok(status >= 400 && status < 500, `${id}: ${status}`);
    }),
    { numRuns: 150 },
  );
});
