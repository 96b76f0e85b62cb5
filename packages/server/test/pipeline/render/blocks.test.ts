// Documents of the block editor as mail HTML: what each block becomes, and what hostile documents do not.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "@tidings/testkit/properties";
import { isBlockBody, renderBody } from "../../../src/pipeline/render/blocks.ts";
import { sanitizeHtml } from "../../../src/pipeline/render/html.ts";
import { RenderError } from "../../../src/pipeline/render/liquid.ts";

type Node = { type: string; attrs?: object; text?: string; marks?: object[]; content?: unknown[] };

const scope = {
  payload: {
    name: "Ada",
    markup: `<b>"x"</b>`,
    url: "https://example.com/?a=1&b=2",
    bad: "javascript:alert(1)",
    items: [
      { name: "One", tags: ["x", "y"] },
      { name: "Two", tags: [] },
    ],
    no: "false",
    color: "#ff0000",
  },
  steps: { digest: { events: [{ payload: { who: "Bob" } }] } },
};

const bodyOf = (...content: unknown[]) => JSON.stringify({ type: "doc", content });
const render = (...content: unknown[]) => renderBody(bodyOf(...content), "block", false, scope);
/** Without the looks, which would only repeat the source here, and without what only Outlook reads. */
const plain = (...content: unknown[]) =>
  render(...content)
    .replace(/<!--\[if mso\]>.*?<!\[endif\]-->|<!--\[if !mso\]><!-->|<!--<!\[endif\]-->/gs, "")
    .replace(/ (style|role|cellpadding|cellspacing|border|target|rel|width)="[^"]*"/g, "");
const text = (value: string, ...marks: object[]): Node => ({ type: "text", text: value, marks });
const p = (...content: unknown[]): Node => ({ type: "paragraph", content });
const link = (attrs: object) => ({ type: "link", attrs });
const fault = (body: string) => {
  try {
    renderBody(body, "block", true, scope);
  } catch (error) {
    assert.ok(error instanceof RenderError, String(error));
    return error.message;
  }
  assert.fail(`rendered ${body.slice(0, 100)}`);
};

test("what each block becomes", () => {
  const image = { src: "https://example.com/a.png", alt: 'A "b"' };
  const table: [node: Node, html: string][] = [
    [p(text("a & <b>")), "<p>a &amp; &lt;b&gt;</p>"],
    [p(), "<p>&nbsp;</p>"],
    [{ type: "heading", attrs: { level: 2 }, content: [text("H")] }, "<h2>H</h2>"],
    [{ type: "heading", attrs: { level: 9 }, content: [text("H")] }, "<h3>H</h3>"],
    [p(text("a"), { type: "hardBreak" }, text("b")), "<p>a<br />b</p>"],
    [p(text("x", { type: "bold" }, { type: "italic" })), "<p><em><strong>x</strong></em></p>"],
    [p(text("x", { type: "underline" }), text("y", { type: "strike" })), "<p><u>x</u><s>y</s></p>"],
    [p(text("x", { type: "code" }), text("y", { type: "odd" })), "<p><code>x</code>y</p>"],
    [
      p(text("x", link({ href: "https://example.com/?a=1&b=2" }))),
      '<p><a href="https://example.com/?a=1&amp;b=2">x</a></p>',
    ],
    [p(text("x", link({ href: "mailto:a@example.com" }))), '<p><a href="mailto:a@example.com">x</a></p>'],
    [{ type: "bulletList", content: [{ type: "listItem", content: [p(text("a"))] }] }, "<ul><li><p>a</p></li></ul>"],
    [{ type: "orderedList", attrs: { start: 3 }, content: [{ type: "listItem" }] }, '<ol start="3"><li></li></ol>'],
    [{ type: "blockquote", content: [p(text("q"))] }, "<blockquote><p>q</p></blockquote>"],
    [{ type: "horizontalRule" }, "<hr />"],
    [
      { type: "image", attrs: image },
      `<table><tr><td align="left"><img src="${image.src}" alt="A &#34;b&#34;" /></td></tr></table>`,
    ],
    [{ type: "inlineImage", attrs: { src: "cid:logo" } }, '<img src="cid:logo" alt="" />'],
    [
      { type: "button", attrs: { text: "Go", url: "https://example.com", alignment: "center" } },
      '<table><tr><td align="center"><a href="https://example.com">Go</a></td></tr></table>',
    ],
    [{ type: "spacer", attrs: { height: 24 } }, '<table><tr><td height="24">&nbsp;</td></tr></table>'],
    [{ type: "section", content: [p(text("s"))] }, '<table><tr><td align="left"><p>s</p></td></tr></table>'],
    [
      {
        type: "columns",
        content: [{ type: "column", attrs: { width: 50 }, content: [p(text("l"))] }, { type: "column" }],
      },
      '<table><tr><td><table><tr><td valign="top"><p>l</p></td><td valign="top"></td></tr></table></td></tr></table>',
    ],
    [{ type: "footer", content: [text("f")] }, "<p>f</p>"],
    [{ type: "codeBlock", content: [text("a < b\n  {{ payload.name }}")] }, "<pre><code>a &lt; b\n  Ada</code></pre>"],
    [
      {
        type: "table",
        content: [
          {
            type: "tableRow",
            content: [
              {
                type: "tableHeader",
                attrs: { colspan: 2, rowspan: 1, colwidth: [100, 50] },
                content: [p(text("Item"))],
              },
            ],
          },
          {
            type: "tableRow",
            attrs: { showIf: { "==": [{ var: "payload.name" }, "Ada"] } },
            content: [
              { type: "tableCell", attrs: { align: "right", colspan: '2" onclick="x' }, content: [p(text("1"))] },
              { type: "tableCell", content: [p(text("2"))] },
            ],
          },
          { type: "tableRow", attrs: { showIf: { "==": [{ var: "payload.name" }, "Bob"] } } },
        ],
      },
      '<table><tr><th colspan="2" align="left" valign="top"><p>Item</p></th></tr>' +
        '<tr><td align="right" valign="top"><p>1</p></td><td align="left" valign="top"><p>2</p></td></tr></table>',
    ],
    [
      {
        type: "socialLinks",
        attrs: {
          alignment: "center",
          links: [
            { network: "github", url: "https://github.com/acme" },
            { network: "<Own>", url: "{{ payload.url }}" },
            { network: "x", url: "" },
            { network: "x", url: "{{ payload.bad }}" },
            null,
          ],
        },
      },
      '<table><tr><td align="center"><a href="https://github.com/acme">GitHub</a>' +
        '<a href="https://example.com/?a=1&amp;b=2">&lt;Own&gt;</a></td></tr></table>',
    ],
    [{ type: "htmlCodeBlock", content: [text("<i>{{ payload.name }}</i>")] }, "<i>Ada</i>"],
    [{ type: "digest-block", content: [p(text("inside"))] }, "<p>inside</p>"],
    [{ type: "constructor", content: [text("inside")] }, "inside"],
  ];
  for (const [node, html] of table) assert.equal(plain(node), html, JSON.stringify(node));
  const card = { title: "T", description: "D", link: "https://example.com", linkTitle: "L", badgeText: "B" };
  assert.match(
    plain({ type: "linkCard", attrs: card }),
    /<a href="https:\/\/example.com">.*<strong>T<\/strong> <span>B/,
  );
});

test("styles stand in the elements; what is no style is left out", () => {
  assert.match(
    render({ type: "section", attrs: { backgroundColor: "#fff", paddingTop: 4 } }),
    /style="background-color:#fff;padding-top:4px"/,
  );
  assert.match(
    render(p(text("x", { type: "textStyle", attrs: { color: "{{ payload.color }}" } }))),
    /<span style="color:#ff0000">x/,
  );
  const hostile = [
    "red;background:url(https://x)",
    'red"><script>',
    "url(javascript:1)",
    "expression(alert(1))",
    {},
    "{{ payload.markup }}",
  ];
  for (const color of hostile) {
    const html = render({ type: "button", attrs: { text: "x", buttonColor: color } });
    assert.match(html, /background-color:#000000;/, JSON.stringify(color));
    assert.doesNotMatch(html, /script|url\(|expression/);
  }
});

describe("values", () => {
  test("variables are escaped, and have what to show instead", () => {
    const show = (id: unknown, fallback?: unknown) => plain(p({ type: "variable", attrs: { id, fallback } }));
    assert.equal(show("payload.markup"), "<p>&lt;b&gt;&#34;x&#34;&lt;/b&gt;</p>");
    assert.equal(show("{{ payload.name | upcase }}"), "<p>ADA</p>");
    assert.equal(show("payload.nothing", 'a "b" }} \\ 100 %} <i>'), "<p>a &#34;b&#34; }} \\ 100 %} &lt;i&gt;</p>");
    assert.equal(show("payload.nothing"), "<p></p>");
    for (const id of [undefined, "", "a }} {{ b", "{% if x %}"])
      assert.match(fault(bodyOf(p({ type: "variable", attrs: { id } }))), /proper name/);
  });

  test("Liquid in texts, texts of buttons, addresses and descriptions of images", () => {
    const button = { text: "payload.name", isTextVariable: true, url: "payload.url", isUrlVariable: true };
    assert.match(plain({ type: "button", attrs: button }), /<a href="https:\/\/example.com\/\?a=1&amp;b=2">Ada<\/a>/);
    const mixed = { src: "https://example.com/{{ payload.name }}.png", alt: "{{ payload.markup }}" };
    assert.match(
      plain({ type: "image", attrs: mixed }),
      /<img src="https:\/\/example.com\/Ada.png" alt="&lt;b&gt;&#34;x/,
    );
    assert.equal(plain(p(text("{% if payload.name %}<{% endif %}"))), "<p>&lt;</p>");
  });

  test("repeat goes through a list, also inside another; items are named by `current` or by the list", () => {
    const repeat = (each: string, ...content: unknown[]) => ({ type: "repeat", attrs: { each }, content });
    const show = (id: string) => ({ type: "variable", attrs: { id } });
    assert.equal(plain(repeat("payload.items", show("current.name"))), "OneTwo");
    assert.equal(plain(repeat("payload.items", show("payload.items.name"), text(","))), "One,Two,");
    assert.equal(plain(repeat("steps.digest.events", show("current.payload.who"))), "Bob");
    assert.equal(plain(repeat("payload.items", repeat("current.tags", show("current")))), "xy");
    assert.equal(plain(repeat("payload.nothing", text("x"))), "");
    assert.equal(
      plain({ ...repeat("payload.items", text("x")), type: "for", attrs: { each: "payload.items", iterations: 1 } }),
      "x",
    );
  });

  test("showIfKey hides a block unless its value says yes", () => {
    const shown = (showIfKey: string) => plain({ type: "section", attrs: { showIfKey }, content: [text("x")] }) !== "";
    for (const key of ["payload.name", "{{ payload.items }}", "payload.items.size"])
      assert.equal(shown(key), true, key);
    for (const key of ["payload.no", "payload.nothing", "payload.items[1].tags"]) assert.equal(shown(key), false, key);
  });
});

describe("showIf", () => {
  const shown = (showIf: unknown, more: object = {}) =>
    plain({ type: "section", attrs: { showIf, ...more }, content: [text("x")] }) !== "";
  const isAda = { "==": [{ var: "payload.name" }, "Ada"] };

  test("a condition decides, together with showIfKey", () => {
    assert.equal(shown(isAda), true);
    assert.equal(shown({ "!": isAda }), false);
    assert.equal(shown({ ">": [{ var: "payload.items.length" }, 1] }), true);
    assert.equal(shown({ some: [{ var: "payload.items" }, { "==": [{ var: "name" }, "Two"] }] }), true);
    assert.equal(shown(isAda, { showIfKey: "payload.no" }), false);
    assert.equal(shown({ "!": isAda }, { showIfKey: "payload.name" }), false);
    assert.equal(shown(isAda, { showIfKey: "payload.name" }), true);
    for (const none of [undefined, null, {}]) assert.equal(shown(none), true);
    assert.equal(shown({ "==": [{ var: "payload.markup" }, scope.payload.markup] }), true);
    assert.equal(shown({ "==": ["%}", "}}"] }), false);
  });

  test("inside a loop it reads the item, by either of its names", () => {
    for (const name of ["current.name", "payload.items.name"]) {
      const item = { type: "section", attrs: { showIf: { "==": [{ var: name }, "Two"] } }, content: [text("two")] };
      assert.match(
        plain({ type: "repeat", attrs: { each: "payload.items" }, content: [item] }),
        /^<table>.*two<.*<\/table>$/,
      );
    }
  });

  test("a rule that cannot be evaluated is an error of the document; one that takes too long fails", () => {
    const faultOf = (showIf: unknown) => fault(bodyOf({ type: "section", attrs: { showIf } }));
    assert.equal(faultOf({ eval: [1] }), "the block document has a block whose showIf uses an unknown operator: eval");
    assert.match(faultOf("yes"), /showIf must be an object/);
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { "!": [deep(levels - 1)] });
    assert.match(faultOf(deep(40)), /nested deeper than 32/);
    const list = Array.from({ length: 300 }, (_, n) => n);
    const slow = { map: [list, { map: [list, { map: [list, { "+": [1, 2] }] }] }] };
    assert.match(faultOf(slow), /takes too long/);
    assert.equal(shown({ "==": [{ var: "__proto__.constructor" }, null] }), true);
  });
});

describe("buttons in Outlook", () => {
  const shapeOf = (attrs: object) => /<!--\[if mso\]>(.*?)<!\[endif\]-->/s.exec(render({ type: "button", attrs }))?.[1];

  test("a shape as large as its label, with the same link, colours and corners", () => {
    const shape = shapeOf({
      text: "Open it",
      url: "https://example.com",
      buttonColor: "#123456",
      borderRadius: "round",
    });
    assert.match(shape!, /^<v:roundrect [^>]*href="https:\/\/example\.com" style="height:40px;[^"]*width:130px"/);
    assert.match(shape!, /arcsize="50%" strokecolor="#123456" strokeweight="2px" fillcolor="#123456">/);
    assert.match(shape!, /<center style="color:#ffffff;[^>]*>Open it<\/center>/);
    assert.match(shapeOf({ text: "x", url: "https://e.com", variant: "outline" })!, / filled="f">/);
  });

  test("values appear in it; without a link there is no shape", () => {
    const shape = shapeOf({ text: "Hi {{ payload.name }} {{ payload.markup }}", url: "{{ payload.url }}" })!;
    assert.match(shape, /href="https:\/\/example\.com\/\?a=1&amp;b=2"/);
    assert.match(shape, />Hi Ada &lt;b&gt;&#34;x&#34;&lt;\/b&gt;<\/center>/);
    for (const url of [undefined, "", "{{ payload.bad }}", "{{ payload.nothing }}"])
      assert.equal(shapeOf({ text: "x", url }), undefined);
  });

  test("the cleaner keeps it, and nothing hostile in it", () => {
    const html = render({ type: "button", attrs: { text: "Go", url: "https://example.com" } });
    const cleaned = sanitizeHtml(html, "mail");
    assert.match(cleaned, /<!--\[if mso\]><v:roundrect [^>]*href="https:\/\/example\.com"/);
    assert.match(cleaned, /<!--\[if !mso\]><!--><a href/);
    const label = "{{ payload.evil | raw }}";
    const evil = { payload: { evil: '--><script>alert(1)</script><!--<![endif]--><b onclick="x">' } };
    const body = bodyOf({ type: "button", attrs: { text: label, url: "https://example.com" } });
    assert.doesNotMatch(sanitizeHtml(renderBody(body, "block", false, evil), "mail"), /<script|onclick/);
  });
});

describe("hostile documents", () => {
  test("no address that runs something, whether written or inserted", () => {
    const addresses = [
      "javascript:alert(1)",
      " JaVaScRiPt:alert(1)",
      "java\nscript:1",
      "data:text/html,x",
      "//host",
      "{{ payload.bad }}",
      "{{ payload.bad | raw }}",
      'https://x" onclick="y',
    ];
    for (const url of addresses) {
      const nodes = [
        p(text("x", link({ href: url }))),
        { type: "button", attrs: { text: "x", url } },
        { type: "image", attrs: { src: url, externalLink: url } },
        { type: "linkCard", attrs: { link: url, image: url } },
      ];
      assert.doesNotMatch(render(...nodes), /javascript:|data:text|="\/\/|\sonclick="/i, url);
    }
    const attrs = { text: "x", url: "payload.bad", isUrlVariable: true };
    assert.equal(plain({ type: "button", attrs }), '<table><tr><td align="left"><a>x</a></td></tr></table>');
  });

  test("what is no block document says so; what is html is html", () => {
    assert.equal(fault('{"type":"doc","content":['), "the block document is not valid JSON");
    for (const body of ["{}", '{"type":"page"}', '{ "content": [] }']) assert.match(fault(body), /"type": "doc"/);
    for (const body of ["", "<p>{}</p>", "{{ payload.html }}", "{% if a %}b{% endif %}", "plain", "[]"]) {
      assert.equal(isBlockBody("block", body), false, body);
    }
    for (const body of ["{}", '{"type":"page"}', '{"type":"doc"']) assert.equal(isBlockBody("html", body), false, body);
    assert.equal(isBlockBody("html", bodyOf()), true);
    assert.equal(isBlockBody(undefined, bodyOf()), true);
  });

  test("depth, number of blocks, loops and output are bounded", () => {
    let deep: unknown = text("x");
    for (let level = 0; level < 60; level++) deep = { type: "section", content: [deep] };
    assert.match(fault(bodyOf(deep)), /nested deeper than 50/);
    const bottomless = `{"type":"doc","content":${'[{"content":'.repeat(100_000)}[]${"}]".repeat(100_000)}}`;
    assert.match(fault(bottomless), /nested deeper than 50/);
    assert.match(fault(bodyOf(...Array(20_001).fill({ type: "hardBreak" }))), /more than 20000 blocks/);
    const loop = (content: unknown): unknown => ({
      type: "repeat",
      attrs: { each: "(1..100000)" },
      content: [content],
    });
    assert.match(fault(bodyOf(loop(loop(loop(text("x")))))), /limit exceeded/);
    assert.match(fault(bodyOf(loop(loop(text("x".repeat(100)))))), /5 MB|limit exceeded/);
    assert.match(fault(bodyOf(p(text("{{".repeat(200_000))))), /not closed|limit|too long to be rendered/);
  });

  test("faults name no line of a template nobody has seen", () => {
    assert.throws(
      () => renderBody(bodyOf(p(text("{{ payload.name | shout }}"))), "block", true, scope),
      (error: RenderError) => error.message === "undefined filter: shout" && error.position === undefined,
    );
  });

  test("whatever JSON it is, it renders or is a fault with words, and what renders is clean", () => {
    const types = [
      "paragraph",
      "text",
      "variable",
      "button",
      "image",
      "repeat",
      "section",
      "heading",
      "linkCard",
      "htmlCodeBlock",
      "columns",
    ];
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constantFrom("payload.bad", "<script>", "{{ payload.markup }}", "javascript:x"),
    );
    const attrs = fc.dictionary(
      fc.constantFrom("id", "text", "url", "src", "each", "level", "href", "width", "showIfKey", "isUrlVariable"),
      value,
    );
    const { node } = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.record(
        {
          type: fc.oneof(fc.constantFrom(...types), value),
          attrs: fc.oneof(attrs, value),
          text: value,
          marks: fc.array(fc.record({ type: fc.constant("link"), attrs })),
          content: fc.array(tie("node"), { maxLength: 3 }),
        },
        { requiredKeys: [] },
      ),
    }));
    fc.assert(
      fc.property(fc.array(node, { maxLength: 3 }), (content) => {
        try {
          const html = sanitizeHtml(renderBody(bodyOf(...content), "block", true, scope), "mail");
          assert.doesNotMatch(html, /<script|(href|src)="\s*javascript:/i);
        } catch (error) {
          assert.ok(error instanceof RenderError, String(error));
        }
      }),
      { numRuns: 300 },
    );
  });
});
