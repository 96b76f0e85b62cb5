// What completion offers and inserts, names that a schema does not have, and what a mailbox shows of a mail.
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyOption, completePath, completeTemplate, insertName } from "../src/fields/completion/complete.ts";
import { filters } from "../src/fields/completion/filters.ts";
import type { Names } from "../src/fields/completion/names.ts";
import { unknownNames } from "../src/fields/completion/unknown-names.ts";
import { readChecks } from "../src/screens/workflows/preview/checks.ts";
import { hasDarkColours, previewTextOf, withoutImages } from "../src/screens/workflows/preview/mail-html.ts";
import { smsLength } from "../src/screens/workflows/preview/sms-length.ts";
import { nodeSnippet } from "../src/screens/workflows/test/snippets.ts";

const names: Names = {
  variables: ["payload.order", "payload.items", "steps.digest.events", "subscriber.firstName", "subscriber.data.plan"],
  samples: { "payload.order": "A-7", "subscriber.data.plan": "pro" },
  scope: {
    payload: { order: "A-7", items: [{ name: "Tea", price: 4 }] },
    steps: { digest: { events: [{ id: "1", payload: { order: "A-7" } }] } },
  },
  schema: { type: "object", properties: { order: { type: "string" }, items: { type: "array" } } },
};

/** The caret is at the bar. */
const at = (marked: string): [text: string, caret: number] => [marked.replace("¦", ""), marked.indexOf("¦")];
const labels = (marked: string) => completeTemplate(...at(marked), names)?.options.map(({ label }) => label);

test("names are offered inside of tags, and nothing elsewhere", () => {
  assert.deepEqual(labels("Hi {{¦"), [...names.variables]);
  assert.deepEqual(labels("Hi {{ or¦"), ["payload.order"]);
  assert.deepEqual(labels("{{ plan¦ }}"), ["subscriber.data.plan"]);
  assert.deepEqual(labels("{% if pay¦ %}"), ["payload.order", "payload.items"]);
  for (const nothing of ["Hi ¦", "{ ¦", "{{ a }} ¦", "{{ 'pay¦' }}", "{{ nope¦ }}", "{{ payload.order ¦"])
    assert.equal(labels(nothing), undefined, nothing);
});

test("after a bar, filters are offered with an example", () => {
  assert.deepEqual(labels("{{ payload.order | up¦"), ["upcase"]);
  assert.equal(labels("{{ payload.order | ¦ }}")?.length, filters.length);
  const found = completeTemplate(...at("{{payload.order | trunc¦"), names)!;
  assert.equal(
    applyOption("{{payload.order | trunc", found, found.options[0]!).text,
    "{{payload.order | truncate: 40}}",
  );
});

test("inside of a loop, the members of its elements come first", () => {
  const items = labels("{% for item in payload.items %}{{ it¦ }}")!;
  assert.deepEqual(items.slice(0, 2), ["item.name", "item.price"]);
  const events = labels("{% for e in steps.digest.events %}{{ e.¦ }}")!;
  assert.ok(events.includes("e.payload.order") && events.includes("e.id"), events.join());
  assert.ok(!labels("{% for item in payload.items %}{% endfor %}{{ it¦ }}")?.includes("item.name"));
  assert.ok(labels("{% for a in payload.items %}{{ ¦ }}")!.includes("forloop.last"));
});

test("what is chosen is inserted once, with the end of the tag", () => {
  const chosen: [before: string, after: string][] = [
    ["Hi {{ord¦", "Hi {{payload.order}}"],
    ["Hi {{ ord¦", "Hi {{ payload.order }}"],
    ["Hi {{ ord¦ }}!", "Hi {{ payload.order }}!"],
    ["{{ ord¦er }}", "{{ payload.order }}"],
    ["{{ ord¦ and {{ x }}", "{{ payload.order }} and {{ x }}"],
    ["{% if ord¦ %}", "{% if payload.order %}"],
  ];
  for (const [before, after] of chosen) {
    const [text, caret] = at(before);
    const found = completeTemplate(text, caret, names)!;
    const done = applyOption(text, found, found.options[0]!);
    assert.equal(done.text, after);
    assert.ok(done.caret <= done.text.length);
  }
  const path = completePath("ord", 3, names)!;
  assert.deepEqual(applyOption("ord", path, path.options[0]!), { text: "payload.order", caret: 13 });
});

test("a variable from the list goes to the caret", () => {
  assert.deepEqual(insertName("Hi !", { from: 3, to: 3 }, "a.b", false), { text: "Hi {{a.b}}!", caret: 10 });
  assert.deepEqual(insertName("{{  }}", { from: 3, to: 3 }, "a.b", false).text, "{{ a.b }}");
  assert.deepEqual(insertName("old", { from: 0, to: 3 }, "payload.x", true), { text: "payload.x", caret: 9 });
});

test("names that the schema does not have are found, with what was meant", () => {
  const unknown = (text: string) => unknownNames(text, names);
  assert.deepEqual(unknown("{{ payload.oder | upcase }}"), [{ name: "payload.oder", meant: "payload.order" }]);
  assert.deepEqual(unknown("{% if payload.zzzz %}x{% endif %}"), [{ name: "payload.zzzz", meant: undefined }]);
  for (const fine of [
    "{{ payload.order }}",
    "{{ payload.items.size }}",
    "payload.nothing",
    "{{ 'payload.nothing' }}",
    "{{ item.payload.nothing }}",
    "{{ subscriber.nothing }}",
  ])
    assert.deepEqual(unknown(fine), [], fine);
  assert.deepEqual(unknownNames("{{ payload.x }}", { ...names, schema: null }), []);
  const open = { properties: { a: { type: "object" } }, anyOf: [{}] };
  assert.deepEqual(unknownNames("{{ payload.a.b }} {{ payload.c }}", { ...names, schema: open }), []);
});

test("a mail without images keeps their place and text", () => {
  const shown: [html: string, bare: string][] = [
    ['<img src="https://a.example/x.png" alt="Logo" width=20>', '<img alt="Logo" width=20>'],
    ["<IMG alt='a' src='x' srcset='y 2x'>", "<IMG alt='a'>"],
    ["<td background='x.png' style=\"background:url('y.png') red\">", '<td style="background:none red">'],
    ["<p>src=1</p>", "<p>src=1</p>"],
  ];
  for (const [html, bare] of shown) assert.equal(withoutImages(html), bare);
});

test("a mailbox shows the preview text, or how the mail begins", () => {
  assert.equal(previewTextOf("Short", "Long"), "Short");
  assert.equal(previewTextOf(undefined, " Hi\n\nAda "), "Hi Ada");
  assert.equal(previewTextOf("", "x".repeat(300)).length, 140);
  assert.equal(hasDarkColours('<meta name="color-scheme" content="light dark">'), true);
  assert.equal(hasDarkColours("<p>dark</p>"), false);
});

test("text messages are counted in the parts that networks send", () => {
  const counted: [text: string, characters: number, segments: number, isUnicode: boolean][] = [
    ["", 0, 0, false],
    ["a".repeat(160), 160, 1, false],
    ["a".repeat(161), 161, 2, false],
    ["€".repeat(80), 160, 1, false],
    ["€".repeat(81), 162, 2, false],
    ["я".repeat(70), 70, 1, true],
    ["я".repeat(71), 71, 2, true],
    ["👍", 2, 1, true],
    ["a".repeat(307), 307, 3, false],
  ];
  for (const [text, characters, segments, isUnicode] of counted)
    assert.deepEqual(smsLength(text), { characters, segments, isUnicode }, text.slice(0, 3));
});

test("checks are shown once, the serious ones first", () => {
  const check = (code: string, severity: string, message = code) => ({ code, severity, message });
  const given = [
    check("a", "info"),
    check("b", "error"),
    check("c", "warning"),
    check("d", "error", "b"),
    check("e", "x"),
  ];
  assert.deepEqual(
    readChecks(given).map(({ code }) => code),
    ["b", "c", "a"],
  );
  for (const nothing of [undefined, null, "text", [null, 7, {}]]) assert.deepEqual(readChecks(nothing), []);
});

test("code to copy is complete, whatever the payload has", () => {
  const payload = { note: 'He said "hi"\n', list: [1] };
  const code = nodeSnippet("https://notify.example.com", { workflowId: "news", subscriberId: "ada", payload });
  assert.match(code, /await tidings\.events\.trigger\(/);
  assert.ok(code.includes(String.raw`"note": "He said \"hi\"\n"`));
});
