import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { candidatesFor, nextCandidate } from "../../../src/pipeline/rules/integration-choice.ts";
import type { IntegrationRow } from "../../../src/store/integrations/integrations.ts";

const row = (id: string, changes: Partial<IntegrationRow> = {}): IntegrationRow => ({
  id,
  environment_id: "env",
  identifier: id,
  name: id,
  provider_id: "nodemailer",
  channel: "email",
  credentials: null,
  configurations: null,
  conditions: [],
  active: true,
  is_primary: false,
  priority: 0,
  is_hidden: false,
  created_at: new Date(0),
  updated_at: new Date(0),
  deleted_at: null,
  deleted_by: null,
  ...changes,
});

const condition = { isNegated: false, value: "AND", children: [] } as unknown as IntegrationRow["conditions"][number];

test("candidates are those of the environment and the channel, in the order given, without conditions", () => {
  const all = [
    row("primary", { is_primary: true }),
    row("other-environment", { environment_id: "other" }),
    row("sms", { channel: "sms" }),
    row("conditional", { conditions: [condition] }),
    row("second"),
    row("third"),
  ];
  const ids = candidatesFor(all, "env", "email").map((candidate) => candidate.id);
  assert.deepEqual(ids, ["primary", "second", "third"]);
  assert.deepEqual(candidatesFor(all, "nowhere", "email"), []);
  assert.deepEqual(candidatesFor([], "env", "email"), []);
});

test("the next candidate is the first that has not failed; none is left when all have", () => {
  const all = [row("a"), row("b"), row("c")];
  assert.equal(nextCandidate(all, new Set())?.id, "a");
  assert.equal(nextCandidate(all, new Set(["a"]))?.id, "b");
  assert.equal(nextCandidate(all, new Set(["b", "a"]))?.id, "c");
  assert.equal(nextCandidate(all, new Set(["a", "b", "c"])), null);
  // One that was switched off meanwhile counts as failed and is not in the list.
  assert.equal(nextCandidate(all, new Set(["gone"]))?.id, "a");
});

test("failing over again and again visits every candidate once, in order, and ends", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 12 }), (ids) => {
      const all = ids.map((id) => row(id));
      const failed = new Set<string>();
      const visited: string[] = [];
      for (let next = nextCandidate(all, failed); next; next = nextCandidate(all, failed)) {
        visited.push(next.id);
        failed.add(next.id);
      }
      assert.deepEqual(visited, ids);
    }),
  );
});
