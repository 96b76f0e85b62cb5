// The attention budget as a file: pulled, checked without a service, planned, applied, published and removed.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { AttentionBudget } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";
import { openTerminal } from "../support.ts";

const service = await shareService();
const { client } = service;
const terminal = openTerminal(service);
const dir = ["--dir", "calm"];
const path = join(terminal.folder, "calm/attention.yaml");
const write = (text: string) => writeFileSync(path, text);
const budgets = async () => (await client("attention.retrieve")).body.budgets;
const daily: AttentionBudget = { channel: "email", limit: 3, window: { amount: 1, unit: "day" } };
const yaml = (limit: number, more = "") =>
  `budgets:\n  - channel: email\n    limit: ${limit}\n    window:\n      amount: 1\n      unit: day\n${more}`;
const stored = (limit: number, more: object = {}) => ({
  ...daily,
  limit,
  classes: ["transactional", "promotional"],
  overflow: "roll_up",
  ...more,
});

test("an environment without a budget has no file; with one it is pulled without defaults", async () => {
  assert.equal((await terminal.run("init", "calm", "--from", "mention")).code, 0);
  assert.equal((await terminal.run("pull", ...dir)).code, 0);
  assert.equal(existsSync(path), false);
  await client("attention.update", { body: { budgets: [daily] } });
  assert.equal((await terminal.run("pull", ...dir)).code, 0);
  const head = "# yaml-language-server: $schema=.tidings/schema/attention.json\n";
  const order = "# The first budget that is full decides what happens to a message.\n";
  assert.equal(readFileSync(path, "utf8"), head + order + yaml(3));
  assert.ok(existsSync(join(terminal.folder, "calm/workflows/roll-up/workflow.yaml")), "its template comes along");
  assert.doesNotMatch((await terminal.run("plan", ...dir)).stdout, /attention|roll-up/);
  write(yaml(3, "    overflow: roll_up\n    classes: [promotional, transactional]\n"));
  assert.doesNotMatch((await terminal.run("plan", ...dir)).stdout, /attention/, "equal meaning is no change");
});

test("what is wrong is refused with its line, without a service", async () => {
  const refusals: [text: string, expected: RegExp][] = [
    [yaml(0), /attention\.yaml:3:\d+\s+budgets\.0\.limit must not be less than 1/],
    [yaml(101), /attention\.yaml:3:\d+\s+budgets\.0\.limit must not be greater than 100/],
    [yaml(3).replace("amount: 1", "amount: 91"), /attention\.yaml:4:\d+.*must not be longer than 90 days/],
    [yaml(3, "    overflow: drop\n    rollUpAt: 18:00\n"), /attention\.yaml:8:\d+.*rollUpAt is only for a budget/],
    [yaml(3, '    rollUpAt: "24:00"\n'), /attention\.yaml:7:\d+.*rollUpAt/],
    [yaml(3) + yaml(2).replace("budgets:\n", ""), /attention\.yaml:7:\d+.*has the channel, classes and window of/],
    [yaml(3, "    limits: 4\n"), /attention\.yaml:7:\d+.*limits.*limit/],
    ["{}\n", /attention\.yaml:1:1.*budgets/],
  ];
  for (const [text, expected] of refusals) {
    write(text);
    const { code, stdout, stderr } = await terminal.run("validate", ...dir);
    assert.notEqual(code, 0, text);
    assert.match(stdout + stderr, expected);
  }
  assert.deepEqual(await budgets(), [stored(3)]);
});

test("a plan says what changes and what drifted; apply is all or nothing, and an empty list removes it", async () => {
  write(yaml(2, '    rollUpAt: "18:00"\n'));
  await client("attention.update", { body: { budgets: [{ ...daily, limit: 4 }] } });
  const plan = await terminal.run("plan", ...dir);
  assert.match(plan.stdout, /~ attention attention \(Attention budget\) changed\n/);
  assert.match(plan.stdout, / {4}At most 4 emails a day become at most 2; what is over it is rolled up at 18:00\n/);
  assert.match(plan.stdout, /! attention attention was changed: this plan reverts it/);
  assert.equal((await terminal.run("apply", ...dir)).code, 0);
  assert.deepEqual(await budgets(), [stored(2, { rollUpAt: "18:00" })]);
  assert.equal((await terminal.run("plan", ...dir)).code, 0);

  const { fingerprint, resources } = (await client("files.export")).body;
  const others = resources.workflows!.filter(({ workflowId }) => workflowId !== "roll-up");
  const pruned = await client("files.plan", { body: { resources: { workflows: others }, prune: true } });
  assert.deepEqual(pruned.body.kept, [
    { type: "workflow", id: "roll-up", reason: "the attention budget sends roll-ups through it" },
  ]);
  const wrong = { resources: { attention: { budgets: [daily, daily] } }, expectedFingerprint: fingerprint };
  await assert.rejects(client("files.apply", { body: wrong }), ({ status, body }) => {
    assert.match(body.errors["resources.attention.budgets.1"].messages[0], /^resources\.attention\.budgets\.1 has/);
    return status === 422;
  });

  write("budgets: []\n");
  assert.match((await terminal.run("plan", ...dir)).stdout, /- attention .* deleted\n {4}There is no longer a limit/);
  assert.equal((await terminal.run("apply", ...dir)).code, 0);
  assert.deepEqual(await budgets(), []);
});

test("files with a budget create the workflow of roll-ups where it is missing, and say so", async () => {
  const { production } = service;
  const wanted = { resources: { attention: { budgets: [daily] } } };
  const { body: plan } = await production("files.plan", { body: wanted });
  assert.deepEqual(
    plan.changes.map(({ action, notes }) => [action, notes]),
    [["created", ["The workflow roll-up is created with its first template: pull it afterwards"]]],
  );
  const applied = await production("files.apply", { body: { ...wanted, expectedFingerprint: plan.fingerprint } });
  assert.equal(applied.status, 200);
  assert.ok(applied.body.fingerprints["workflow/roll-up"]);
  assert.equal((await production("attention.retrieve")).body.rollUpWorkflowId, "roll-up");
});
