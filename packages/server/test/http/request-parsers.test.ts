// The text of a body that is kept for another thread (http/handed-requests.ts) is parsed there by JSON.parse.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import fastify from "fastify";
import { acceptJson } from "../../src/http/request/parsers.ts";

const server = fastify();
acceptJson(server);
const kept: { text: string | null; body: unknown }[] = [];
server.post("/", { config: { keepsText: true } }, async ({ text, body }) => {
  kept.push({ text, body });
  return null;
});

/** What the route got, or null where the body was refused. */
async function receive(payload: string) {
  const headers = { "content-type": "application/json" };
  await server.inject({ method: "POST", url: "/", headers, payload });
  return kept.pop() ?? null;
}

const escaped = (text: string, isEscaped: boolean[]): string =>
  [...text]
    .map((letter, at) => (isEscaped[at] ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}` : letter))
    .join("");

const space = fc.constantFrom("", " ", "\r\n", "\t");
const name = fc
  .tuple(
    fc.constantFrom("name", "__proto__", "constructor", "prototype", "toString", ""),
    fc.array(fc.boolean(), { maxLength: 12 }),
  )
  .map(([text, isEscaped]) => escaped(text, isEscaped));
const leaf = fc.oneof(
  fc.json({ maxDepth: 1, stringUnit: "binary" }),
  fc.constantFrom(
    "-0",
    "-0.0",
    "1e400",
    "-1E+400",
    "1e-400",
    "123456789012345678901234567890",
    '"\\ud800"',
    '"\\udc00"',
  ),
  fc.constantFrom('"\\u0000"', '"\\/\\b\\f"', '"\ufeff"', '"\u2028"', "[[[]]]", "null", "tru", "01", "+1"),
);
const { value: json } = fc.letrec<{ value: string; members: string }>((tie) => ({
  members: fc
    .array(fc.tuple(space, name, space, tie("value"), space), { maxLength: 4 })
    .map((list) => `{${list.map(([a, key, b, one, c]) => `${a}"${key}"${b}:${one}${c}`).join(",")}}`),
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie("members"),
    fc.array(tie("value"), { maxLength: 2 }).map((list) => `[${list}]`),
  ),
}));

test("a text that is kept parses to what the route got", async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("", "", "\ufeff", "\ufeff\ufeff"),
      space,
      json,
      space,
      async (mark, a, text, b) => {
        const received = await receive(`${mark}${a}${text}${b}`);
        if (received === null || received.text === null) return;
        count++;
        assert.deepStrictEqual(JSON.parse(received.text), received.body);
      },
    ),
    { numRuns: 1_000 },
  );
  assert.ok(count > 100, `${count} texts were kept`);
});

test("a byte order mark is accepted once, in front", async () => {
  assert.deepEqual(await receive('\ufeff{"a":1}'), { text: '{"a":1}', body: { a: 1 } });
  assert.equal(await receive('\ufeff\ufeff{"a":1}'), null);
  assert.equal(await receive('{"a":1}\ufeff'), null);
});
