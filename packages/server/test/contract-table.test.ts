// docs/contract.md maps the lines of the contract to tests. These tests find renamed tests, operations without a row
// and wrong sums.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { operations } from "@tidings/contract";

const root = new URL("../../../", import.meta.url);
const page = readFileSync(new URL("docs/contract.md", root), "utf8");
const rows = page.split("\n").flatMap((line) => {
  const cells = line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, ""));
  return line.startsWith("| ") ? [cells] : [];
});
const statements = rows.filter((cells) => cells.length === 4 && cells[0] !== "part");

/** Modules of conformance/conformance.test.ts. */
const parts = /^(conformance|fuzz)\/\w/;

/**
 * `app/feed` is a file of this package, whatever its tier is; those of other packages have the package in front.
 */
function fileOf(name: string): URL {
  const [, owner, rest] = /^(?:(client|contract|providers)\/)?(.*)$/.exec(name)!;
  const endings = parts.test(name) ? [".ts"] : [".test.ts", ".rest.test.ts", ".long.test.ts"];
  const files = endings.map((ending) => new URL(`packages/${owner ?? "server"}/test/${rest}${ending}`, root));
  return files.find((file) => existsSync(file)) ?? files[0]!;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The titles of the tests in a file, as patterns: computed parts match any text. */
function titlesOf(source: string): RegExp[] {
  const literals = [...source.matchAll(/\b(?:test|it|describe)\(\s*(?:"((?:\\.|[^"\\])*)"|`([^`]*)`)/g)];
  const titles = literals.map(([, plain, template]) =>
    plain === undefined
      ? template!
          .split(/\$\{[^}]*\}/)
          .map(escaped)
          .join(".+")
      : escaped(JSON.parse(`"${plain}"`) as string),
  );
  return titles.map((title) => new RegExp(`^${title}$`));
}

/** A title that is a value as a whole has to be one of the values in the file. */
const isValueTitle = (source: string, title: string) =>
  /\btest\([a-z]\w*,/.test(source) && new RegExp(`\\b${escaped(title)}\\b`).test(source);

test("every test named exists, in the file named", () => {
  const faults: string[] = [];
  const named = page.matchAll(/`([\w/-]+)` › (“[^”]+”(?:, “[^”]+”)*)/g);
  for (const [, name, quoted] of named) {
    const url = fileOf(name!);
    const source = existsSync(url) ? readFileSync(url, "utf8") : "";
    const known = titlesOf(source);
    for (const [, title] of quoted!.matchAll(/“([^”]+)”/g)) {
      const isKnown = known.some((pattern) => pattern.test(title!)) || isValueTitle(source, title!);
      if (!isKnown && !title!.startsWith("`<operation>`")) faults.push(`${name} › ${title}`);
    }
  }
  assert.deepEqual(faults, []);
});

test("every statement has a state and a test, and the sums are right", () => {
  const stateOf = (cells: string[]) => cells[3]!.split(":")[0]!;
  const faults = statements.filter((cells) => !/^(shown$|left out: .)/.test(cells[3]!) || !/`|\*\*\[/.test(cells[2]!));
  assert.deepEqual(faults, []);
  const counts = Object.entries(Object.groupBy(statements, stateOf)).map(([state, group]) => [
    state,
    `${group!.length}`,
  ]);
  const sums = rows.filter((cells) => cells.length === 2 && /^\d+$/.test(cells[1]!));
  assert.deepEqual(sums, [...counts, ["all", `${statements.length}`]]);
});

test("every operation has a row with its method and path, and its tests are files", () => {
  const listed = rows.filter((cells) => cells.length === 3 && cells[0]!.startsWith("`/"));
  const found = listed.flatMap(([path, calls]) =>
    [...calls!.matchAll(/(\w+) `([\w.]+)`/g)].map(([, method, id]) => `${id} ${method} ${path!.replaceAll("`", "")}`),
  );
  const served = Object.values(operations).map(({ id, method, path }) => `${id} ${method} ${path}`);
  assert.deepEqual(
    served.filter((one) => !found.includes(one)),
    [],
    "not on the page",
  );
  assert.deepEqual(
    found.filter((one) => !served.includes(one)),
    [],
    "not served",
  );
  const files = listed.flatMap(([, , tests]) => [...tests!.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name!));
  assert.deepEqual(
    files.filter((name) => !existsSync(fileOf(name))),
    [],
  );
});
