// Prose is natural English: the patterns of support/prose/patterns.ts are in no page, comment or text. Lines are
// wrapped.
import assert from "node:assert/strict";
import { test } from "node:test";
import { allowed } from "./support/prose/allowed.ts";
import { limitNames, patterns } from "./support/prose/patterns.ts";
import { type Finding, findingsIn, isAllowed } from "./support/prose/prose.ts";
import { comments, contractTexts, markdown, pages, programs, read, words } from "./support/prose/sources.ts";
import { commentsOf, longLines, type Prose, proseOfMarkdown, textsOf } from "./support/prose/texts.ts";

const kinds = ["pages", "comments", "texts"] as const;
type Kind = (typeof kinds)[number];

const toLine = ({ place, name, phrase, instead }: Finding): string =>
  `${place}: "${name}" in "${phrase}"; write: ${instead}`;

const found: Record<Kind, Finding[]> = {
  pages: markdown().flatMap(findingsIn),
  comments: comments().flatMap(findingsIn),
  texts: [...words(), ...contractTexts()].flatMap(findingsIn),
};

const longIn: Record<Kind, string[]> = {
  pages: pages.flatMap((path) => longLines(path, read(path))),
  comments: programs.flatMap((path) => longLines(path, read(path))),
  texts: [],
};

for (const kind of kinds) {
  test(`${kind} are natural English`, () => {
    const judged = found[kind].filter((one) => !isAllowed(one, allowed)).map(toLine);
    assert.deepEqual(judged.slice(0, 50), [], `${judged.length} in all`);
  });

  test(`lines of ${kind} are wrapped at 120 columns`, () => {
    assert.deepEqual(longIn[kind], []);
  });
}

test("names of limits begin with max or min", () => {
  const sources = programs.filter((path) => path.includes("/src/"));
  const names = sources.flatMap((path) => [...read(path).matchAll(limitNames)].map((match) => `${path}: ${match[1]}`));
  assert.deepEqual(names, []);
});

test("every allowed phrase occurs", () => {
  const all = Object.values(found).flat();
  const unused = allowed.filter((one) => !all.some((finding) => isAllowed(finding, [one])));
  assert.deepEqual(unused, []);
});

for (const { name, found: bad, fine } of patterns) {
  test(`the pattern "${name}" is caught, and its better form is not`, () => {
    const namesIn = (text: string) => findingsIn({ path: "sample", text }).map((finding) => finding.name);
    assert.ok(namesIn(bad).includes(name), bad);
    assert.ok(namesIn(bad.replaceAll(" ", "\n")).includes(name), "across lines");
    assert.deepEqual(namesIn(fine), []);
  });
}

test("prose is what people read: no code, addresses or quoted titles", () => {
  const page = "Text `a beside b` and “beside”.\n\n```sh\nbeside\n```\n\n[link](beside.md)\nThe end is beside it.\n";
  const source = 'const a = "beside"; // The end is beside it.\n// `beside`\nconst text = "It is beside that";\n';
  const linesOf = (text: string): string[] => findingsIn({ path: "x", text } satisfies Prose).map(({ place }) => place);
  assert.deepEqual(linesOf(proseOfMarkdown(page)), ["x:8"]);
  assert.deepEqual(linesOf(commentsOf(source)), ["x:1"]);
  assert.deepEqual(linesOf(textsOf(source)), ["x:3"]);
  assert.deepEqual(
    longLines("a.md", `${"word ".repeat(30)}\n| ${"word ".repeat(30)}\n\`\`\`\n${"word ".repeat(30)}\n\`\`\`\n`),
    ["a.md:1: 150 columns"],
  );
});
