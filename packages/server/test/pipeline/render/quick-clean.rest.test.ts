// The quick cleaner returns what the cleaner of production would, or nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { createCleaners } from "../../../src/pipeline/render/html.ts";
import { createQuickCleaner, usualTags } from "../../../src/pipeline/render/quick-clean.ts";

/** The cleaners of production: for mails and feeds, and for an environment whose links may open apps. */
const cleaners = [createCleaners([]), createCleaners(["myapp"])].flatMap(({ mail, feed }) => [mail, feed]);

/** Null where every one leaves it to the cleaner; each of the others has to return what the cleaner does. */
function cleanQuickly(html: string): string | null {
  const found = cleaners.map(({ clean, cleanQuickly: quickly }) => {
    const cleaned = quickly(html);
    if (cleaned !== null) assert.equal(cleaned, clean(html), html);
    return cleaned;
  });
  return found[0] ?? found.find((cleaned) => cleaned !== null) ?? null;
}

const item = (n: number) =>
  `<tr><td style="padding:8px" class="a b"><a href="https://shop.example.com/p/${n}?a=1&amp;b=2"><b>Item ${n}</b></a><br></td>` +
  `<td\n  align="right">${n} €</td></tr>\n`;
const order = (items: number) =>
  `<div><h1>It&#39;s your order</h1><table>${Array.from({ length: items }, (_, n) => item(n)).join("")}</table>` +
  `<p>Thank you &amp; <i>see</i> you &lt;soon&gt; <img src="https://cdn.example.com/x.png" alt="&quot;x&quot;"/></p><hr/></div>`;

test("a mail of usual tags is cleaned by its tags, each of which is asked for once", () => {
  let cleanings = 0;
  const quickly = createQuickCleaner((html) => {
    cleanings++;
    return cleaners[0]!.clean(html);
  });
  assert.notEqual(cleanQuickly(order(50)), null);
  assert.notEqual(quickly(order(50)), null);
  const before = cleanings;
  assert.equal(quickly(order(50)), cleaners[0]!.clean(order(50)));
  assert.equal(cleanings, before);
  assert.notEqual(quickly(order(51)), null);
  assert.equal(cleanings, before, "other addresses and texts make no other tags");
});

for (const html of [
  "<p>one<p>two</p></p>",
  "<p><div>x</div></p>",
  "<ul><li>one<li>two</li></li></ul>",
  '<a href="https://a.example"><a href="https://b.example">x</a></a>',
  "<table><tr><td>1<td>2</td></td></tr></table>",
  "<b>open",
  "shut</b>",
  "<b><i>crossed</b></i>",
  "<script>alert(1)</script>",
  "<style>p{}</style>",
  "<title><b>x</b></title>",
  "<!-- comment --><b>x</b>",
  "<!doctype html><p>x</p>",
  "<B>x</B>",
  "<b onclick=alert(1)>x</b>",
  "<img src=x onerror=alert(1)>",
  "a > b <b>x</b>",
  "&copy; &nbsp <b>x</b>",
  "</p><b>x</b>",
  "</br><b>x</b>",
]) {
  test(`left to the cleaner: ${html}`, () => assert.equal(cleanQuickly(html), null));
}

const shape = (n: number) =>
  `<p>x<!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" href="https://a.example/${n}" ` +
  `style="width:90px"><w:anchorlock/><center>Label ${n}</center></v:roundrect><![endif]-->` +
  `<!--[if !mso]><!--><a href="https://a.example/${n}">Label ${n}</a><!--<![endif]--></p>`;

test("conditional comments of mails are cleaned by their tags too; feeds have none", () => {
  const [mail, feed] = cleaners;
  assert.equal(mail!.cleanQuickly(shape(1)), mail!.clean(shape(1)));
  assert.match(mail!.cleanQuickly(shape(2))!, /<v:roundrect[^>]* href="https:\/\/a\.example\/2"/);
  assert.equal(feed!.cleanQuickly(shape(1)), null);
  assert.doesNotMatch(feed!.clean(shape(1)), /roundrect|<!--/);
});

for (const html of [
  '<a href="javascript:alert(1)">x</a>',
  '<a href="java&#9;script:alert(1)">x</a>',
  '<a href=" https://a.example">x</a>',
  '<a href="https://any.example/">x</a>',
  '<a href="https://any.example/any">x</a>',
  '<a src="https://a.example/">x</a>',
  '<a href="//a.example/x">x</a>',
  '<a href="/x" title="https://any.example/">x</a>',
  '<a title="https://any.example/" href="https://b.example/">x</a>',
  '<a href="https://a.example/&amp;lt;">x</a>',
  '<a href="https://a.example/$1$&amp;">x</a>',
  '<p onclick="alert(1)" title="t">x</p>',
  '<p title="">x</p>',
  '<p id="a" id="b">x</p>',
  '<p title="a &lt; b &#39;c&#39; &quot;d&quot;">x</p>',
  '<img src="data:image/png;base64,AA" alt="">',
  "<p>x\r\n\t</p>\u00a0\ufeff",
]) {
  test(`as the cleaner: ${html}`, () => void cleanQuickly(html));
}

const oneOf = (words: string) => fc.constantFrom(...words.split(" "));
const names = oneOf(
  "a b p div span br hr img li ul tr td th table tbody thead tfoot dd dt dl h1 h2 pre center font script style title textarea svg " +
    "option iframe P xmp",
);
const attribute = fc
  .tuple(
    fc.constantFrom("href", "src", "title", "alt", "class", "style", "id", "onclick", "data-x", "HREF", "align"),
    fc.oneof(
      fc.constantFrom(
        "",
        "https://a.example/?a=1&amp;b",
        "javascript:alert(1)",
        "JaVaScRiPt:x",
        "myapp://open/1",
        "cid:logo",
        "data:x",
        "//x",
        "https://any.example/",
      ),
      fc.string({ maxLength: 8 }),
      fc.constantFrom("&amp;", "&lt;", "&quot;", "&#39;", "&#106;avascript:x", "a\nb", "a>b"),
    ),
    fc.constantFrom('"', '"', '"', "'", ""),
  )
  .map(
    ([name, value, quote]) =>
      ` ${name}=${quote}${quote ? value.replaceAll(quote, "") : value.replaceAll(/\s/g, "")}${quote}`,
  );
const text = fc.oneof(
  fc.constantFrom(
    "x",
    " ",
    "\n",
    "&amp;",
    "&lt;b&gt;",
    "&quot;",
    "&#39;",
    "&copy;",
    "&",
    "<",
    ">",
    "ü",
    "<!-- c -->",
    "<!--[if mso]><b>x</b><![endif]-->",
    '<!--[if mso]><v:rect href="javascript:x" onclick="y"><w:anchorlock/></v:rect><![endif]-->',
    '<!--[if mso]><a href="https://a.example/?a=1&amp;b"><![endif]-->',
    "<!--[if !mso]><!-->",
    "<!--<![endif]-->",
    "<!--[if mso]><!--",
    "<!--[if mso]>--!><![endif]-->",
    "<!-->",
    "\0",
    "&#0;",
  ),
  fc.string({ maxLength: 6 }),
);
const opening = fc
  .tuple(names, fc.array(attribute, { maxLength: 3 }), fc.constantFrom("", "", "", " ", "/", " /"))
  .map(([name, attributes, end]) => `<${name}${attributes.join("")}${end}>`);
const { node } = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    text,
    opening,
    names.map((name) => `</${name}>`),
    fc
      .tuple(names, fc.array(attribute, { maxLength: 2 }), fc.array(tie("node"), { maxLength: 4 }))
      .map(([name, attributes, inside]) => `<${name}${attributes.join("")}>${inside.join("")}</${name}>`),
  ),
}));

test("whatever the HTML: as the cleaner, or left to it", () => {
  let quick = 0;
  fc.assert(
    fc.property(fc.array(node as fc.Arbitrary<string>, { maxLength: 5 }), (nodes) => {
      const html = nodes.join("");
      if (cleanQuickly(html) !== null) quick++;
    }),
    { numRuns: 4_000 },
  );
  assert.ok(quick > 400, `only ${quick} were cleaned quickly`);
});

test("every usual tag in every other one: as the cleaner, or left to it", () => {
  for (const outer of usualTags) {
    for (const inner of usualTags) {
      cleanQuickly(`<${outer}>x<${inner}>y</${inner}>z</${outer}><b>w</b>`);
    }
  }
  assert.notEqual(cleanQuickly("<div><p><a><b>x</b></a></p><ul><li>x</li><li>y</li></ul></div>"), null);
});

const safeNames = oneOf("a b p div span li ul tr td th table tbody dd dl h1");
const { nested } = fc.letrec((tie) => ({
  nested: fc.oneof(
    { maxDepth: 7 },
    fc.constantFrom("x", "<br>", "<hr>", '<img src="https://a.example/x">', "&#39;"),
    fc
      .tuple(safeNames, fc.array(tie("nested"), { maxLength: 3 }))
      .map(([name, inside]) => `<${name}>${inside.join("")}</${name}>`),
  ),
}));

test("whatever the nesting: as the cleaner, or left to it", () => {
  fc.assert(
    fc.property(nested as fc.Arbitrary<string>, (html) => void cleanQuickly(html)),
    { numRuns: 4_000 },
  );
});
