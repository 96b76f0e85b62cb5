// The skip rule of a step: what it sees, what it decides, and what is kept of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { variablePaths } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import { jsonBytes } from "../../../src/lib/json.ts";
import { evaluateSkip } from "../../../src/pipeline/rules/conditions.ts";

const scope = {
  subscriber: { firstName: "Ada", isOnline: false, data: { plan: "pro" } },
  payload: { amount: 12, limit: 10, tags: ["a", "b"], empty: [], zero: 0, items: [{ ok: true }] },
  steps: { digest: { eventCount: 3 }, inbox: { seen: true } },
  context: { tenant: { id: "acme", data: {} } },
  workflow: { tags: ["x"] },
  actor: null,
  tenant: { identifier: "acme" },
};

test("a truthy answer skips the step, everything else lets it run", () => {
  const table: [rule: unknown, isSkipped: boolean][] = [
    [undefined, false],
    [{}, false],
    [[], false],
    [{ "==": [{ var: "subscriber.data.plan" }, "pro"] }, true],
    [{ "!": [{ "==": [{ var: "subscriber.data.plan" }, "pro"] }] }, false],
    [{ ">": [{ var: "payload.amount" }, "{{ payload.limit }}"] }, true],
    [{ "<": [{ var: "payload.amount" }, "{{ payload.limit }}"] }, false],
    [{ var: "payload.{{ steps.digest.eventCount | minus: 3 }}" }, false],
    [{ var: "payload.empty" }, false],
    [{ var: "payload.zero" }, false],
    [{ var: "payload.tags" }, true],
    [{ "==": [{ var: "actor.firstName" }, null] }, true],
    [{ var: "subscriber.isOnline" }, false],
    [{ and: [{ ">=": [{ var: "steps.digest.eventCount" }, 3] }, { var: "steps.inbox.seen" }] }, true],
    [{ in: ["acme", { var: "context.tenant.id" }] }, true],
    [{ contains: [{ var: "workflow.tags" }, "x"] }, true],
    [{ some: [{ var: "payload.items" }, { var: "ok" }] }, true],
    [{ var: "__proto__.polluted" }, false],
    [{ var: "payload.constructor" }, false],
  ];
  for (const [rule, isSkipped] of table) {
    const verdict = evaluateSkip(rule, () => scope);
    assert.equal("isSkipped" in verdict && verdict.isSkipped, isSkipped, JSON.stringify(rule));
  }
});

test("a rule that cannot be evaluated says why", () => {
  const deep = Array.from({ length: 200 }).reduce<object>((inner) => ({ "!": [inner] }), {});
  const table: [rule: object, words: RegExp][] = [
    [{ nosuch: [1] }, /nosuch|evaluated/],
    [{ "==": ["{{ payload.amount | nosuch }}", 1] }, /nosuch/],
    [{ "==": ["{{ payload", 1] }, /not closed/],
    [deep, /deep/],
  ];
  for (const [rule, words] of table) {
    const verdict = evaluateSkip(rule, () => scope);
    assert.match("fault" in verdict ? verdict.fault : "no fault", words, JSON.stringify(rule).slice(0, 80));
  }
});

test("what is kept is the rule as it was evaluated and the values it read", () => {
  const rule = {
    and: [
      { ">": [{ var: ["payload.amount", 0] }, "{{ payload.limit }}"] },
      { "!": [{ missing: ["subscriber.firstName"] }] },
      { all: [{ var: "payload.tags" }, { "!=": [{ var: "" }, "z"] }] },
      { none: [{ var: "payload.items" }, { var: "bad" }] },
    ],
  };
  const verdict = evaluateSkip(rule, () => scope);
  assert.ok("isSkipped" in verdict && verdict.isSkipped);
  assert.deepEqual(verdict.values, {
    "payload.amount": 12,
    "subscriber.firstName": "Ada",
    "payload.tags": ["a", "b"],
    "payload.items": [{ ok: true }],
  });
  assert.match(JSON.stringify(verdict.rule), /"10"/);
});

test("names inside an iteration belong to the item, not to the scope", () => {
  const rule = { reduce: [{ var: "list" }, { "+": [{ var: "current" }, { var: "accumulator" }] }, { var: "start" }] };
  assert.deepEqual([...variablePaths(rule)], ["list", "start"]);
  assert.deepEqual([...variablePaths({ missing_some: [1, ["a", "b"]] })], ["a", "b"]);
  assert.deepEqual([...variablePaths({ var: { var: "name" } })], ["name"]);
});

test("whatever the rule and the values, what is kept is small and can be stored", () => {
  const payload = fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), fc.jsonValue({ maxDepth: 3 }), {
    maxKeys: 40,
  });
  const long = fc.string({ unit: "grapheme", minLength: 150, maxLength: 400 });
  fc.assert(
    fc.property(payload, long, (values, text) => {
      const paths = [...Object.keys(values), "text"].map((name) => ({ var: `payload.${name}` }));
      const verdict = evaluateSkip({ or: [...paths, true] }, () => ({ payload: { ...values, text } }));
      const kept = JSON.stringify(verdict);
      assert.ok(jsonBytes(verdict) < 20_000, `${jsonBytes(verdict)} bytes`);
      assert.ok(JSON.parse(kept) !== null && kept.isWellFormed());
    }),
    { numRuns: 100 },
  );
});
