// The attention budget moves with the rest: compared, published with the workflow of roll-ups, deleted by name, undone.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttentionBudget } from "@tidings/contract";
import { shareService } from "@tidings/testkit/service";

const { client, production } = await shareService();
await client("workflows.delete", { params: { workflowId: "welcome" } });

const params = { targetEnvironmentId: "production" };
const diff = async () => (await production("environments.diff", { params, body: {} })).body.resources;
const publish = async (body: object = {}) => (await production("environments.publish", { params, body })).body;
const only = (resourceType: string, resourceId: string) => ({ resources: [{ resourceType, resourceId }] });
const attention = only("attention", "attention");
const budget = (limit: number, more: Partial<AttentionBudget> = {}): AttentionBudget => ({
  channel: "email",
  limit,
  window: { amount: 1, unit: "day" },
  ...more,
});
const set = (...budgets: AttentionBudget[]) => client("attention.update", { body: { budgets } });
const limits = async () => (await production("attention.retrieve")).body.budgets.map(({ limit }) => limit);
const undo = async (publishId: string, overwriteChanges = false) => {
  const history = { environmentId: "production", publishId };
  const { resources } = (await production("environments.planRestore", { params: history })).body;
  await production("environments.restorePublish", { params: history, body: { overwriteChanges } });
  return resources.map((one) => [one.resourceType, one.action, one.changedSince !== null]);
};

test("a budget is published with the workflow that it needs, and undone", async () => {
  await set(budget(3), budget(1, { channel: "sms", overflow: "drop" }));
  assert.deepEqual(
    (await diff()).map(({ resourceType, sentences }) => [resourceType, sentences?.slice(0, 2)]),
    [
      [
        "attention",
        ["At most 3 emails a day; what is over it is rolled up", "At most 1 SMS a day; what is over it is dropped"],
      ],
      ["workflow", ["The workflow is added: In-app, Email, SMS, Push, Chat"]],
    ],
  );
  const dry = await publish({ ...attention, dryRun: true });
  assert.deepEqual(
    dry.results.flatMap(({ skipped }) => skipped.map((one) => [one.resourceId, one.reason])),
    [
      ["roll-up", "Dry run: would be created"],
      ["attention", "Dry run: would be created"],
    ],
  );
  const first = await publish(attention);
  assert.equal(first.summary.successful, 2);
  assert.deepEqual(await limits(), [3, 1]);
  assert.deepEqual(await diff(), []);

  await set(budget(2, { rollUpAt: "18:00" }));
  const sentences = [
    "At most 3 emails a day become at most 2; what is over it is rolled up at 18:00",
    "There is no longer a limit of 1 SMS a day",
  ];
  assert.deepEqual((await diff())[0]!.sentences, sentences);
  const { publishId } = await publish();
  assert.deepEqual(await limits(), [2]);
  const history = { environmentId: "production", publishId: publishId! };
  const { resources } = (await production("environments.retrievePublish", { params: history })).body;
  assert.deepEqual(
    resources.map((one) => [one.resourceId, one.action, one.sentences]),
    [["attention", "updated", sentences]],
  );
  await production("attention.update", { body: { budgets: [budget(9)] } });
  assert.deepEqual(await undo(publishId!, true), [["attention", "restored", true]]);
  assert.deepEqual(await limits(), [3, 1]);
  assert.deepEqual(await undo(first.publishId!), [
    ["workflow", "deleted", false],
    ["attention", "deleted", false],
  ]);
  assert.deepEqual(await limits(), []);
});

test("the workflow of roll-ups stays in the target as long as a budget rolls up; the budget is deleted by name", async () => {
  await publish(attention);
  await client("attention.update", { body: { budgets: [] } });
  await client("workflows.delete", { params: { workflowId: "roll-up" } });
  const { results } = await publish(only("workflow", "roll-up"));
  assert.equal(results[0]!.failed[0]!.error, "The attention budget sends roll-ups through it");
  assert.equal((await publish()).summary.successful, 0, "what only the target has is kept");
  const both = { resources: [...attention.resources, ...only("workflow", "roll-up").resources] };
  assert.equal((await publish(both)).summary.successful, 2);
  assert.deepEqual(await limits(), []);
  assert.equal((await production("attention.retrieve")).body.rollUpWorkflowId, null);
});
