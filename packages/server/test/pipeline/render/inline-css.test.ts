// Style sheets in the elements of an email, compared with juice, a widely used program that does the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { Parser } from "htmlparser2";
import juice from "juice";
import { inlineCss } from "../../../src/pipeline/render/inline-css.ts";

const texts = (...choices: string[]) => fc.constantFrom(...choices);
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(""));
const several = (one: fc.Arbitrary<string>, minLength: number, maxLength: number) =>
  fc.array(one, { minLength, maxLength }).map((all) => all.join(""));

const attributeTest = joined(
  fc.constant("[title"),
  fc.oneof(
    fc.constant(""),
    joined(texts("=", "^=", "$=", "*=", "|="), texts("en", '"b"', "'a b'", '"x>y, z"', '""')),
    joined(fc.constant("~="), texts("a", '"b"', "en")),
  ),
  fc.constant("]"),
);
const formula = texts("1", "3", "odd", "even", "2n", "2n+1", " 2n - 1 ", "-n + 2", "3n+2", "0n+1", "n+2");
const structural = fc.oneof(
  texts(":first-child", ":last-child", ":only-child", ":first-of-type", ":last-of-type", ":only-of-type", ":root"),
  formula.map((one) => `:nth-child(${one})`),
  formula.map((one) => `:nth-last-child(${one})`),
  formula.map((one) => `:nth-of-type(${one})`),
  formula.map((one) => `:nth-last-of-type(${one})`),
);
const simple = fc.oneof(texts(".a", ".b", ".w-1\\/2", "#i"), attributeTest, structural);
const excluding = fc.oneof(
  simple.map((one) => `:not(${one})`),
  fc.tuple(simple, texts("div", "b")).map(([one, tag]) => `:not( ${tag}, ${tag}${one} )`),
);
const compound = fc.oneof(
  joined(texts("div", "b", "*"), several(fc.oneof(simple, excluding), 0, 2)),
  several(fc.oneof({ weight: 3, arbitrary: simple }, excluding), 1, 2),
);
const selector = fc.oneof(
  { weight: 4, arbitrary: compound },
  joined(compound, texts(" ", ">", " + ", "+", "~", " ~ "), compound),
  joined(compound, texts(" ", " > "), compound, texts("+", "~"), compound),
  joined(compound, texts(":hover", "::before")),
);
const declaration = joined(
  texts("padding", "padding-left", "color"),
  fc.constant(":"),
  fc.nat(9).map(String),
  texts("", "", "", "!important"),
);

/**
 * Each rule has its own declaration, which shows what it matches. The others show the cascade. They are left out with
 * pseudo-classes, which weigh as much as a class, but in juice as little as an element's name.
 */
const sheet = fc
  .array(fc.tuple(selector, declaration), { minLength: 1, maxLength: 6 })
  .map((rules) =>
    rules.map(([one, shared], at) => `${one}{own-${at}:1;${one.includes(":") ? "" : shared}}`).join("\n"),
  );

const attributes = joined(
  texts("", "", ' class="a"', ' class="b a"', ' class=" w-1/2 "'),
  texts("", "", ' title="en"', ' title="en-US"', ' title="a b"', ' title="x>y, z"', ' title=""'),
  texts("", "", "", ' id="i"'),
  texts("", "", "", ' style="padding-left:7"', ' style="color:8!important"'),
);
const treeOf = (child: fc.Arbitrary<string>) =>
  fc
    .tuple(texts("div", "div", "b"), attributes, fc.array(child, { maxLength: 4 }))
    .map(([name, given, children]) => `<${name}${given}>text${children.join(" ")}</${name}>`);
const tree = treeOf(treeOf(treeOf(fc.constant("text"))));

/** What a browser makes of one style attribute. */
function computed(style: string): Record<string, string> {
  const values = new Map<string, { value: string; isImportant: boolean }>();
  for (const text of style.split(";").filter((one) => one.trim() !== "")) {
    const [name, given] = text.split(":").map((part) => part.trim()) as [string, string];
    const isImportant = given.endsWith("!important");
    const value = given.replace("!important", "").trim();
    for (const each of name === "padding" ? ["padding-left", "padding-right"] : [name]) {
      if (isImportant || !values.get(each)?.isImportant) values.set(each, { value, isImportant });
    }
  }
  return Object.fromEntries([...values].map(([name, { value }]) => [name, value]).sort());
}

function computedStyles(html: string): object[] {
  const styles: object[] = [];
  const isVisible = (name: string) => !["html", "head", "style"].includes(name);
  const parser = new Parser({
    onopentag: (name, { style = "" }) => isVisible(name) && styles.push({ name, ...computed(style) }),
  });
  parser.end(html);
  return styles;
}

test("each element gets the declarations that juice gives it", () => {
  const options = { removeStyleTags: false, preserveImportant: true, inlinePseudoElements: false };
  fc.assert(
    fc.property(sheet, fc.array(tree, { minLength: 1, maxLength: 3 }), (css, trees) => {
      const html = `<html><head><style>${css}</style></head><body>${trees.join("")}</body></html>`;
      assert.deepEqual(computedStyles(inlineCss(html)), computedStyles(juice(html, options)));
    }),
    { numRuns: 200 },
  );
});
