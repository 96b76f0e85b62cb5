// The id that a name suggests, the ids that can be used, and rules that are still being typed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identifierFrom } from "../../src/fields/identifier.ts";
import { isUnfinished } from "../../src/screens/audiences/unfinished.ts";
import { isUsableId } from "../../src/screens/audiences/usable-id.ts";

test("a name suggests an id that the service accepts", () => {
  const names: [string, string][] = [
    ["Teams of Bob", "teams-of-bob"],
    ["  Order shipped!  ", "order-shipped"],
    ["Größe & Façade", "grosse-facade"],
    ["日本", ""],
    [`${"a".repeat(99)} b`, "a".repeat(99)],
  ];
  for (const [name, id] of names) assert.equal(identifierFrom(name), id);
});

test("the address of the form for a new audience is no id", () => {
  assert.deepEqual(["teams-of-bob", "v1.2", "new", "", "-a", "a b", "a".repeat(101)].map(isUsableId), [
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("a rule is unfinished while one of its lines has no field, or only the beginning of one", () => {
  const rule = (field: string) => ({ and: [{ "==": [{ var: "subscriber.email" }, "a"] }, { "!": [{ var: field }] }] });
  assert.deepEqual(
    ["", "subscriber.", "subscriber.data.plan"].map((field) => isUnfinished(rule(field))),
    [true, true, false],
  );
  assert.equal(isUnfinished(null), false);
});
