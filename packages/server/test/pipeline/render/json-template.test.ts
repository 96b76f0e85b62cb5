// JSON text with variables: types, quotes, and values that try to change the structure.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { jsonTemplateFault, renderJson } from "../../../src/pipeline/render/json-template.ts";

const payload = { n: 7, name: "Ada", list: [1, "a"], deep: { a: { b: null } }, yes: true };
const cases: [string, unknown][] = [
  ['{ "n": {{ payload.n }}, "text": "{{ payload.n }}" }', { n: 7, text: "7" }],
  ['{ "n": {{ payload.n | json }}, "m": {{- payload.n -}} }', { n: 7, m: 7 }],
  [
    '{ "all": {{ payload.deep }}, "list": {{ payload.list }}, "yes": {{ payload.yes }} }',
    { all: payload.deep, list: [1, "a"], yes: true },
  ],
  ['{ "none": {{ payload.nothing }}, "empty": "{{ payload.nothing }}" }', { none: null, empty: "" }],
  ['{ "a": "{{ payload.nothing | default: "x, y" }}" }', { a: "x, y" }],
  ['{ "{{ payload.name }}": "{% if payload.yes %}{{ payload.name }}!{% endif %}" }', { Ada: "Ada!" }],
  ['{ "a": "\\"{{ payload.name }}\\" \\\\" }', { a: '"Ada" \\' }],
  ['{ {% if payload.yes %}"a": {{ payload.n | json }}{% endif %} }', { a: 7 }],
  ['["{{ payload.name }}", 1, null]', ["Ada", 1, null]],
];

for (const [template, expected] of cases) {
  test(template, () => {
    assert.equal(jsonTemplateFault(template, "object"), template.startsWith("[") ? "must be a JSON object" : null);
    assert.deepEqual(renderJson(template, { payload }), expected);
  });
}

for (const template of [
  "",
  "{",
  "{ a: 1 }",
  '{ "a": {{ payload.n }} {{ payload.n }} }',
  '{ "a": "x }',
  "{{ payload.n",
]) {
  test(`not JSON, whatever the values: ${template}`, () => {
    assert.match(jsonTemplateFault(template, "object") ?? "", /is not JSON: /);
    assert.throws(() => renderJson(template, { payload }), /it is not JSON: /);
  });
}

test("no value changes the structure", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "").toWellFormed()),
    fc.constantFrom('","admin":true,"x":"', "\\", '"', "{{ payload.n }}", "\uf8f10\uf8f2", "\uf8f00\uf8f2", "}}"),
  );
  fc.assert(
    fc.property(hostile, (value) => {
      const scope = { payload: { value } };
      assert.deepEqual(renderJson('{ "quoted": "{{ payload.value }}", "typed": {{ payload.value }} }', scope), {
        quoted: value,
        typed: value,
      });
    }),
  );
});
