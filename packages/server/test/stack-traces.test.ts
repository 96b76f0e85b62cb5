import assert from "node:assert/strict";
import { SourceMap } from "node:module";
import { test } from "node:test";
import { findOrigin } from "../src/stack-traces.ts";

test("a place has the source before it on its line, or none", () => {
  // Column 0 → line 1 of a.ts; column 4 → nowhere; the second line has nothing.
  const payload = { file: "", version: 3, sources: ["../src/a.ts"], sourcesContent: [], names: [], sourceRoot: "" };
  const map = new SourceMap({ ...payload, mappings: "AAAA,I;" });
  const find = (line: number, column: number) => findOrigin(map, { line, column }, "file:///dist/start.js");
  assert.deepEqual([find(1, 1), find(1, 4)], ["file:///src/a.ts:1:1", "file:///src/a.ts:1:1"]);
  assert.deepEqual([find(1, 5), find(1, 9), find(2, 1)], [null, null, null]);
});
