import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { sanitizeHtml } from "../../../src/pipeline/render/html.ts";
import { htmlToText } from "../../../src/pipeline/render/html-text.ts";
import { RenderError } from "../../../src/pipeline/render/liquid.ts";
import { isSafeUrl, withLinkSchemes } from "../../../src/pipeline/render/safe-urls.ts";

test("what could run is removed, what can be read stays", () => {
  const table: [html: string, clean: string][] = [
    ["<b>bold</b> text", "<b>bold</b> text"],
    ["a<script>alert(1)</script>b", "ab"],
    ["<SCRIPT SRC=//x.example/x.js></SCRIPT>b", "b"],
    ["<scr<script>ipt>alert(1)</script>", "ipt&gt;alert(1)"],
    ["<b onclick=alert(1)>x</b>", "<b>x</b>"],
    ["<b onclick\n=\n'alert(1)'>x</b>", "<b>x</b>"],
    ["<img src=x onerror=alert(1)>", '<img src="x" />'],
    ["<body onload=alert(1)>x</body>", "<body>x</body>"],
    ['<a href="javascript:alert(1)">x</a>', "<a>x</a>"],
    ['<a href="JaVaScRiPt:alert(1)">x</a>', "<a>x</a>"],
    ['<a href=" java\tscript:alert(1)">x</a>', "<a>x</a>"],
    ['<a href="&#106;avascript:alert(1)">x</a>', "<a>x</a>"],
    ['<a href="&#x6A;&#x0A;avascript&colon;alert(1)">x</a>', "<a>x</a>"],
    ['<a href="vbscript:x">x</a>', "<a>x</a>"],
    ['<a href="data:text/html,<script>alert(1)</script>">x</a>', "<a>x</a>"],
    ['<a href="https://example.com/?a=1&amp;b=2">x</a>', '<a href="https://example.com/?a=1&amp;b=2">x</a>'],
    ['<a href="mailto:a@example.com">x</a>', '<a href="mailto:a@example.com">x</a>'],
    ['<a href="tel:+49">x</a>', '<a href="tel:+49">x</a>'],
    ['<img src="javascript:alert(1)">', "<img />"],
    ['<img src="data:image/png;base64,AAAA">', '<img src="data:image/png;base64,AAAA" />'],
    ['<img src="cid:logo">', '<img src="cid:logo" />'],
    ["<svg onload=alert(1)><circle /></svg>x", "x"],
    ["<svg><script>alert(1)</script></svg>x", "x"],
    ['<math><a xlink:href="javascript:alert(1)">x</a></math>', "<a>x</a>"],
    ['<iframe src="https://x.example"></iframe>x', "x"],
    ["<object data=x></object><embed src=x>x", "x"],
    ["<form action=https://x.example><input name=a>x</form>", "x"],
    ["<base href=https://x.example>x", "x"],
    ["<link rel=stylesheet href=https://x.example>x", "x"],
    ['<meta http-equiv="refresh" content="0;url=javascript:alert(1)">x', "<meta />x"],
    ["<!-- <script>alert(1)</script> -->x", "x"],
    ["<![CDATA[<script>alert(1)</script>]]>x", "x"],
    ["<b><i>x", "<b><i>x</i></b>"],
    ["x</b></b>", "x"],
    ["<<b>x</b>", "&lt;<b>x</b>"],
    ["a < b", "a &lt; b"],
    ["<p style='color:red'>x</p>", '<p style="color:red">x</p>'],
    [
      "<noscript><p title='</noscript><img onerror=x>'></noscript>",
      '<p title="&lt;/noscript&gt;&lt;img onerror=x&gt;"></p>',
    ],
    ["<textarea><script>alert(1)</script></textarea>x", "x"],
    ["no markup & no cost", "no markup & no cost"],
  ];
  for (const [html, clean] of table) assert.equal(sanitizeHtml(html, "mail"), clean, html);
});

test("a feed message brings no style sheet and no document into the page it stands in", () => {
  const html = "<html><head><title>x</title><style>body{display:none}</style></head><body><b>hi</b></body></html>";
  assert.equal(sanitizeHtml(html, "feed"), "x<b>hi</b>");
});

test("a mail keeps its doctype, its names of spaces, and what Outlook reads", () => {
  const xhtml =
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">';
  const spaces = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:v="urn:schemas-microsoft-com:vml"';
  const settings =
    "<xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml>";
  const button =
    '<v:roundrect href="https://example.com/?a=1&amp;b=2" style="height:40px" arcsize="10%" fillcolor="#00f"><w:anchorlock /><center>Go</center></v:roundrect>';
  const same = [
    "<!doctype html><p>x</p>",
    `${xhtml}<html ${spaces}><head><meta http-equiv="Content-Type" content="text/html" /></head><body><p>x</p></body></html>`,
    `<html><head><!--[if gte mso 9]>${settings}<![endif]--><style media="all">p{x:1}</style></head></html>`,
    "<!--[if mso]><style>td{x:1}</style><![endif]--><p>x</p>",
    '<!--[if mso | IE]><table width="600"><tr><td><![endif]--><div>x</div><!--[if mso | IE]></td></tr></table><![endif]-->',
    `<!--[if mso]>${button}<![endif]--><!--[if !mso]><!--><a href="https://example.com">Go</a><!--<![endif]-->`,
    "<![if !mso]><p>x</p><![endif]>",
    '<table><tr><th scope="col" itemprop="name">x</th><td nowrap background="https://example.com/i.png">y</td></tr></table>',
    '<a href="sms:+49123?body=x">x</a><a href="webcal://example.com/c.ics">y</a>',
    '<p style="background:url(https://example.com/i.png)">x</p>',
  ];
  for (const html of same) assert.equal(sanitizeHtml(html, "mail"), html);
  assert.equal(sanitizeHtml("<!doctype html><!--[if mso]><b>a</b><![endif]--><b>x</b>", "feed"), "<b>x</b>");
  const others: [html: string, clean: string][] = [
    ["\n<!DOCTYPE html SYSTEM 'about:legacy-compat'><p>x</p>", "<!DOCTYPE html>\n<p>x</p>"],
    ["<p>x</p><!doctype html>", "<p>x</p>"],
    ["<!DOCTYPE svg><p>x</p>", "<p>x</p>"],
    ["<!--[if !mso]> <!-- --><p>x</p><!-- <![endif]-->", "<!--[if !mso]><!--><p>x</p><!--<![endif]-->"],
    ["<!-- a comment --><p>x</p>", "<p>x</p>"],
    ["<!--[if mso]><p onclick=alert(1)>a</p><![endif]-->", "<!--[if mso]><p>a</p><![endif]-->"],
    ["<!--[if mso]><blink>a</blink><![endif]-->", "<!--[if mso]>a<![endif]-->"],
    ["<!--[if IE]><script>alert(1)</script><![endif]-->x<b></b>", "x<b></b>"],
    ["<!--[if IE]><b><!-- a --><![endif]-->x<b></b>", "x<b></b>"],
    ["<!--[if IE]>a<b title='<script>'><![endif]-->x<b></b>", "x<b></b>"],
    ["<!--[if mso]>--<x>><img src=x onerror=alert(1)><![endif]-->x<b></b>", "x<b></b>"],
    ["<!--[if IE]> --!><script>alert(1)</script><![endif]-->x<b></b>", "<!--[if IE]><!-->x<b></b>"],
    ['<!--[if mso]><v:rect href="javascript:x" src="vbscript:x" /><![endif]-->', "<!--[if mso]><v:rect /><![endif]-->"],
    [
      "<!--[if mso]><style>p{background:url(javascript:x);x:1}</style><![endif]-->",
      "<!--[if mso]><style>p{x:1}</style><![endif]-->",
    ],
    ['<b title="<!--[if mso]>x<![endif]-->">y</b>', '<b title="&lt;!--[if mso]&gt;x&lt;![endif]--&gt;">y</b>'],
    ['<meta http-equiv=" Refresh" content="0;url=https://example.com">x', "<meta />x"],
    ['<td background="javascript:alert(1)">x</td>', "<td>x</td>"],
    ['<a href="myapp://x">x</a><a href="ms-msdt:/id">y</a>', "<a>x</a><a>y</a>"],
  ];
  for (const [html, clean] of others) assert.equal(sanitizeHtml(html, "mail"), clean, html);
});

test("links to the apps of an environment stay in links only, and are remembered for no other environment", () => {
  const roundrect = '<v:roundrect href="myapp://x"><v:fill src="myapp://y" /></v:roundrect>';
  const table: [html: string, withApp: string, without: string][] = [
    ['<a href="myapp://order/7">x</a>', '<a href="myapp://order/7">x</a>', "<a>x</a>"],
    ['<a href="MyApp:x">x</a>', '<a href="MyApp:x">x</a>', "<a>x</a>"],
    ['<a href="&#109;yapp:x">x</a>', '<a href="myapp:x">x</a>', "<a>x</a>"],
    ['<a href="myapp2:x">x</a>', "<a>x</a>", "<a>x</a>"],
    ['<a href="javascript:myapp://x">x</a>', "<a>x</a>", "<a>x</a>"],
    ['<a href="https://e.example/">x</a>', '<a href="https://e.example/">x</a>', '<a href="https://e.example/">x</a>'],
    ['<img src="myapp://x">', "<img />", "<img />"],
    ['<b background="myapp://x">x</b>', "<b>x</b>", "<b>x</b>"],
  ];
  const comment = (html: string) => `<!--[if mso]>${html}<![endif]-->`;
  const withApp = (html: string, place: "mail" | "feed") => withLinkSchemes(["myapp"], () => sanitizeHtml(html, place));
  for (let round = 0; round < 2; round++) {
    for (const [html, kept, removed] of table) {
      for (const place of ["mail", "feed"] as const) {
        // With a comment, the whole is cleaned instead of its tags.
        for (const same of [html, `${html}<!-- -->`]) {
          assert.equal(withApp(same, place), kept, same);
          assert.equal(sanitizeHtml(same, place), removed, same);
          assert.equal(
            withLinkSchemes(["other"], () => sanitizeHtml(same, place)),
            removed,
          );
        }
      }
    }
    assert.equal(withApp(comment(roundrect), "mail"), comment(roundrect.replace(' src="myapp://y"', "")));
    assert.equal(sanitizeHtml(comment(roundrect), "mail"), comment("<v:roundrect><v:fill /></v:roundrect>"));
  }
  const fail = () => withLinkSchemes(["myapp"], () => assert.fail());
  assert.throws(fail);
  assert.equal(sanitizeHtml('<a href="myapp:x">x</a>', "mail"), "<a>x</a>", "after a fault");
});

test("styles keep everything but addresses and functions that run code", () => {
  const table: [css: string, clean: string][] = [
    ["color:red;background:url(javascript:alert(1));x:1", "color:red;x:1"],
    ["background:url( 'JAVA\\73 cript:alert(1)' );x:1", "x:1"],
    ["background:u\\72l(java/**/script:x);x:1", "x:1"],
    ["width:expression(alert(1));x:1", "x:1"],
    ["behavior:url(x.htc);-moz-binding:url(x);x:1", "x:1"],
    [
      "scroll-behavior:smooth;font-family:'Brush Script MT';x:1\\9",
      "scroll-behavior:smooth;font-family:'Brush Script MT';x:1\\9",
    ],
    ["background:url(vbscript:x", ""],
  ];
  for (const [css, clean] of table) {
    assert.equal(
      sanitizeHtml(`<p style="${css}">x</p>`, "mail"),
      clean ? `<p style="${clean}">x</p>` : "<p>x</p>",
      css,
    );
    const sheet = `<style>p{${css}}</style>x`;
    assert.equal(sanitizeHtml(sheet, "mail"), clean ? `<style>p{${clean}}</style>x` : "<style></style>x");
  }
  assert.equal(sanitizeHtml("<style>@import url(javascript:x);p{x:1}</style>", "mail"), "<style>p{x:1}</style>");
});

const dangerous =
  /<(script|svg|iframe|object|embed|form|base|link|math)\b|<[^>]*\son\w+\s*=|(href|src)="\s*(javascript|vbscript):/i;

test("however the pieces are put together, nothing that runs comes out", () => {
  const piece = fc.constantFrom(
    ...[
      "<script>",
      "</script>",
      "<scr",
      "ipt>",
      "<svg ",
      "<b ",
      "onload=",
      "alert(1)",
      ">",
      "<",
      "/",
      "'",
      '"',
      "=",
      " ",
    ],
    ...[
      "<a href=",
      "javascript:",
      "&#106;",
      "<img src=",
      "<!--",
      "-->",
      "<!--[if mso]>",
      "<![endif]-->",
      "<style>",
      "</style>",
      "<iframe ",
      "\n",
      "\0",
      "x",
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const clean = sanitizeHtml(pieces.join(""), "mail");
      // A style sheet is text, not markup; it ends where its element ends.
      assert.doesNotMatch(clean.replace(/<style>[\s\S]*?<\/style>/g, ""), dangerous);
      assert.doesNotMatch(sanitizeHtml(pieces.join(""), "feed"), dangerous);
    }),
    { numRuns: 500 },
  );
});

test("markup nested thousands of levels deep is refused, not worked on for minutes", () => {
  for (const html of ["<div>".repeat(200_000), "<b></i>".repeat(200_000), "<table><tr><td>".repeat(100_000)]) {
    assert.throws(() => sanitizeHtml(html, "feed"), RenderError);
  }
  const flat = ["<p>x</p>", "<div>x</div>", "<br>", "<p>x", "<img src=x>"].map((one) => one.repeat(6_000));
  for (const html of flat) assert.ok(sanitizeHtml(html, "feed").length > 0);
});

test("the text part reads like the html", () => {
  const table: [html: string, text: string][] = [
    ["<p>One</p><p>Two</p>", "One\n\nTwo"],
    ["One<br>Two<br/>Three", "One\nTwo\nThree"],
    ["<h1>Title</h1>\n\n  <div>Body   text</div>", "Title\n\nBody text"],
    ["<ul><li>a</li><li>b</li></ul>", "- a\n- b"],
    ['<a href="https://example.com">here</a>', "here (https://example.com)"],
    ['<a href="https://example.com">https://example.com</a>', "https://example.com"],
    ['<a class="b" href="https://example.com/?a=1&amp;b=2">x</a>', "x (https://example.com/?a=1&b=2)"],
    ["<head><title>T</title><style>p{}</style></head><p>x</p>", "x"],
    ["a &lt;b&gt; &amp;amp; &quot;c&quot;", 'a <b> &amp; "c"'],
    ["Preis:&nbsp;5&nbsp;€", "Preis: 5 €"],
    ["&auml;&#8364;", "ä€"],
    ["<table><tr><td>a</td></tr><tr><td>b</td></tr></table>", "a\nb"],
    ["<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td></td><td>2</td></tr></table>", "A | B\n1 | 2"],
    ["<ol><li><p>one</p></li><li>two<ul><li>in</li></ul></li></ol><p>x</p>", "1. one\n2. two\n  - in\n\nx"],
    ['<a href="mailto:a@example.com">a@example.com</a>', "a@example.com"],
    ['<a href="https://example.com"><img src="https://example.com/i" alt="Shop"></a>', "Shop (https://example.com)"],
    ['<a href="https://example.com"></a><a href="#top">up</a><a>none</a>', "https://example.comupnone"],
    ['<div style="color:red; display: none">Preview</div><p>Seen</p>', "Seen"],
    ["a<hr>b<br><br><br>c", "a\n\n---\n\nb\n\nc"],
    ["", ""],
  ];
  for (const [html, text] of table) assert.equal(htmlToText(sanitizeHtml(`${html}<!---->`, "mail")), text, html);
});

test("the text part of any clean html has no tags and no more than one empty line in a row", () => {
  const piece = fc.constantFrom(
    "<p>",
    "</p>",
    "<br>",
    "<li>",
    "a",
    " ",
    "\n",
    "<a href=x>",
    "</a>",
    "<div>",
    "</div>",
    "&amp;",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = htmlToText(sanitizeHtml(pieces.join(""), "mail"));
      assert.doesNotMatch(text, /<\/?[a-z]|\n{3}|[ \t]\n|^\s|\s$/);
    }),
  );
});

test("links lead to web addresses or into the product", () => {
  for (const url of ["https://example.com", "HTTP://EXAMPLE.COM", "/orders/7?x=1#y", "/"]) {
    assert.equal(isSafeUrl(url), true, url);
  }
  const unsafe = [
    ...["javascript:alert(1)", " https://x", "//host/x", "/\\host", "/\t/host", "/\n/host", "data:text/html,x"],
    ...["ftp://x", "orders/7", "", "https:/x", "mailto:a@example.com"],
  ];
  for (const url of unsafe) assert.equal(isSafeUrl(url), false, JSON.stringify(url));
});
