// What pages and comments refer to exists: links and anchors, files and identifiers in backticks.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { brokenLinks, foreignPackages, missingFiles, missingNames } from "./support/prose/references.ts";
import { files, pages, programs, read, root } from "./support/prose/sources.ts";

const sources = { exists: (path: string) => existsSync(join(root, path)), read };

/** Files that only exist elsewhere, with the reason. */
const otherFiles: Record<string, string> = { "main.mjs": "is built" };

/** Identifiers of others, with the reason. */
const otherNames: Record<string, string> = {
  groupConcurrency: "an option of pg-boss that is not used",
  setPriority: "a function of Node that is not used",
};

/** Pages about another API, whose identifiers are not ours. */
const otherApis = ["docs/migrating.md"];

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/\*|\*)|[;,{})\]] \/\/ /.test(line);
const commentLines = (path: string): string => read(path).split("\n").filter(isComment).join("\n");
const prose = [
  ...pages.map((path) => ({ path, text: read(path).replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, "") })),
  ...programs.map((path) => ({ path, text: commentLines(path) })),
];

const known = new Set(
  [
    ...programs,
    ...files.filter((path) => /\.(?:gen\.ts|sql|json|yml|yaml)$/.test(path) && !path.includes("package-lock")),
  ]
    .flatMap((path) =>
      read(path)
        .split("\n")
        .filter((line) => !isComment(line)),
    )
    .flatMap((line) => line.match(/[A-Za-z_]\w*/g) ?? []),
);

test("links between pages lead somewhere", () => {
  assert.deepEqual(
    pages.flatMap((page) => brokenLinks(page, sources)),
    [],
  );
});

test("pictures are used, described and small", () => {
  const shown = pages.flatMap((page) =>
    [...read(page).matchAll(/!\[([^\]]*)\]\((?!https?:)([^)\s]+)\)/g)].map(([, words, target]) => ({
      path: normalize(join(dirname(page), target!)),
      isDescribed: words!.length >= 15,
    })),
  );
  assert.deepEqual(
    shown.filter(({ isDescribed }) => !isDescribed),
    [],
  );
  const pictures = files.filter((path) => path.startsWith("docs/images/"));
  assert.deepEqual(
    pictures.filter((path) => !shown.some((one) => one.path === path)),
    [],
    "pictures that no page shows",
  );
  for (const path of pictures) {
    const png = readFileSync(join(root, path));
    assert.ok(png.length <= 120_000, `${path} has ${png.length} bytes: npm run walk -- docs writes smaller files`);
    if (path.endsWith(".svg")) continue;
    assert.ok(png.readUInt32BE(16) <= 1_400, `${path} is ${png.readUInt32BE(16)} pixels wide`);
  }
});

test("files named in backticks exist", () => {
  const missing = prose.flatMap(({ path, text }) => missingFiles(text, files).map((name) => `${path}: ${name}`));
  assert.deepEqual(
    missing.filter((one) => !(one.split(": ")[1]! in otherFiles)),
    [],
  );
});

test("identifiers named in backticks exist", () => {
  const own = prose.filter(({ path }) => !otherApis.includes(path));
  const missing = own.flatMap(({ path, text }) => missingNames(text, known).map((name) => `${path}: ${name}`));
  assert.deepEqual(
    missing.filter((one) => !(one.split(": ")[1]! in otherNames)),
    [],
  );
});

/** What people read or run: pages, programs and their texts, CI files, files for containers. */
const isInstruction = (path: string): boolean =>
  /(?:\.(?:md|ts|tsx|mjs|ya?ml|json|sh|html|vue|svelte)|Dockerfile|\.ci\/run)$/.test(path) &&
  !/\/test\/|^CHANGELOG\.md$|package-lock\.json$/.test(path);

test("nothing tells people to fetch our packages from the npm registry, where their names are not ours", () => {
  const found = files.filter(isInstruction).flatMap((path) => foreignPackages(path, read(path)));
  assert.deepEqual(found, []);
  const inClone = "In a clone:\n\n```sh\nnpx tidings plan\n```\n\n`npx tidings test` as well.";
  assert.deepEqual(foreignPackages("page.md", inClone), []);
  const wrong = "npm i -D @tidings/client\nnpx tidings plan\n\nIn a clone: npx @tidings/cli\nyarn add tidings\n";
  assert.deepEqual(
    foreignPackages("page.md", `${wrong}npm i https://notify.example.com/packages/tidings-cli-0.1.0.tgz`),
    [
      "page.md:1: npm i -D @tidings/client",
      "page.md:2: npx tidings",
      "page.md:4: npx @tidings/cli",
      "page.md:5: yarn add tidings",
    ],
  );
  assert.deepEqual(foreignPackages("ci.yml", "# a clone\nrun: npx tidings plan"), ["ci.yml:2: npx tidings"]);
});

test("stale references are found", () => {
  const page = "# One\n\n## Two words: `x`\n\n[a](b.md) [c](#two-words-x) [d](#three) [e](https://example.com/x)\n";
  const known = { exists: (path: string) => path === "page.md", read: () => page };
  assert.deepEqual(brokenLinks("page.md", known), [
    "page.md: b.md does not exist",
    "page.md: page.md has no heading for #three",
  ]);
  assert.deepEqual(missingFiles("`a/b.ts`, `c.ts`, `npm test`, `./x.ts`", ["src/a/b.ts"]), ["c.ts"]);
  assert.deepEqual(missingNames("`someName`, `other.someName()`, `noName`, `lower`, `a b`", new Set(["someName"])), [
    "noName",
  ]);
});
