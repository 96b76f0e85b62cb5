import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { findOrigins } from "../../src/lib/source-map.ts";

const dist = join(import.meta.dirname, "../../dist");

for (const name of ["start", "main", "chunk"]) {
  test(`places in the map of the bundle's ${name} are those that Node finds`, () => {
    const file = globSync(`${name}*.js.map`, { cwd: dist })[0]!;
    const map = JSON.parse(readFileSync(join(dist, file), "utf8"));
    const lines: number = map.mappings.split(";").length;
    const places = Array.from({ length: 500 }, (_, index) => ({
      line: 1 + ((index * 7919) % lines),
      column: 1 + ((index * 31) % 80),
    }));
    const theirs = new SourceMap(map);
    const expected = places.map(({ line, column }) => {
      const entry = theirs.findEntry(line - 1, column - 1);
      // Node answers the last entry of an earlier line where the line has none.
      return "originalSource" in entry && entry.generatedLine === line - 1
        ? { source: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
        : undefined;
    });
    assert.deepEqual(findOrigins(map, places), expected);
  });
}

test("an entry without a source ends the one before it", () => {
  // Column 0 → line 1 of a.ts; column 4 → nowhere; the second line has nothing.
  const map = { sources: ["a.ts"], mappings: "AAAA,I;" };
  const places = [1, 4, 5, 9].map((column) => ({ line: 1, column }));
  const origin = { source: "a.ts", line: 1, column: 1 };
  assert.deepEqual(findOrigins(map, [...places, { line: 2, column: 1 }]), [
    origin,
    origin,
    undefined,
    undefined,
    undefined,
  ]);
});
