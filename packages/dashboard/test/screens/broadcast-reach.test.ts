// The audiences of a broadcast as the one rule that is counted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { reachRule } from "../../src/screens/broadcasts/draft/reach-rule.ts";

const isIn = (id: string) => ({ contains: [{ var: "audiences" }, id] });

test("people are in any of the audiences, and in none of those that are left out", () => {
  assert.equal(reachRule({ include: [] }), null);
  assert.equal(reachRule({ include: [], exclude: ["guests"] }), null, "leaving out chooses nobody");
  assert.deepEqual(reachRule({ include: ["pro", "team"] }), { or: [isIn("pro"), isIn("team")] });
  assert.deepEqual(reachRule({ include: ["pro"], exclude: ["guests"] }), {
    and: [{ or: [isIn("pro")] }, { "!": [{ or: [isIn("guests")] }] }],
  });
});

test("everyone counts whatever is chosen besides, without those that are left out", () => {
  const all = { notNull: [{ var: "subscriber.subscriberId" }] };
  assert.deepEqual(reachRule({ include: ["pro"], everyone: true }), all);
  assert.deepEqual(reachRule({ include: [], exclude: ["guests"], everyone: true }), {
    and: [all, { "!": [{ or: [isIn("guests")] }] }],
  });
});
