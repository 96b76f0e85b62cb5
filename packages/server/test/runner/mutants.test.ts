// The mutants that `npm run mutants` plants are changes of lines that exist.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mutants, staleMutants } from "../../../../scripts/mutants/mutants.ts";

test("every planted mutant changes text that its file has once", () => {
  assert.deepEqual(staleMutants(), []);
});

test("planted mutants have their own names, each in its own room", () => {
  assert.equal(new Set(mutants.map(({ id }) => id)).size, mutants.length);
  assert.equal(new Set(mutants.map(({ room }) => room)).size, mutants.length);
});
