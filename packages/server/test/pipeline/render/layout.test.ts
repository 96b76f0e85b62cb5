// Which layout an email gets, what it looks like inside it, and where its texts are searched for: pure rules.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId, slug } from "../../../src/lib/ids.ts";
import { canonicalLocale, localeChain } from "../../../src/lib/locale.ts";
import { chooseLayout, renderLayout } from "../../../src/pipeline/render/layout.ts";
import { RenderError, render } from "../../../src/pipeline/render/liquid.ts";

const layouts = ["house", "side", "third", "fourth", "fifth"].map((layout_id) => ({
  id: newId(),
  layout_id,
  is_default: layout_id === "house",
}));
const choose = (
  controlValues: Record<string, unknown>,
  overrides: Record<string, unknown> | null = null,
  list = layouts,
) => {
  const choice = chooseLayout(list, { stepId: "mail", controlValues }, overrides);
  return "unknown" in choice ? { unknown: choice.unknown } : (choice.layout?.layout_id ?? null);
};

describe("choice", () => {
  test("the default when nobody says anything; none when there is no default", () => {
    assert.equal(choose({}), "house");
    assert.equal(choose({}, {}), "house");
    assert.equal(choose({}, null, []), null);
  });

  test("each level yields to the one before it, and null decides like a name", () => {
    const overrides = (levels: number) => ({
      ...(levels >= 1 && { layoutIdentifier: "third" }),
      ...(levels >= 2 && { channels: { email: { layoutId: "fourth" } } }),
      ...(levels >= 3 && { steps: { mail: { layoutId: "fifth" }, other: { layoutId: null } } }),
    });
    const control = { layoutId: "side" };
    assert.deepEqual(
      [0, 1, 2, 3].map((levels) => choose(control, overrides(levels))),
      ["side", "third", "fourth", "fifth"],
    );
    assert.equal(choose({ layoutId: null }), null);
    assert.equal(choose(control, { channels: { email: { layoutId: null } }, layoutIdentifier: "third" }), null);
    assert.equal(choose(control, { steps: { mail: { layoutId: null } } }), null);
    assert.equal(choose(control, { steps: { mail: {} }, channels: { email: {} } }), "side");
  });

  test("by id, slug or identifier; an unknown name is no default", () => {
    const side = layouts[1]!;
    assert.equal(choose({ layoutId: side.id }), "side");
    assert.equal(choose({ layoutId: slug("Any name", "lt", side.id) }), "side");
    assert.deepEqual(choose({ layoutId: "nope" }), { unknown: "nope" });
    assert.deepEqual(choose({}, { layoutIdentifier: 5 }), { unknown: "5" });
    assert.equal(choose({}, { steps: "odd", channels: null }), "house");
  });
});

describe("rendering", () => {
  const frame = (body: string) => ({ email: { body, editorType: "html" as const } });

  test("content goes in as it is, everything else is escaped", () => {
    const scope = { subscriber: { firstName: "<b>" } };
    const html = renderLayout(frame("<i>{{content}}</i>{{subscriber.firstName}}"), scope, "<p>$& $1 {{x}}</p>");
    assert.equal(html, "<i><p>$& $1 {{x}}</p></i>&lt;b&gt;");
  });

  test("a layout that shows the content nowhere is left out", () => {
    assert.equal(renderLayout(frame("<p>no content</p>"), {}, "<p>Hello</p>"), "<p>Hello</p>");
    assert.equal(renderLayout(frame("<p>frame</p>"), {}, ""), "<p>frame</p>");
  });

  test("a layout that repeats large content ends at the limit", () => {
    const body = "{% for i in (1..100) %}{{content}}{% endfor %}";
    assert.throws(() => renderLayout(frame(body), {}, "x".repeat(100_000)), RenderError);
  });

  test("toSentence", () => {
    const names = (count: number) =>
      ["Ada", "Bob", "Cy", "Di", "Eve"].slice(0, count).map((name) => ({ payload: { name } }));
    const sentence = (count: number, more = "") =>
      render(`{{ l | toSentence: 'payload.name'${more} }}`, { l: names(count) }, "text");
    assert.deepEqual(
      [0, 1, 2, 3, 5].map((count) => sentence(count)),
      ["", "Ada", "Ada and Bob", "Ada, Bob and 1 other", "Ada, Bob and 3 others"],
    );
    assert.equal(sentence(5, ", 4, 'friend'"), "Ada, Bob, Cy, Di and 1 friend");
    assert.equal(sentence(3, ", 5"), "Ada, Bob and Cy");
    assert.equal(render("{{ 'x' | toSentence }}", {}, "text"), "");
  });
});

test("locales: one writing for all, and where to look for a text", () => {
  const written = ["EN", "en-us", "de_de", "zh-hant-tw", "es-419"].map(canonicalLocale);
  assert.deepEqual(written, ["en", "en_US", "de_DE", "zh_Hant_TW", "es_419"]);
  assert.deepEqual(localeChain("de-AT"), ["de_AT", "de", "en_US"]);
  assert.deepEqual(localeChain("en-us"), ["en_US", "en"]);
  assert.deepEqual(localeChain(null), ["en_US", "en"]);
  assert.deepEqual(localeChain("zh-Hant-TW"), ["zh_Hant_TW", "zh_Hant", "zh", "en_US"]);
  assert.deepEqual(localeChain("fr", "de-DE"), ["fr", "de_DE"]);
});
