// Texts that move from an email to its translations, and values that are made up for its preview.
import assert from "node:assert/strict";
import { test } from "node:test";
import { extractTexts, shownText } from "../src/email/document/translatable.ts";
import { completed, leavesOf, typedLike, withLeaf } from "../src/screens/workflows/preview/used-values.ts";

const text = (words: string, ...marks: string[]) => ({
  type: "text",
  ...(marks.length > 0 && { marks: marks.map((type) => ({ type })) }),
  text: words,
});
const variable = (id: string, fallback?: string) => ({
  type: "variable",
  attrs: { id, ...(fallback && { fallback }) },
});
const line = (...content: unknown[]) => ({ type: "paragraph", content });
const bodyOf = (...content: unknown[]) => JSON.stringify({ type: "doc", content });
const extract = (body: string, taken = {}) => {
  const { values, texts } = extractTexts({ body }, taken);
  return { content: JSON.parse(String(values.body)).content, texts };
};

test("a text with its variables becomes one text; spaces around it stay in the document", () => {
  const { content, texts } = extract(
    bodyOf(line(text("Hi "), variable("subscriber.firstName", 'my "friend"'), text(", welcome! "))),
  );
  assert.deepEqual(texts, { hi_welcome: 'Hi {{ subscriber.firstName | default: "my \\"friend\\"" }}, welcome!' });
  assert.deepEqual(content, [line(variable("t.hi_welcome"), text(" "))]);
});

test("marks divide a text; the items of a repeat stay in the document", () => {
  const { content, texts } = extract(
    bodyOf(line(text("It is "), text("insured", "bold")), {
      type: "repeat",
      attrs: { each: "payload.items" },
      content: [line(variable("payload.items.name"), text(" costs "), variable("payload.items.price"))],
    }),
  );
  assert.deepEqual(texts, { it_is: "It is", insured: "insured", costs: "costs" });
  assert.deepEqual(
    content[0],
    line(variable("t.it_is"), text(" "), { ...variable("t.insured"), marks: [{ type: "bold" }] }),
  );
  assert.deepEqual(content[1].content, [
    line(variable("payload.items.name"), text(" "), variable("t.costs"), text(" "), variable("payload.items.price")),
  ]);
});

test("labels and lines are texts; code, Liquid, numbers and what is translated already are not", () => {
  const body = bodyOf(
    { type: "button", attrs: { text: "Track it", url: "https://shop.example" } },
    { type: "image", attrs: { src: "a.png", alt: "A parcel" } },
    { type: "htmlCodeBlock", content: [text("<p>Hello</p>")] },
    line(text("{% if payload.vip %}Gold{% endif %}")),
    line(text("42 – ")),
    line(variable("t.known")),
  );
  const { values, texts } = extractTexts(
    { subject: "Hi {{ payload.name }}", preheader: "{{ t.short }}", body },
    { track_it: "Other" },
  );
  assert.deepEqual(texts, { subject: "Hi {{ payload.name }}", track_it_2: "Track it", a_parcel: "A parcel" });
  assert.equal(values.subject, "{{ t.subject }}");
  assert.equal(values.preheader, "{{ t.short }}");
  const { content } = JSON.parse(String(values.body));
  assert.deepEqual(content[0].attrs, { text: "{{ t.track_it_2 }}", url: "https://shop.example" });
  assert.deepEqual(content.slice(2), JSON.parse(body).content.slice(2));
  assert.deepEqual(extractTexts(values, texts).texts, {});
});

test("bodies that are not blocks keep every byte", () => {
  for (const body of ["<p>Hello</p>", "", "{", '{"type":"doc"}', "[1]", '{"type":"doc","content":[null,3,{"type":4}]}'])
    assert.equal(extractTexts({ body }, {}).values.body, body);
});

test("a text is shown with sample values", () => {
  const sampleOf = (name: string) => ({ "payload.name": "Ada" })[name];
  assert.equal(
    shownText('Hi {{ payload.name | default: "you" }}, {{ payload.none }}', sampleOf),
    "Hi Ada, [payload.none]",
  );
});

test("values that a step uses are made up where the payload lacks them", () => {
  const body = bodyOf(
    { type: "repeat", attrs: { each: "payload.items" }, content: [line(variable("payload.items.name"))] },
    { ...line(text("Gift")), attrs: { showIf: { "!!": [{ var: "payload.giftWrapped" }] } } },
    { type: "button", attrs: { url: "{{ payload.order.trackUrl }}" } },
  );
  const found = completed({ subject: "Order {{ payload.order.number }}", body }, { order: { number: 7 } })!;
  assert.deepEqual(found.payload, {
    order: { number: 7, trackUrl: "https://example.com" },
    items: [{ name: "Name" }, { name: "Name" }],
    giftWrapped: true,
  });
  assert.equal(completed({ body }, found.payload), null);
  const [number] = leavesOf(found.payload);
  assert.deepEqual(number, { path: ["order", "number"], value: 7 });
  const changed = withLeaf(found.payload, ["items", 1, "name"], "Cup") as typeof found.payload;
  assert.deepEqual(changed.items, [{ name: "Name" }, { name: "Cup" }]);
  assert.deepEqual([typedLike(7, "8"), typedLike(7, "8 €"), typedLike("7", "8")], [8, "8 €", "8"]);
});
