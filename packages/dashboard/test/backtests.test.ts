// Backtests: what differs between two contents, and what an address says of a report.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changedContent, readable } from "../src/backtests/content.ts";
import { effectOf, effectsOf } from "../src/backtests/effects.ts";
import { readPlace } from "../src/backtests/place.ts";
import { readEditorSearch } from "../src/screens/workflows/search.ts";

test("HTML is compared as it reads: a line for each block, links with their addresses", () => {
  const html =
    "<html><head><style>p { color: red }</style><title>T</title></head><body><!-- no --><p>Hello&nbsp;Ada &amp; Bob,</p>" +
    '<p>your <b>order</b>\n is <a href="https://shop.example/7">on its way</a>.<br>Soon &#8364;&#x31;</p></body></html>';
  assert.equal(readable(html), "Hello Ada & Bob,\nyour order is on its way (https://shop.example/7).\nSoon €1");
  assert.equal(readable("&unknown; &#xffffffff;"), "&unknown; &#xffffffff;");
});

test("only what differs is listed", () => {
  const same = { subject: "A", body: "B", cta: null, address: "ada@example.com" };
  assert.deepEqual(changedContent(same, { ...same }), { fields: [], isSourceOnly: false });
  assert.deepEqual(changedContent(same, { ...same, subject: "C", cta: { label: "Open" } }).fields, [
    { field: "subject", before: "A", after: "C" },
    { field: "cta", before: null, after: { label: "Open" } },
  ]);
  assert.deepEqual(changedContent({ body: "<p>One</p>" }, { body: "<p>Two</p>" }), {
    fields: [{ field: "body", before: "One", after: "Two" }],
    isSourceOnly: false,
  });
});

test("HTML that reads the same is compared as source, a line for each tag", () => {
  const { fields, isSourceOnly } = changedContent({ body: "<p>A</p><hr>" }, { body: '<p class="b">A</p><hr>' });
  assert.equal(isSourceOnly, true);
  assert.deepEqual(fields, [{ field: "body", before: "<p>A</p>\n<hr>", after: '<p class="b">A</p>\n<hr>' }]);
});

test("effects are listed with the weightiest first, and without those that no message has", () => {
  assert.deepEqual(effectsOf({ content: 3, removed: 1, later: 0, unheard: 9 }), [
    ["removed", 1],
    ["content", 3],
  ]);
  assert.equal(effectOf("content"), "content");
  assert.equal(effectOf("unheard"), undefined);
});

test("an address says which part of which report is shown", () => {
  assert.deepEqual(readPlace({ effect: "removed", of: "order", person: "ada", other: 1 }), {
    effect: "removed",
    of: "order",
    person: "ada",
  });
  assert.deepEqual(readEditorSearch({ tab: "backtest", backtest: "b", person: "ada" }), {
    tab: "backtest",
    backtest: "b",
    person: "ada",
  });
  assert.deepEqual(readEditorSearch({ tab: "backtest", person: "ada" }), { tab: "backtest" });
});
