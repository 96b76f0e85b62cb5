// Templates as text, against the plain engine: every filter with many inputs, every block in every other. The tables
// name what may differ; docs/templates.md explains it under "Differences from Liquid".
import assert from "node:assert/strict";
import { test } from "node:test";
import { Liquid, type Template } from "liquidjs";
import { renderClock } from "../../../src/pipeline/render/dates.ts";
import { filters as ownFilters } from "../../../src/pipeline/render/filters.ts";
import { RenderError, render } from "../../../src/pipeline/render/liquid.ts";

const plain = new Liquid({ ownPropertyOnly: true, strictFilters: true });

const faultMark = "(fails)";

/** What a template shows, or that it fails. The wording of errors is ours. */
function outcomeOf(show: () => string): string {
  try {
    return show();
  } catch {
    return faultMark;
  }
}

const byUs = (template: string, values: object) => outcomeOf(() => render(template, values, "text"));

/** Without NUL and half surrogate pairs, which cannot be stored. */
const toStorable = (text: string): string => text.replaceAll("\0", "").toWellFormed();

const parsed = new Map<string, Template[]>();

function byEngine(template: string, values: object): string {
  return outcomeOf(() => {
    const known = parsed.get(template) ?? plain.parse(template);
    parsed.set(template, known);
    return toStorable(String(plain.renderSync(known, values)));
  });
}

const acceptedFilters: Record<string, string> = {
  sample: "random",
  date: "shown in the zone of the subscriber (dates.test.ts)",
  date_to_xmlschema: "as date",
  date_to_rfc822: "as date",
  date_to_string: "as date",
  date_to_long_string: "as date",
};

const isRemoved = (filter: string) => filter.endsWith("_exp");

const inputs: unknown[] = [
  ...[
    "",
    " ",
    "a",
    "Hello World",
    "  pad  ",
    "a,b,,c",
    '<b>&amp; "it\'s"</b>',
    "a\nb\r\nc",
    "1",
    "-3.7",
    "abc def",
    "ÄÖü ß",
  ],
  ...["😀 smile", "https://x.io/?a=1&b=ü", "%C3%BC+x", "aGk=", "true", "null", "a-b_c", "2026-01-02", "x".repeat(60)],
  ...[0, 1, -1, 3.5, -2.25, 1e21, 183.357, true, false, null, undefined],
  ...[[], [3, 1, 2], ["b", "A", "c", "a"], [1, [2, [3]], null], [null, "x", undefined], ["a", "a", "b"], [true, false]],
  [{ a: 1, n: "x" }, { a: 2, n: "y" }, { a: 1, n: "Z" }, { n: null }],
  [{ a: { b: 2 } }, { a: { b: 1 } }],
  ...[{}, { a: 1, b: [1, 2] }, { size: 7 }, { first: "f", last: "l" }],
];

const argumentLists = [
  "",
  ": 2",
  ": -1",
  ": 1, 2",
  ": 'a'",
  ": 'a', 'z'",
  ": 'n', 'x'",
  ": 'a.b'",
  ": other",
  ": ', '",
];

test("every filter of the engine, with every input and argument list", () => {
  const names = Object.keys(plain.filters).filter((name) => !isRemoved(name) && !(name in acceptedFilters));
  assert.ok(names.length > 60, `${names.length} filters`);
  const differences: string[] = [];
  let shown = 0;
  for (const name of names) {
    for (const args of argumentLists) {
      const template = `{{ value | ${name}${args} | json }}|{{ value | ${name}${args} }}`;
      for (const value of inputs) {
        const values = { value, other: ["q", 1] };
        const [ours, theirs] = [byUs(template, values), byEngine(template, values)];
        if (ours !== faultMark) shown += 1;
        if (ours !== theirs) differences.push(`${JSON.stringify(value)} | ${name}${args}: ${ours} / ${theirs}`);
      }
    }
  }
  assert.ok(shown > 20_000, `only ${shown} were rendered`);
  assert.deepEqual(differences.slice(0, 40), [], `${differences.length} differ`);
});

/** `$` is where another block goes. */
const blocks = [
  "{% if a %}y$ {% elsif n > 1 %}m$ {% else %}n$ {% endif %}",
  "{% unless n == 2 %}u$ {% else %}e$ {% endunless %}",
  "{% case n %}{% when 1, 3 %}one$ {% when 2 %}two$ {% else %}other$ {% endcase %}",
  "{% for i in list %}{{ forloop.index }}{{ i }}$ {% else %}empty$ {% endfor %}",
  "{% for i in (1..3) reversed %}{{ i }}{{ forloop.last }}$ {% if i == 2 %}{% break %}{% endif %}{% endfor %}",
  "{% for i in list limit: 2 offset: 1 %}{% if i == 'c' %}{% continue %}{% endif %}{{ i }}$ {% endfor %}",
  "{% for p in map %}{{ p[0] }}={{ p[1] }}$ {% endfor %}",
  "{% tablerow i in list cols: 2 %}{{ i }}$ {% endtablerow %}",
  "{% capture c %}<$>{% endcapture %}{{ c }}{{ c | size }}",
  "{% assign n = n | plus: 1 %}{{ n }}$ ",
  "{% comment %}hidden$ {% endcomment %}",
  "{% # hidden %}$ ",
  "{% raw %}{{ n }}{% if %}{% endraw %}$ ",
  "{% cycle 'x', 'y' %}{% cycle 'g': 'x', 'y', 'z' %}$ ",
  "{% increment k %}{% decrement d %}{% increment k %}{{ k }}$ ",
  "{% echo n | times: 2 %}$ ",
  "{% liquid\n assign z = n\n echo z\n%}$ ",
  "  {%- if n -%}  trimmed {{- n -}} $  {%- endif -%}  ",
  "{{ list | join: '+' }}{{ map.k.deep }}{{ list[1] }}{{ list.size }}{{ missing.x.y }}$ ",
  "{% if a and n == 1 or list contains 'b' %}yes$ {% endif %}{% if text contains 'ell' %}in$ {% endif %}",
  "{% if n == empty or text == blank %}e$ {% endif %}{% if nothing == nil %}nil$ {% endif %}",
  "{% inline_broken %}$ ",
  "{% if %}$ ",
  "{% endfor %}$ ",
];

const scopes = [
  { a: true, n: 1, list: ["a", "b", "c"], map: { k: { deep: 1 }, l: 2 }, text: "hello" },
  { a: false, n: 2, list: [], map: {}, text: "" },
  { n: "3", list: "word", map: [["x", "y"]], text: 5 },
  {},
];

test("every block alone, in every other one, and three deep", () => {
  const at = (outer: string, inner: string) => outer.replaceAll("$", () => inner);
  const nested = blocks.flatMap((outer) => blocks.map((inner) => at(at(outer, inner), "")));
  const deep = blocks.flatMap((outer, index) =>
    blocks.map((middle, step) => at(at(at(outer, middle), blocks[(index + 3 * step) % blocks.length]!), "")),
  );
  const differences: string[] = [];
  let shown = 0;
  for (const template of [...blocks.map((block) => at(block, "!")), ...nested, ...deep]) {
    for (const scope of scopes) {
      const [ours, theirs] = [byUs(template, scope), byEngine(template, scope)];
      if (ours !== faultMark) shown += 1;
      if (ours !== theirs) differences.push(`${template}: ${JSON.stringify(scope)}: ${ours} / ${theirs}`);
    }
  }
  assert.ok(shown > 2_500, `only ${shown} were rendered`);
  assert.deepEqual(differences.slice(0, 10), [], `${differences.length} differ`);
});

test("what differs on purpose", () => {
  const now = new Date("2030-05-05T23:30:00.000Z");
  const values = { value: "2026-03-02T03:00:00Z", list: [1, 2], [renderClock]: { zone: "Asia/Tokyo", now } };
  const show = (template: string) => render(template, values, "text");
  for (const tag of ["include 'x'", "render 'x'", "layout 'x'", "block x %}{% endblock"]) {
    assert.throws(() => show(`{% ${tag} %}`), RenderError, tag);
  }
  const removed = Object.keys(plain.filters).filter(isRemoved);
  assert.ok(removed.length > 0);
  for (const filter of removed) {
    assert.throws(() => show(`{{ list | ${filter}: 'i', 'i == 1' }}`), /undefined filter/, filter);
  }
  assert.throws(() => show("{{ value | unknown }}"), /undefined filter: unknown/);
  assert.equal(new Liquid().parseAndRenderSync("{{ value | unknown }}", values), values.value, "the engine ignores it");
  assert.equal(show("{{ value | date: '%H:%M' }} {{ 'now' | date: '%d.%m.%Y' }}"), "12:00 06.05.2030");
  assert.equal(render("{{ value }}", { value: "a\0b" }, "text"), "ab");
  assert.equal(render("{{ value | first }}", { value: "😀" }, "text"), "\ufffd");
  const own = Object.keys(ownFilters);
  assert.deepEqual(
    own.filter((name) => name in plain.filters),
    [],
    "filters of our own replace none of the engine",
  );
});
