// What the runner of the tests relies on: names that say the tier, tables that name real files, shards that together
// are the whole.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type Costs, readCosts } from "../../../../scripts/tests/costs.ts";
import { readReach } from "../../../../scripts/tests/reach.ts";
import { allTests, filesOf, shardOf } from "../../../../scripts/tests/tiers.ts";

const all = allTests();

test("every test file belongs to a tier", () => {
  const tiers = (["gate", "rest", "long"] as const).map((tier) => filesOf(tier, all));
  assert.deepEqual([...new Set(tiers.flat())].toSorted(), all);
  assert.ok(tiers.every((files) => files.length > 0));
});

test("a file whose browser tests all run in the rest says so in its name", () => {
  const wrong = filesOf("gate", all).filter((file) => {
    const text = readFileSync(file, "utf8");
    return /\bbrowserTest\(/.test(text) && !/\bjourney\(/.test(text);
  });
  assert.deepEqual(wrong, []);
});

test("the recorded tables name files that exist", () => {
  const { gate = {}, rest = {} } = JSON.parse(readFileSync("scripts/tests/costs.json", "utf8"));
  const named = [...Object.keys(gate), ...Object.keys(rest), ...Object.values(readReach()).flat()];
  assert.deepEqual(
    [...new Set(named)].filter((file) => !existsSync(file)),
    [],
  );
});

test("shards are disjoint, complete and about as dear as each other", () => {
  const costs = readCosts(null);
  const shards = Array.from({ length: 6 }, (_, index) => shardOf(all, `${index + 1}/6`, costs));
  assert.deepEqual(shards.flat().toSorted(), all);
  const sums = shards.map((files) => files.reduce((sum, file) => sum + costs.cpuOf(file), 0));
  const dearest = Math.max(...all.map((file) => costs.cpuOf(file)));
  assert.ok(Math.max(...sums) - Math.min(...sums) <= dearest);
});

test("a shard is n/m", () => {
  const costs: Costs = { cpuOf: () => 1, wallOf: () => 1, has: () => false };
  for (const wrong of ["0/3", "4/3", "1", "a/b", "1/3/5"])
    assert.throws(() => shardOf(all, wrong, costs), /--shard is n\/m/);
});
