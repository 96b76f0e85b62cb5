import assert from "node:assert/strict";
import { test } from "node:test";
import { candidatesFor } from "../../../src/pipeline/rules/integration-choice.ts";
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
