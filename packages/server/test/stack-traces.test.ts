import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { findOrigin, showSourcesInStacks } from "../src/stack-traces.ts";

test("a place has the source before it on its line, or none", () => {
  // Column 0 → line 1 of a.ts; column 4 → nowhere; the second line has nothing.
  const payload = { file: "", version: 3, sources: ["../src/a.ts"], sourcesContent: [], names: [], sourceRoot: "" };
  const map = new SourceMap({ ...payload, mappings: "AAAA,I;" });
  const find = (line: number, column: number) => findOrigin(map, { line, column }, "file:///dist/start.js");
  assert.deepEqual([find(1, 1), find(1, 4)], ["file:///src/a.ts:1:1", "file:///src/a.ts:1:1"]);
  assert.deepEqual([find(1, 5), find(1, 9), find(2, 1)], [null, null, null]);
});

test("a map is read once for a burst of errors", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-stacks-"));
  const { prepareStackTrace } = Error;
  context.after(() => {
    Error.prepareStackTrace = prepareStackTrace;
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, "start.js");
  writeFileSync(file, "export const one = () => new Error();\nexport const two = () => new Error();\n");
  const payload = { file: "", version: 3, sources: ["a.ts"], sourcesContent: [], names: [], sourceRoot: "" };
  writeFileSync(`${file}.map`, JSON.stringify({ ...payload, mappings: "AAAA;AACA" }));
  const { one, two } = await import(pathToFileURL(file).href);
  showSourcesInStacks(pathToFileURL(`${folder}/`));
  assert.match(one().stack, /a\.ts:1:1/);
  rmSync(`${file}.map`);
  assert.match(two().stack, /a\.ts:2:1/);
});
