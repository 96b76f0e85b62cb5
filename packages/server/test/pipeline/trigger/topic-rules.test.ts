// Which topic subscriptions let an event through: the first rule that matches the workflow decides.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { idToBase62, newId } from "../../../src/lib/ids.ts";
import {
  passesRules,
  type RuleScope,
  type RuleWorkflow,
  ruleMatches,
} from "../../../src/pipeline/rules/topic-rules.ts";
import type { StoredRule } from "../../../src/store/tables.ts";

const workflow: RuleWorkflow = {
  id: newId(),
  workflowId: "order-shipped",
  tags: ["orders", "daily"],
  preferences: { user: null, default: { all: { enabled: true } } },
};
const off: RuleWorkflow = { ...workflow, preferences: { user: { all: { enabled: false } }, default: {} } };

const scope: RuleScope = {
  payload: { amount: 12, subscriber: { vip: "not this one" }, kind: "big" },
  subscriber: { subscriberId: "ada", data: { vip: true } },
  workflow: { workflowId: "order-shipped", tags: ["orders", "daily"] },
};

const passes = (rules: StoredRule[], of = workflow, given = scope) => passesRules(rules, of, given);

test("a rule names a workflow by identifier, internal id or slug", () => {
  const slug = `anything_wf_${idToBase62(workflow.id)}`;
  for (const workflowId of [workflow.workflowId, workflow.id, slug]) {
    assert.equal(ruleMatches({ workflowId }, workflow), true, workflowId);
  }
  assert.equal(ruleMatches({ workflowId: "order" }, workflow), false);
});

test("a group matches by name or by tag, and an empty one matches everything", () => {
  const matches = (filter: { workflowIds?: string[]; tags?: string[] }) => ruleMatches({ filter }, workflow);
  assert.equal(matches({ workflowIds: ["other", "order-shipped"] }), true);
  assert.equal(matches({ tags: ["other", "daily"] }), true);
  assert.equal(matches({ workflowIds: ["other"], tags: ["orders"] }), true);
  assert.equal(matches({ workflowIds: ["other"], tags: ["weekly"] }), false);
  assert.equal(matches({}), true);
  assert.equal(matches({ workflowIds: [], tags: [] }), true);
});

test("without a matching rule the event passes", () => {
  assert.equal(passes([]), true);
  assert.equal(passes([{ workflowId: "other", enabled: false }]), true);
  assert.equal(passes([{ workflowId: "other", enabled: false }], off), true);
});

test("the first matching rule decides", () => {
  const all = (enabled: boolean): StoredRule => ({ filter: {}, enabled });
  const one = (enabled: boolean): StoredRule => ({ workflowId: "order-shipped", enabled });
  assert.equal(passes([one(false), all(true)]), false);
  assert.equal(passes([all(true), one(false)]), true);
  assert.equal(passes([{ workflowId: "other", enabled: true }, one(false)]), false);
});

test("without `enabled` the workflow's own default counts, what people set over what the code says", () => {
  const rules: StoredRule[] = [{ workflowId: "order-shipped" }];
  assert.equal(passes(rules), true);
  assert.equal(passes(rules, off), false);
  assert.equal(passes(rules, { ...off, preferences: { user: null, default: {} } }), true);
});

test("a condition decides before `enabled`, and only exactly true passes", () => {
  const rule = (condition: object, enabled?: boolean): StoredRule[] => [
    { workflowId: "order-shipped", condition: condition as Record<string, unknown>, enabled },
  ];
  assert.equal(passes(rule({ ">": [{ var: "payload.amount" }, 10] }, false)), true);
  assert.equal(passes(rule({ ">": [{ var: "payload.amount" }, 20] }, true)), false);
  assert.equal(passes(rule({ var: "payload.amount" })), false);
  assert.equal(passes(rule({ cat: ["true"] })), false);
  assert.equal(passes(rule({ unknown: [1] })), false);
  assert.equal(passes(rule({ map: ["text", true] })), false);
});

test("conditions see payload, subscriber and workflow; other names are the payload's", () => {
  const sees = (path: string, value: unknown) => passes([{ filter: {}, condition: { "===": [{ var: path }, value] } }]);
  assert.equal(sees("payload.amount", 12), true);
  assert.equal(sees("subscriber.data.vip", true), true);
  assert.equal(sees("workflow.workflowId", "order-shipped"), true);
  assert.equal(sees("amount", 12), true);
  assert.equal(sees("kind", "big"), true);
  assert.equal(sees("subscriber.vip", null), true);
  assert.equal(sees("nothing", null), true);
});

test("rules behind the one that decides change nothing", () => {
  const rule: fc.Arbitrary<StoredRule> = fc.oneof(
    fc.record({ workflowId: fc.constantFrom("order-shipped", "other"), enabled: fc.boolean() }),
    fc.record({
      filter: fc.record({ tags: fc.subarray(["orders", "weekly"]), workflowIds: fc.subarray(["order-shipped", "x"]) }),
      enabled: fc.boolean(),
    }),
  );
  fc.assert(
    fc.property(fc.array(rule), fc.array(rule), (rules, more) => {
      const first = rules.find((one) => ruleMatches(one, workflow));
      if (first) assert.equal(passes([...rules, ...more]), first.enabled);
      else assert.equal(passes([...rules, ...more]), passes(more));
    }),
  );
});
