// The faults that `npm run faults` plants are changes of lines that exist.
import assert from "node:assert/strict";
import { test } from "node:test";
import { faults, staleFaults } from "../../../../scripts/faults/faults.ts";

test("every planted fault changes text that its file has once", () => {
  assert.deepEqual(staleFaults(), []);
});

test("planted faults have their own names, each in its own room", () => {
  assert.equal(new Set(faults.map(({ id }) => id)).size, faults.length);
  assert.equal(new Set(faults.map(({ room }) => room)).size, faults.length);
});
