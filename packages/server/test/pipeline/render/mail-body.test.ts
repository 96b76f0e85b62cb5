// A whole mail: body by either editor, layout around it, style sheets in the elements, text part, subject.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "@tidings/testkit/properties";
import { inlineCss } from "../../../src/pipeline/render/inline-css.ts";
import { RenderError } from "../../../src/pipeline/render/liquid.ts";
import { type MailControls, renderMail } from "../../../src/pipeline/render/mail-body.ts";

const scope = { payload: { name: "<Ada>", lines: "a\r\nBcc: x@example.com\u0000\u2028b" } };
const mail = (controls: MailControls, layout?: string, editorType: "html" | "block" = "html") =>
  renderMail({ controls, layout: layout ? { values: { email: { body: layout, editorType } }, scope } : null, scope });
const documentOf = (...content: object[]) => JSON.stringify({ type: "doc", content });
const paragraph = (text: string) => ({ type: "paragraph", content: [{ type: "text", text }] });

test("an html body and a block body, with and without a layout", () => {
  assert.deepEqual(mail({ subject: "Hi {{ payload.name }}", body: "<p>{{ payload.name }}</p>" }), {
    subject: "Hi <Ada>",
    html: "<p>&lt;Ada&gt;</p>",
    text: "<Ada>",
  });
  const body = documentOf(paragraph("Hi {{ payload.name }}"));
  const alone = mail({ body, editorType: "block" });
  assert.match(
    alone.html,
    /^<table role="presentation".*max-width:600px.*<p style="[^"]*">Hi &lt;Ada&gt;<\/p>.*<\/table>$/,
  );
  assert.equal(alone.text, "Hi <Ada>");
  const framed = mail({ body, editorType: "block" }, "<h1>Shop</h1><main>{{ content }}</main>");
  assert.match(framed.html, /^<h1>Shop<\/h1><main><p style="[^"]*">Hi &lt;Ada&gt;<\/p><\/main>$/);
  const layout = documentOf(paragraph("Top"), {
    type: "paragraph",
    content: [{ type: "variable", attrs: { id: "content" } }],
  });
  const inBlocks = mail({ body: "<p>$& {{ payload.name }}</p>" }, layout, "block");
  assert.match(inBlocks.html, />Top<\/p><div style="[^"]*"><p>\$&amp; &lt;Ada&gt;<\/p><\/div>/);
  assert.equal(inBlocks.text, "Top\n\n$& <Ada>");
  assert.equal(mail({}).html, "");
});

test("the body decides whether it is a block document, whatever the editor is called", () => {
  assert.equal(mail({ body: "<b>x</b>", editorType: "block" }).html, "<b>x</b>");
  // Whoever switches the editor without a new body must not send the document's source.
  const body = documentOf(paragraph("Hi {{ payload.name }}"));
  assert.equal(mail({ body, editorType: "html" }).html, mail({ body, editorType: "block" }).html);
  for (const text of ['{"type":"doc"', '{"type":"paragraph"}', "{ }"]) {
    assert.equal(mail({ body: text, editorType: "html" }).html, text);
  }
  assert.throws(() => mail({ body: '{"type":"doc"', editorType: "block" }), RenderError);
});

test("scripts go unless the step says they may stay; escaping stays either way", () => {
  const body = "<script>alert(1)</script><a href='javascript:x'>{{ payload.name }}</a>";
  assert.equal(mail({ body }).html, "<a>&lt;Ada&gt;</a>");
  const raw = mail({ body, disableOutputSanitization: true });
  assert.equal(raw.html, body.replace("{{ payload.name }}", "&lt;Ada&gt;"));
  assert.equal(raw.text, "<Ada>");
  assert.equal(mail({ body: "<p>x</p>" }, "<script>1</script>{{ content }}").html, "<p>x</p>");
});

test("entities in a subject become characters once, because a mail program shows a subject as it stands", () => {
  const table: [value: string, subject: string][] = [
    ["Tom &amp; Jerry", "Tom & Jerry"],
    ["O&#39;Brien &#x2014; caf&eacute; &QUOT;&quot;", `O'Brien — café ""`],
    ["&lt;b&gt;", "<b>"],
    ["&amp;lt; &amp;amp;", "&lt; &amp;"],
    ["AT&T, a&b; x&copy=1 &nosuch; &;&#; &amp", "AT&T, a&b; x&copy=1 &nosuch; &;&#; &amp"],
    ["a&#13;&#10;Bcc: x@example.com&#0;&#x110000;&#55357;", "a Bcc: x@example.com\ufffd\ufffd\ufffd"],
    ["a&nbsp;b", "a b"],
    ["a < b > c", "a < b > c"],
  ];
  for (const [value, subject] of table) {
    const controls = { subject: "{{ payload.value }}", body: "<p>{{ payload.value }}</p>" };
    const made = renderMail({ controls, layout: null, scope: { payload: { value } } });
    assert.equal(made.subject, subject, value);
  }
  assert.equal(mail({ subject: "Terms &amp; {{ payload.name }}" }).subject, "Terms & <Ada>");
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("&", "#", "x", ";", "1", "amp", "lt", "<", " ", "é") }), (value) => {
      const escaped = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      const { subject } = renderMail({ controls: { subject: "[{{ v }}]" }, layout: null, scope: { v: escaped } });
      assert.equal(subject, `[${value.replace(/\s+/g, " ")}]`);
    }),
  );
});

test("a subject is one line", () => {
  assert.equal(mail({ subject: " {{ payload.lines }}\n\tc " }).subject, "a Bcc: x@example.com b c");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (lines) => {
      const { subject } = renderMail({ controls: { subject: "{{ lines }}" }, layout: null, scope: { lines } });
      assert.doesNotMatch(subject, /[\p{Cc}\u2028\u2029]|^\s|\s$/u);
    }),
  );
});

describe("style sheets", () => {
  const styled = (css: string, html: string) => inlineCss(`<style>${css}</style>${html}`).slice(css.length + 15);

  test("are written into the elements they are about, in the order of the cascade", () => {
    const table: [css: string, html: string, inlined: string][] = [
      ["{x:1}", "<p>x</p>", "<p>x</p>"],
      ["p{color:red}", "<p>x</p><b>y</b>", '<p style="color:red">x</p><b>y</b>'],
      [".a{x:1} p.a{x:2} p{x:3}", "<p class='a b'>x</p>", '<p class="a b" style="x:2">x</p>'],
      ["p{x:1} p{y:2;x:3}", "<p>x</p>", '<p style="y:2;x:3">x</p>'],
      ["#i{x:1} p{x:2!important}", "<p id=i>x</p>", '<p id="i" style="x:1;x:2!important">x</p>'],
      ["p{x:1}", '<p style="x:2">x</p>', '<p style="x:1;x:2">x</p>'],
      ["div p{x:1}", "<p>a</p><div><b><p>b</p></b></div>", '<p>a</p><div><b><p style="x:1">b</p></b></div>'],
      ["div > p{x:1}", "<div><b><p>a</p></b><p>b</p></div>", '<div><b><p>a</p></b><p style="x:1">b</p></div>'],
      ["div > b p{x:1}", "<div><b><i><p>a</p></i></b></div>", '<div><b><i><p style="x:1">a</p></i></b></div>'],
      ["[align=left]{x:1} *{y:2}", '<td align="left">', '<td align="left" style="y:2;x:1">'],
      ["a,b{x:1}", "<a>1</a><B>2</B>", '<a style="x:1">1</a><b style="x:1">2</B>'],
      ['p{font:"A B"}', "<p>x<br/></p>", "<p style=\"font:'A B'\">x<br/></p>"],
      ["br{x:1}", "<br /><br>", '<br style="x:1" /><br style="x:1">'],
      [
        "p:hover{x:1} p::before{x:1} p:is(p){x:1} p:foo{x:1} p:not(:not(b)){x:1} p:nth-child(2 of p){x:1} @media print{p{x:1}} @font-face{x:1}",
        "<p>x</p>",
        "<p>x</p>",
      ],
      ["p{x:1", "<p>x</p>", "<p>x</p>"],
    ];
    for (const [css, html, inlined] of table) assert.equal(styled(css, html), inlined, css);
  });

  test("go by siblings, positions and parts of attributes, and a weaker rule never wins against these", () => {
    const table: [css: string, html: string, inlined: string][] = [
      [
        "td{padding:8px} td:first-child{padding-left:0}",
        "<tr><td>1</td><td>2</td></tr>",
        '<tr><td style="padding:8px;padding-left:0">1</td><td style="padding:8px">2</td></tr>',
      ],
      ["b:last-child{x:1}", "<p><b>1</b><b>2</b>end</p>", '<p><b>1</b><b style="x:1">2</b>end</p>'],
      ["li:not(:last-child){x:1}", "<ul><li>1<li>2</ul>", '<ul><li style="x:1">1<li>2</ul>'],
      ["b:NTH-CHILD( 2N + 1 ){x:1}", "<p><b>1</b><b>2</b></p>", '<p><b style="x:1">1</b><b>2</b></p>'],
      ["b:nth-child(n){x:1}", "<b>1</b>", '<b style="x:1">1</b>'],
      ["i:nth-of-type(1){x:1}", "<p><b>1</b><i>2</i><i>3</i></p>", '<p><b>1</b><i style="x:1">2</i><i>3</i></p>'],
      ["b{x:2} :only-child{x:1}", "<p><b>1</b></p>", '<p style="x:1"><b style="x:1">1</b></p>'],
      [
        "b{x:2} i+b{x:1}",
        "<p><i>1</i> and <b>2</b><b>3</b></p>",
        '<p><i>1</i> and <b style="x:1">2</b><b style="x:2">3</b></p>',
      ],
      ["i~b{x:1}", "<p><b>1</b><i>2</i><u>3</u><b>4</b></p>", '<p><b>1</b><i>2</i><u>3</u><b style="x:1">4</b></p>'],
      ["a{x:2} a[href^='https:']{x:1}", '<a href="https://x">1</a>', '<a href="https://x" style="x:1">1</a>'],
      ['[title="a > b"]{x:1}', '<b title="a > b">1</b>', '<b title="a > b" style="x:1">1</b>'],
      ["b[constructor^=a]{x:1}", "<b>1</b>", "<b>1</b>"],
      [".w-1\\/2{x:1}", '<b class="w-1/2">1</b>', '<b class="w-1/2" style="x:1">1</b>'],
      ["p:first-child{x:1}", "<p>1</p><p>2</p>", '<p style="x:1">1</p><p>2</p>'],
      [":root b{x:1}", "<b>1</b><html><b>2</b></html>", '<b>1</b><html><b style="x:1">2</b></html>'],
    ];
    for (const [css, html, inlined] of table) assert.equal(styled(css, html), inlined, css);
  });

  test("rules for some screens and states win over inlined ones exactly where they do in the sheet", () => {
    const sheetOf = (css: string, html = "<p class='a'>a</p>") =>
      inlineCss(`<style>p{x:1}${css}</style>${html}`).match(/<style>p\{x:1\}(.*)<\/style>/)![1]!;
    const strengthened: [css: string, sent: string][] = [
      ["@media (max-width:9px){p{x:2;y:3}}", "@media (max-width:9px){p{x:2 !important;y:3}}"],
      ["@supports (x:1){@media print{p{x:2}}}", "@supports (x:1){@media print{p{x:2 !important}}}"],
      ["@supports (x:1){.a{x:2}}", "@supports (x:1){.a{x:2 !important}}"],
      ["p{y-z:1}@media print{p{y:2}}", "p{y-z:1}@media print{p{y:2 !important}}"],
      ["p:hover{x:2}", "p:hover{x:2 !important}"],
      ["@media print{p:is(p){x:2}}", "@media print{p:is(p){x:2 !important}}"],
      ["@media print{p{x:2}}@media tv{.a{x:3}}", "@media print{p{x:2 !important}}@media tv{.a{x:3 !important}}"],
    ];
    for (const [css, sent] of strengthened) assert.equal(sheetOf(css), sent, css);
    const weak = [
      "@media print{p{x:2!important}p{x:3;y:1}}",
      "@media print{@keyframes a{from{x:2}}}",
      "@media print{p{x:2}}.a{x:3}",
      ".a{x:3}@media print{p{x:2}}",
      "p{y:1!important}@media print{p{y:2}}",
      "@media print{b{x:2}}",
      "@media print{p::before{x:2}}",
      "p:is(p){x:2}",
      "@layer l{p{x:2}}",
    ];
    for (const css of weak) assert.equal(sheetOf(css), css, css);
    const own = inlineCss('<style>p{x:1}@media print{p{x:2}}</style><p style="x:3;y:1">a</p><p>b</p>');
    assert.equal(
      own,
      '<style>p{x:1}@media print{p{x:2 !important}}</style><p style="x:1;x:3 !important;y:1">a</p><p style="x:1">b</p>',
    );
    const both = "td{p:6}tr:first-child td{p-top:9}@media print{td{p:3}}";
    assert.equal(
      sheetOf(both, "<table><tr><td>a</td></tr></table>"),
      "td{p:6}tr:first-child td{p-top:9 !important}@media print{td{p:3 !important}}",
    );
    const untouched = "<style>@media print{p{x:2}}</style><p>a</p>";
    assert.equal(inlineCss(untouched), untouched, "nothing was inlined");
  });

  test("a mark that a media query has to win against stays in the sheet only", () => {
    const sheet = "<style>p{x:1!important;y:1!important}@media print{p{x:2!important}}</style>";
    assert.equal(inlineCss(`${sheet}<p style="x:0">a</p>`), `${sheet}<p style="y:1!important;x:0;x:1">a</p>`);
    const bySheet = inlineCss('<style>p{x:1}</style><style media="(max-width:9px)">p{x:2}</style><p>a</p>');
    assert.match(bySheet, /<style media="\(max-width:9px\)">p\{x:2 !important\}<\/style><p style="x:1">/);
  });

  test("the sheet stays for media queries; entities and the rest of the html stay as they were", () => {
    const html = `<html><head><style>p{x:1}@media (max-width:9px){p{x:2}}</style></head><body><p title="a &amp; b">&nbsp;ü</p><!-- c --></body></html>`;
    assert.equal(inlineCss(html), html.replace('b">', 'b" style="x:1">').replace("x:2", "x:2 !important"));
    assert.equal(inlineCss('<style media="print">p{x:1}</style><p>'), '<style media="print">p{x:1}</style><p>');
    assert.match(inlineCss('<style media=" Screen ">p{x:1}</style><p>'), /<p style="x:1">/);
    const spaces = `<style media="${" ".repeat(200_000)}x">p{x:1}</style><p>`;
    assert.equal(inlineCss(spaces), spaces);
  });

  test("a sheet for print or for some screens is not inlined, whether the mail is sanitised or not", () => {
    for (const media of ["print", "(max-width: 600px)", "screen and (max-width:600px)", "not all", "print, tv"]) {
      const body = `<style media="${media}">.web{display:none}</style><p class="web">Your code is 482913</p>`;
      for (const disableOutputSanitization of [false, true]) {
        const { html, text } = mail({ body, disableOutputSanitization });
        assert.equal(html, body, media);
        assert.equal(text, "Your code is 482913");
      }
    }
    for (const media of ["", "all", "Only  Screen", "print, screen", "tv,all"]) {
      const body = `<style media="${media}">p{x:1}</style><p>a</p>`;
      for (const disableOutputSanitization of [false, true]) {
        assert.match(mail({ body, disableOutputSanitization }).html, /<p style="x:1">/, media);
      }
    }
  });

  test("a sheet that would take too much is left as it stands", () => {
    const rules = (count: number, rule: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => rule(index)).join("");
    const bombs = [
      [rules(3_000, (index) => `.c${index} p{x:1}`), "<p>x</p>"],
      [rules(1_900, () => "p{x:1}"), "<p>x</p>".repeat(20_000)],
      [`p{${"a".repeat(50_000)}:1}`, "<p>x</p>".repeat(1_000)],
      [`${"div ".repeat(40)}p{x:1}`, `${"<div>".repeat(200)}<p>x</p>`],
      [`p{x:${"y".repeat(200_000)}}`, "<p>x</p>"],
      ["p ~ p ~ b{x:1}", "<p>x</p>".repeat(5_000) + "<b>x</b>".repeat(5_000)],
      [`${"b+".repeat(30_000)}b{x:1}`, "<b>x</b>".repeat(40_000)],
      [`${".a".repeat(40_000)}{x:1}`, "<b class=a>x</b>".repeat(10_000)],
      [`b${":not(i)".repeat(10_000)}{x:1}`, "<b>x</b>".repeat(10_000)],
      [`b${":not(".repeat(15_000)}{x:1}`, "<b>x</b>"],
      [rules(900, (index) => `[a*=${"a".repeat(90)}b${index}]{x:1}`), `<b a=${"a".repeat(500_000)}>x</b>`],
      ["a{".repeat(20_000), "<a>x</a>"],
      [`p{${"x:1;".repeat(9_000)}}@media print{p{${"x:2;".repeat(9_000)}}}p{${"x:3;".repeat(5_000)}}`, "<p>x</p>"],
    ] as const;
    for (const [css, html] of bombs) {
      const given = `<style>${css}</style>${html}`;
      const inlined = inlineCss(given);
      assert.ok(inlined.length < 6_000_000 && inlined.startsWith(`<style>${css}`));
      if (!css.startsWith("div")) assert.equal(inlined, given, css.slice(0, 30));
    }
  });

  test("whatever the sheet, the text is the same and nothing gets out of an attribute", () => {
    const piece = fc.constantFrom(
      "p",
      ".a",
      "{",
      "}",
      "x:",
      '"',
      "'",
      ">",
      " ",
      ";",
      "@media",
      "/*",
      "*/",
      "url(",
      "\\",
      "!important",
      "<",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 15 }), (pieces) => {
        const html = "<p class=a>one <b>two</b></p>";
        const inlined = styled(pieces.join("").replaceAll("</", ""), html);
        assert.equal(inlined.replace(/^<p class="a" style="[^"]*">/, "<p class=a>"), html);
      }),
    );
  });
});

test("hostile bodies end in a fault: endless, huge, and huge only inside the layout", () => {
  const large = "{% for i in (1..6000) %}xxxxxxxxxx{% for j in (1..99) %}xxxxxxxxxx{% endfor %}{% endfor %}";
  assert.throws(() => mail({ body: large }), RenderError);
  assert.throws(() => mail({ body: "{% for i in (1..100000000) %}x{% endfor %}" }), RenderError);
  const half = "x".repeat(400_000);
  assert.throws(() => mail({ body: half }, "{% for i in (1..20) %}{{ content }}{% endfor %}"), RenderError);
  assert.throws(() => mail({ body: "<div>".repeat(10_000) }), RenderError);
});
