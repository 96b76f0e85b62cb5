import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { Liquid } from "liquidjs";
import { searchingFilters } from "../../../src/pipeline/render/bounded-text.ts";
import { filters } from "../../../src/pipeline/render/filters.ts";
import {
  checkTemplate,
  RenderError,
  type RenderTarget,
  render,
  renderDeep,
} from "../../../src/pipeline/render/liquid.ts";

const scope = {
  payload: { name: "Ada", html: `<b title="x">'&</b>`, list: ["a", "b"], nested: { n: null, zero: 0, no: false } },
  subscriber: { firstName: "Grace" },
};

function faultOf(template: string, target: RenderTarget = "text", values: object = scope): RenderError {
  try {
    render(template, values, target);
  } catch (error) {
    assert.ok(error instanceof RenderError, String(error));
    return error;
  }
  assert.fail(`rendered: ${template.slice(0, 100)}`);
}

test("values are escaped in html and left alone in text", () => {
  const escaped = "&lt;b title=&#34;x&#34;&gt;&#39;&amp;&lt;/b&gt;";
  const table: [template: string, html: string, text: string][] = [
    ["Hello {{ payload.name }}", "Hello Ada", "Hello Ada"],
    ["{{ payload.html }}", escaped, scope.payload.html],
    ["{{ payload.html | raw }}", scope.payload.html, scope.payload.html],
    ["<i>{{ payload.html }}</i>", `<i>${escaped}</i>`, `<i>${scope.payload.html}</i>`],
    ["{{ '<br>' }}", "&lt;br&gt;", "<br>"],
    ["{% assign x = payload.html %}{{ x }}", escaped, scope.payload.html],
    ["{% for i in payload.list %}{{ i }}{% endfor %}", "ab", "ab"],
  ];
  for (const [template, html, text] of table) {
    assert.equal(render(template, scope, "html"), html, template);
    assert.equal(render(template, scope, "text"), text, template);
  }
});

test("no value gets markup into html, whatever filters it passed", () => {
  const used = [
    "",
    "| upcase",
    "| append: '>'",
    "| json",
    "| newline_to_br",
    "| split: '' | join: ' '",
    "| truncate: 9",
  ];
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.constantFrom(...used), (value, filter) => {
      const output = render(`{{ value ${filter} }}`, { value }, "html");
      assert.doesNotMatch(output, /[<>"']/);
    }),
  );
});

test("a missing value renders as nothing", () => {
  const templates = [
    "[{{ nowhere }}]",
    "[{{ payload.a.b.c }}]",
    "[{{ payload.nested.n }}]",
    "[{{ payload.list[7] }}]",
    "[{{ payload['x y'].z }}]",
    "[{% if nowhere %}x{% endif %}]",
    "[{% for i in nowhere %}x{% endfor %}]",
    "[{{ nowhere | upcase }}]",
  ];
  for (const template of templates) assert.equal(render(template, scope, "html"), "[]", template);
  assert.equal(render("{{ payload.nested.zero }}{{ payload.nested.no }}", scope, "text"), "0false");
});

test("a text without templates is itself, also when it looks a little like one", () => {
  for (const text of ["", "plain", "100 %", "{ a }", "}} %}", "{ { x } }"]) {
    assert.equal(render(text, scope, "html"), text);
  }
});

test("syntax errors name their place", () => {
  const table: [template: string, message: RegExp, position: RegExp][] = [
    ["line one\n  {{ payload.name", /not closed/, /^line 2, column 3$/],
    ["{% if payload.name %}yes", /not closed/, /^line 1, column 1$/],
    ["a\nb\n{% nosuchtag %}", /tag "nosuchtag" not found/, /^line 3, column 1$/],
    ["{{ payload.name | nosuchfilter }}", /undefined filter: nosuchfilter/, /^line 1, column 1$/],
    ["{% endif %}", /endif/, /^line 1, column 1$/],
    ["{% for in x %}{% endfor %}", /./, /^line 1, column \d+$/],
  ];
  for (const [template, message, position] of table) {
    const fault = faultOf(template);
    assert.match(fault.message, message, template);
    assert.match(fault.position ?? "", position, template);
    assert.doesNotMatch(fault.message, /\n|, line:/);
    assert.throws(() => checkTemplate(template, "text"), RenderError);
  }
});

test("any text either parses or is a fault with words, never another error", () => {
  const piece = fc.constantFrom(
    "{{",
    "}}",
    "{%",
    "%}",
    "if",
    "for i in",
    "x",
    "|",
    "'",
    ":",
    "endif",
    "(1..2)",
    " ",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      try {
        assert.equal(typeof render(pieces.join(""), scope, "html"), "string");
      } catch (error) {
        assert.ok(error instanceof RenderError, String(error));
        assert.ok(error.message.length > 0);
      }
    }),
  );
});

test("templates reach no files and no other templates", () => {
  for (const template of [
    "{% include 'secret' %}",
    "{% include '/etc/passwd' %}",
    "{% render 'secret' %}",
    "{% layout 'secret' %}",
    "{% block a %}{% endblock %}",
  ]) {
    assert.match(faultOf(template).message, /not found/, template);
  }
});

test("templates reach own members only", () => {
  const inherited = Object.create({ secret: "inherited" }) as Record<string, unknown>;
  const values = { payload: { a: "text", f: [1], inherited } };
  const templates = [
    "{{ payload.constructor }}",
    "{{ payload.__proto__ }}",
    "{{ payload.toString }}",
    "{{ payload.a.constructor.name }}",
    "{{ payload['__proto__']['constructor'] }}",
    "{{ payload.f.constructor.constructor }}",
    "{{ payload.inherited.secret }}",
    "{{ constructor }}",
    "{{ __proto__ }}",
    "{{ payload.hasOwnProperty }}",
  ];
  for (const template of templates) assert.equal(render(template, values, "text"), "", template);
});

test("a template cannot change what later templates see", () => {
  const values = { payload: { name: "Ada" } };
  render("{% assign payload = 'x' %}{% increment counter %}{% capture name %}y{% endcapture %}", values, "text");
  assert.equal(render("{{ payload.name }}{{ name }}{{ counter }}", values, "text"), "Ada");
});

test("endless and huge work is stopped", () => {
  const table: [template: string, message: RegExp][] = [
    ["{% for i in (1..100000000) %}{{ i }}{% endfor %}", /limit exceeded/],
    ["{{ (1..100000000) | size }}", /limit exceeded/],
    ["{% for i in (1..9999) %}{% for j in (1..9999) %}{% endfor %}{% endfor %}", /render limit exceeded/],
    ["{% assign a = 'xxxxxxxx' %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}", /limit exceeded/],
    [
      "{% assign a = 'xx' %}{% for i in (1..60) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}{{ a }}",
      /./,
    ],
    ["{{ 'now' | date: '%10000000d' }}", /5 MB|limit exceeded/],
    [`${"{% if true %}".repeat(20_000)}${"{% endif %}".repeat(20_000)}`, /./],
  ];
  for (const [template, message] of table) assert.match(faultOf(template).message, message, template.slice(0, 60));
});

test("output of up to 5 MB passes, more does not", () => {
  const line = "x".repeat(1024);
  const lines = (count: number) => `{% for i in (1..${count}) %}{{ line }}{% endfor %}`;
  assert.equal(render(lines(5 * 1024), { line }, "text").length, 5 * 1024 * 1024);
  assert.match(faultOf(lines(10 * 1024), "text", { line }).message, /5 MB|limit exceeded/);
});

test("filters that evaluate expressions over lists are not there: they would run without a limit", () => {
  for (const filter of ["where_exp", "reject_exp", "group_by_exp", "find_exp", "find_index_exp", "has_exp"]) {
    assert.match(faultOf(`{{ payload.list | ${filter}: 'i', 'i' }}`).message, /undefined filter/, filter);
  }
});

test("output can always be stored: no NUL and no half characters", () => {
  assert.equal(render("{{ 'a%00b' | url_decode }}", {}, "text"), "ab");
  const values = fc.record({ text: fc.string({ unit: fc.constantFrom("😀", "a", "é", "𝒳") }), count: fc.nat(8) });
  fc.assert(
    fc.property(values, (value) => {
      const output = render("{{ text | truncate: count, '' }}{{ text | slice: count, 3 }}", value, "text");
      assert.ok(output.isWellFormed());
    }),
  );
});

test("pluralize writes a count with the fitting word", () => {
  const table: [value: unknown, text: string][] = [
    [0, "0 items"],
    [1, "1 item"],
    [2, "2 items"],
    ["1", "1 item"],
    [["a", "b", "c"], "3 items"],
    [[], "0 items"],
    [null, "0 items"],
    ["many", "0 items"],
  ];
  for (const [value, text] of table) {
    assert.equal(render("{{ value | pluralize: 'item', 'items' }}", { value }, "text"), text);
  }
  assert.equal(render("{{ 2 | pluralize: 'sheep' }}|{{ 2 | pluralize }}", {}, "text"), "2 sheep|2");
  const withThird: [third: string, text: string][] = [
    ["'false'", "items"],
    ["'False'", "items"],
    ["false", "items"],
    ["no", "items"],
    ["'true'", "2 items"],
    ["true", "2 items"],
    ["nowhere", "2 items"],
    ["''", "2 items"],
  ];
  for (const [third, text] of withThird) {
    const template = `{{ 2 | pluralize: 'item', 'items', ${third} }}`;
    assert.equal(render(template, { no: false }, "text"), text, third);
  }
  assert.equal(render("{{ 1 | pluralize: 'item', 'items', 'false' }}", {}, "text"), "item");
});

test("every text inside a value is rendered, everything else stays", () => {
  const value = { a: "{{ payload.name }}", b: [1, "{{ payload.list[1] }}", { c: null }], d: true, "{{ key }}": "x" };
  assert.deepEqual(renderDeep(value, scope), { a: "Ada", b: [1, "b", { c: null }], d: true, "{{ key }}": "x" });
});

test("output tags are written as the engine itself writes them", () => {
  const engine = new Liquid({ ownPropertyOnly: true });
  for (const [name, filter] of Object.entries({ ...filters, ...searchingFilters })) engine.registerFilter(name, filter);
  const value = fc.constantFrom(
    ...[
      "payload.name",
      "payload['html']",
      "payload.list",
      "payload.list[1]",
      "payload.list.size",
      "payload.list.first",
    ],
    ...["payload.nested.zero", "payload.nested.no", "payload.nested.n.x", "missing.name", "payload.items", "item.id"],
    ...[
      "payload[payload.key]",
      "forloop.index",
      "forloop.last",
      "'text'",
      "42",
      "-1.5",
      "nil",
      "true",
      "empty",
      "(1..3)",
    ],
    ...["payload.name == 'Ada'", "payload.constructor", "x"],
  );
  const filter = fc.constantFrom(
    ...["upcase", "append: payload.name", "append: 'x'", "default: 'none'", "default: 'none', allow_false: true"],
    ...["join: '-'", "map: 'id'", "where: 'id', 2", "sum: 'id'", "size", "plus: payload.nested.zero", "json", "raw"],
    ...["date: '%Y'", "truncate: 3", "first", "split: 'd'", "times: missing", "sort: 'id'", "slice: 0, 2"],
  );
  const tag = fc
    .tuple(value, fc.array(filter, { maxLength: 3 }))
    .map(([name, used]) => `{{ ${[name, ...used].join(" | ")} }}`);
  const around = fc.constantFrom("", "{% for item in payload.items %}", "{% if payload.name %}", "{% assign x = 1 %}");
  const values = { payload: { ...scope.payload, key: "name", items: [{ id: 1 }, { id: 2 }] } };
  const textOf = (run: () => string) => {
    try {
      return run();
    } catch (error) {
      return `fails: ${(error as Error).message.split(", line")[0]}`;
    }
  };
  fc.assert(
    fc.property(fc.array(tag, { minLength: 1, maxLength: 4 }), around, (tags, opening) => {
      const closing = { f: "{% endfor %}", i: "{% endif %}" }[opening[3] ?? ""] ?? "";
      const template = `${opening}${tags.join(" ")}${closing}`;
      const expected = textOf(() => engine.parseAndRenderSync(template, values));
      assert.equal(
        textOf(() => render(template, values, "text")),
        expected,
        template,
      );
    }),
    { numRuns: 500 },
  );
});
