// The part of CONTRIBUTING.md that lists the test files outside `npm test`, from their names.
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fillIn } from "../docs-pages.ts";
import { allTests, filesOf } from "./tiers.ts";

const root = dirname(dirname(import.meta.dirname));
const path = "CONTRIBUTING.md";

export function tierTable(): { path: string; content: string } {
  const all = allTests();
  const [rest, long] = [filesOf("rest", all), filesOf("long", all)];
  const folders = [...new Set([...rest, ...long].map((file) => dirname(file)))].toSorted();
  const rows = folders.map((folder) => {
    const cell = (files: string[]) =>
      files
        .filter((file) => dirname(file) === folder)
        .map(nameOf)
        .join(", ");
    return `| ${folder.replace(/^packages\//, "").replace(/\/test\b/, "")} | ${cell(rest)} | ${cell(long)} |`;
  });
  const page = readFileSync(join(root, path), "utf8");
  const begin = "<!-- tiers: from the names of the test files by `npm run generate` -->\n\n";
  const content = ["| tests of | `test:rest` | `test:long` |", "|---|---|---|", ...rows].join("\n");
  return { path, content: fillIn(path, page, { begin, end: "\n\n<!-- end of tiers -->", content }) };
}

const nameOf = (file: string): string => `\`${basename(file).replace(/(\.rest|\.long)?\.test\.ts$/, "")}\``;
