// Rules of a subscription between the API and the form.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  effectOf,
  keyOf,
  newRule,
  type Rule,
  targetFrom,
  targetOf,
  withEffect,
  withTarget,
} from "../../src/screens/topics/rules.ts";

test("what a rule is about is read from its workflow or its filter", () => {
  const rules: [Rule, string][] = [
    [{}, "all"],
    [{ filter: {} }, "all"],
    [{ workflowId: "news" }, "workflow news"],
    [{ filter: { workflowIds: ["news"] } }, "workflow news"],
    [{ filter: { tags: ["all hands"] } }, "tag all hands"],
    [{ filter: { tags: ["a", "b"] } }, "other"],
    [{ filter: { tags: ["a"], workflowIds: ["news"] } }, "other"],
  ];
  for (const [rule, key] of rules) assert.equal(keyOf(targetOf(rule)), key);
  assert.deepEqual(targetFrom("tag all hands"), { kind: "tag", name: "all hands" });
  assert.deepEqual(targetFrom("all"), { kind: "all" });
});

test("another target keeps the effect, and another effect keeps the target", () => {
  const condition = { "==": [{ var: "payload.severity" }, "high"] };
  assert.deepEqual(withTarget({ filter: {}, condition }, { kind: "workflow", name: "news" }), {
    workflowId: "news",
    condition,
  });
  assert.deepEqual(withTarget({ workflowId: "news", enabled: false }, { kind: "tag", name: "team" }), {
    filter: { tags: ["team"] },
    enabled: false,
  });
  assert.deepEqual(withEffect({ workflowId: "news", condition }, "off"), { workflowId: "news", enabled: false });
  assert.deepEqual(withEffect({ workflowId: "news", enabled: true }, "default"), { workflowId: "news" });
  assert.deepEqual(withEffect({ workflowId: "news", condition }, "condition"), { workflowId: "news", condition });
});

test("the effect of a rule: a condition counts before a switch, and an empty one does not", () => {
  assert.equal(effectOf(newRule()), "off");
  assert.equal(effectOf({ enabled: true, condition: {} }), "on");
  assert.equal(effectOf({ condition: { "==": [1, 1] } }), "condition");
  assert.equal(effectOf({ workflowId: "news" }), "default");
});
