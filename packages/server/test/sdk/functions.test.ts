// The table of SDK functions is complete and right: checked against the SDK's own sources and the contract.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type Operation, operations } from "@tidings/contract";
import { functions } from "./functions.ts";

const folder = join(dirname(createRequire(import.meta.url).resolve("@novu/api/package.json")), "src", "funcs");

const sources = new Map(
  readdirSync(folder).map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const path = /pathToFunc\(\s*"([^"]+)"/.exec(text)?.[1];
    const method = /method: "([A-Z]+)"/.exec(text)?.[1];
    return [file.replace(/\.ts$/, ""), `${method} ${path}`] as const;
  }),
);

test("every function of the SDK has a row, and no row is invented", () => {
  assert.deepEqual(Object.keys(functions).sort(), [...sources.keys()].sort());
});

test("each row names the operation with the function's method and path", () => {
  const served: Record<string, Operation> = operations;
  for (const [name, { operation }] of Object.entries(functions)) {
    const there = served[operation];
    if (there) assert.equal(`${there.method} ${there.path}`, sources.get(name), name);
  }
  const ids = Object.values(functions).map(({ operation }) => operation);
  assert.equal(new Set(ids).size, ids.length, "two functions for one operation");
});
