// What differs between two environments, before it is published.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceDiff } from "@tidings/contract";
import { actionOf, checksOf, differencesOf, hasFault, keyOf } from "../../src/screens/environments/differences.ts";

const here = { id: "order", name: "Order" };
const diff = (given: object): ResourceDiff =>
  ({ resourceType: "workflow", sourceResource: here, targetResource: here, changes: [], ...given }) as never;
const step = (id: string, given: object) => ({
  resourceType: "step",
  sourceResource: { id, name: id },
  stepType: "email",
  ...given,
});

test("control values are compared one by one, and what is the same is left out", () => {
  const previous = { name: "Email", controlValues: { subject: "Order shipped", body: "Hello" } };
  const next = { name: "Email", controlValues: { subject: "It is on its way", body: "Hello" } };
  const changes = [
    step("email", { action: "modified", previousIndex: 1, newIndex: 1, diffs: { previous, new: next } }),
    step("sms", { action: "added", newIndex: 2 }),
    step("wait", { action: "unchanged" }),
    { resourceType: "workflow", action: "modified", diffs: { previous: { name: "Order" }, new: { name: "Orders" } } },
  ];
  const { settings, steps } = differencesOf(diff({ changes }));
  assert.deepEqual(settings, [{ field: "name", before: "Order", after: "Orders" }]);
  assert.deepEqual(
    steps.map(({ stepId, kind, hasMoved, fields }) => [stepId, kind, hasMoved, fields]),
    [
      [
        "email",
        "changed",
        false,
        [{ field: "controlValues.subject", before: "Order shipped", after: "It is on its way" }],
      ],
      ["sms", "added", false, []],
    ],
  );
});

test("a changed step at another place has moved, too", () => {
  const changes = [
    step("email", { action: "modified", previousIndex: 0, newIndex: 1 }),
    step("sms", { action: "moved", previousIndex: 1, newIndex: 0 }),
  ];
  assert.deepEqual(
    differencesOf(diff({ changes })).steps.map(({ kind, hasMoved }) => [kind, hasMoved]),
    [
      ["changed", true],
      ["moved", true],
    ],
  );
});

test("what happens to a resource in the target", () => {
  assert.equal(actionOf(diff({ targetResource: null })), "added");
  assert.equal(actionOf(diff({ sourceResource: null })), "deleted");
  assert.equal(actionOf(diff({})), "modified");
  assert.equal(keyOf(diff({ sourceResource: null })), "workflow order");
});

test("a layout that is published along is no reason for a check", () => {
  const checks = [{ text: "needs the layout", layoutId: "company" }, { text: "no integration" }];
  const layout = diff({ resourceType: "layout", sourceResource: { id: "company", name: "Company" } });
  const order = diff({ checks });
  assert.equal(checksOf(order, [order]).length, 2);
  assert.deepEqual(checksOf(order, [order, layout]), [checks[1]]);
  assert.equal(hasFault(order), false);
  assert.equal(hasFault(diff({ checks: [{ text: "undefined filter", isFault: true }] })), true);
});
