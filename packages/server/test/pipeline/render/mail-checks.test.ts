// What is said about an email: one table of mails, each with the checks that it gets.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "@tidings/testkit/properties";
import { contrastOf } from "../../../src/lib/brand/contrast.ts";
import { findLowContrast, readColor } from "../../../src/pipeline/render/checks/contrast.ts";
import { type CheckedMail, checkMail } from "../../../src/pipeline/render/checks/mail-checks.ts";
import { watchOutputs } from "../../../src/pipeline/render/checks/watched-outputs.ts";
import { render } from "../../../src/pipeline/render/liquid.ts";
import { textsFor } from "../../../src/pipeline/rules/scope.ts";

const fine = '<p>Hello</p><p><a href="https://example.com/unsubscribe">Unsubscribe</a></p>';
const mailOf = (mail: Partial<CheckedMail>): CheckedMail => ({
  subject: "Your order",
  html: fine,
  text: "Hello",
  isSubjectKnown: true,
  isBodyKnown: true,
  isCritical: false,
  isBlocks: false,
  empty: { variables: [], translations: [] },
  unknownNames: [],
  imageSizes: new Map(),
  ...mail,
});
const checksOf = (mail: Partial<CheckedMail>) => checkMail(mailOf(mail));
const codesOf = (mail: Partial<CheckedMail>) => checksOf(mail).map(({ code }) => code);
const withHtml = (html: string): Partial<CheckedMail> => ({ html: fine + html });
const asset = "https://notify.example.com/assets/e/1.png";

const table: [name: string, mail: Partial<CheckedMail>, codes: string[]][] = [
  ["nothing is wrong", {}, []],
  ["an image without alt", withHtml('<img src="https://e.com/a.png">'), ["missing_alt"]],
  ["an image with an empty alt in HTML", withHtml('<img src="https://e.com/a.png" alt="">'), []],
  ["the same in blocks", { ...withHtml('<img src="https://e.com/a.png" alt="">'), isBlocks: true }, ["missing_alt"]],
  ["a counting pixel", withHtml('<img src="https://e.com/a.png" width="1" height="1">'), []],
  ["no way to unsubscribe", { html: "<p>Hello</p>" }, ["missing_unsubscribe"]],
  ["the same of a critical workflow", { html: "<p>Hello</p>", isCritical: true }, []],
  ["a link to preferences", { html: '<a href="https://e.com/x">Email preferences</a>' }, []],
  ["a hosted page", { html: '<a href="https://n.example.com/u/abcdefghijklmnopqrstuvwxyz">Stop</a>' }, []],
  ["an empty link", withHtml('<a href="">Open</a>'), ["empty_link"]],
  ["a link to nothing", withHtml('<a href="#">Open</a>'), ["empty_link"]],
  ["a link without an address", withHtml("<a>Open</a>"), ["empty_link"]],
  ["a target", withHtml('<a name="top"></a><a href="#top">Up</a>'), []],
  ["a relative link", withHtml('<a href="/orders">Open</a>'), ["relative_link"]],
  ["a link without a scheme", withHtml('<a href="www.example.com">Open</a>'), ["relative_link"]],
  ["a link without https", withHtml('<a href="http://e.com">Open</a>'), ["insecure_link"]],
  ["other schemes", withHtml('<a href="mailto:a@e.com">A</a><a href="tel:1">B</a><a href="myapp://x">C</a>'), []],
  ["a relative image", withHtml('<img src="/a.png" alt="A">'), ["relative_image"]],
  ["an image in the mail", withHtml('<img src="cid:logo" alt="A"><img src="data:image/png;base64,AA" alt="B">'), []],
  [
    "a large image of ours",
    { ...withHtml(`<img src="${asset}" alt="A">`), imageSizes: new Map([[asset, 2_500_000]]) },
    ["large_image"],
  ],
  [
    "a small image of ours",
    { ...withHtml(`<img src="${asset}" alt="A">`), imageSizes: new Map([[asset, 1_000_000]]) },
    [],
  ],
  ["a mail that Gmail cuts off", { html: fine + "x".repeat(102 * 1024) }, ["too_large"]],
  ["a mail that just fits", { html: fine + "x".repeat(102 * 1024 - fine.length) }, []],
  ["low contrast", withHtml('<p style="color:#aaaaaa">Grey</p>'), ["low_contrast"]],
  ["an empty variable", { empty: { variables: ["payload.name"], translations: [] } }, ["empty_variable"]],
  [
    "an unknown variable, which is also empty",
    {
      empty: { variables: ["payload.coment"], translations: [] },
      unknownNames: [{ name: "payload.coment", meant: "payload.comment" }],
    },
    ["unknown_variable"],
  ],
  ["a missing translation", { empty: { variables: [], translations: ["t.title"] } }, ["missing_translation"]],
  ["capitals", { subject: "BUY NOW: SALE ends TODAY" }, ["capitals"]],
  ["an acronym and a number", { subject: "Your USB-C and VAT invoice A4711" }, []],
  ["no subject", { subject: "" }, ["no_subject"]],
  ["no text", { text: " \n" }, ["no_text"]],
  ["a body with an error", { html: "", text: "", isBodyKnown: false }, []],
  ["a subject with an error", { subject: "", isSubjectKnown: false }, []],
];

for (const [name, mail, codes] of table) test(name, () => assert.deepEqual(codesOf(mail), codes));

test("sentences name what is meant and how to fix it; what does not work is an error", () => {
  const [first] = checksOf(
    withHtml('<a href="/orders/7"><b>See</b>\n your <img src="https://e.com/x.png" alt="order"></a>'),
  );
  assert.deepEqual(first, {
    code: "relative_link",
    severity: "error",
    message:
      "The link “See your order” has the relative address /orders/7. In a mailbox it leads nowhere: begin with https://.",
  });
  const unknownNames = [{ name: "payload.coment", meant: "payload.comment" }];
  assert.deepEqual(checksOf({ unknownNames }), [
    {
      code: "unknown_variable",
      severity: "warning",
      message: "payload.coment is not a variable of this step. Did you mean payload.comment?",
    },
  ]);
  const [image] = checksOf(withHtml('<img src="/assets/e/1.png" alt="Logo">'));
  assert.match(image!.message, /has no public address\. Set TIDINGS_PUBLIC_URL/);
});

test("the same sentence comes once, and no kind more than five times", () => {
  const links = Array.from({ length: 20 }, (_, n) => `<a href="/x">Link ${n}</a>`).join("");
  assert.equal(codesOf(withHtml(links)).length, 5);
  assert.equal(codesOf(withHtml('<a href="/x">Same</a>'.repeat(9))).length, 1);
});

describe("contrast", () => {
  const found = (html: string) => findLowContrast(html).map(({ color, background }) => `${color} on ${background}`);

  test("colours", () => {
    const of = (text: string) => readColor(text)?.join(" ") ?? null;
    assert.deepEqual(["#fff", "#1a2B3c", "white", " rgb(1, 2,3) ", "rgba(1,2,3,1)", "rgb(1 2 3)"].map(of), [
      "255 255 255",
      "26 43 60",
      "255 255 255",
      "1 2 3",
      "1 2 3",
      "1 2 3",
    ]);
    for (const text of ["", "#ff", "rgba(1,2,3,.5)", "currentcolor", "#ffff", "var(--x)", "rgb(1)"])
      assert.equal(of(text), null, text);
    assert.equal(contrastOf([0, 0, 0], [255, 255, 255]), 21);
    assert.equal(contrastOf([118, 118, 118], [255, 255, 255]).toFixed(2), "4.54");
  });

  for (const [name, html, expected] of [
    ["black on white, which is not written", "<p>x</p>", []],
    [
      "the nearest background",
      '<div style="background:#000"><p style="background-color:#333">x</p></div>',
      ["#000000 on #333333"],
    ],
    [
      "the old attributes",
      '<table bgcolor="#000000"><tr><td><font color="#222222">x</font></td></tr></table>',
      ["#222222 on #000000"],
    ],
    ["once for each pair", '<p style="color:#aaa">x</p><p style="color:#aaa">y</p>', ["#aaaaaa on #ffffff"]],
    ["not behind images", '<td style="background:url(x.png) #000"><p style="color:#111">x</p></td>', []],
    ["not behind gradients", '<td style="background-image:linear-gradient(red,blue)">x</td>', []],
    ["a link has its own colour", '<div style="background:#00f"><a href="x">y</a></div>', []],
    ["a button", '<a href="x" style="background:#ffcc00;color:#fff">y</a>', ["#ffffff on #ffcc00"]],
    ["not what is hidden", '<div style="display:none;color:#fff">x</div><p style="font-size:1px;color:#fff">y</p>', []],
    ["not what cannot be read", '<p style="color:#fff">&nbsp;&zwnj;</p>', []],
    ["elements that end", '<p style="color:#aaa"></p><br><p>x</p>', []],
  ] as const) {
    test(name, () => assert.deepEqual(found(html), expected));
  }

  test("no HTML makes it throw", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        (a, b) => void checksOf({ html: `<p style="color:${a}">${b}<td bgcolor=${a}>` }),
      ),
    );
  });
});

describe("outputs that write nothing", () => {
  const emptyIn = (template: string, scope: object = {}) => watchOutputs(() => render(template, scope, "html")).empty;
  const payload = { name: "Ada", none: null, blank: "", zero: 0, no: false, list: [{ a: "1" }, { a: "", b: "" }] };

  test("are named", () => {
    const variables = (template: string) => emptyIn(template, { payload }).variables;
    assert.deepEqual(
      variables("{{ payload.coment }} {{ payload.name }} {{payload.none|upcase}}{{- payload.blank -}}"),
      ["payload.coment", "payload.none", "payload.blank"],
    );
    assert.deepEqual(variables("{{ payload.zero }}{{ payload.no }}"), []);
    assert.deepEqual(variables('{{ payload.none | default: "x" }}{{ payload.none | upcase | default: 1 }}'), []);
    assert.deepEqual(variables("{% if payload.none %}{{ payload.deep.er }}{% endif %}"), [], "what is not rendered");
    assert.deepEqual(
      variables("{% for i in payload.list %}{{ i.a }}{{ i.b }}{% endfor %}"),
      ["i.b"],
      "empty every time",
    );
    assert.deepEqual(variables("{% raw %}{{ payload.x }}{% endraw %}{{ 'a.b' }}{{ payload.list[0].c }}"), [
      "payload.list[0].c",
    ]);
  });

  test("translations without a text are named by their key", () => {
    const t = textsFor([{ locale: "en_US", content: { title: "Hi", n: { one: "1", other: "n" } } }], "de_DE", {});
    const { variables, translations } = emptyIn("{{ t.title }}{{ t.gone }}{{ t.n | plural: 1 }}{{ t.a.b }}", { t });
    assert.deepEqual([variables, translations], [[], ["t.gone", "t.a.b"]]);
  });

  test("what is watched is rendered the same", () => {
    const template =
      "{{ payload.name | raw }}|{{ payload.name | upcase }}|{{- payload.blank -}}|{{ payload.list | size }}";
    const { result } = watchOutputs(() => render(template, { payload }, "html"));
    assert.equal(result, render(template, { payload }, "html"));
  });
});
