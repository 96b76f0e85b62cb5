// Statistics of messages that the attention budget held, in the current hour and in counted ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttentionBudget } from "@tidings/contract";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { countHour } from "../../../src/store/installation/statistics.ts";

const { client, production, db } = await startTestService();
const statistics = async (query: object = {}, from = client) => (await from("statistics.list", { query })).body;
const budget = (more: Partial<AttentionBudget>): AttentionBudget => ({
  channel: "in_app",
  limit: 2,
  window: { amount: 1, unit: "day" },
  ...more,
});

const held: [AttentionBudget["overflow"], subscriberId: string, detail: string][] = [
  ["roll_up", "ada", "Over the attention budget, held for a roll-up"],
  ["drop", "grace", "Over the attention budget, not sent"],
  ["delay", "mary", "Over the attention budget, waits for a place"],
];

test("messages that were held are counted by workflow and channel, with their share of all", async () => {
  await createWorkflow(client, "news", [inApp({ body: "Text" })]);
  assert.equal((await statistics()).totals.held, undefined);
  for (const [overflow, subscriberId, detail] of held) {
    await client("attention.update", { body: { budgets: [budget({ overflow })] } });
    for (let count = 0; count < 2; count++) await settled(client, await trigger(client, "news", subscriberId));
    const over = await trigger(client, "news", subscriberId);
    await eventually(async () => {
      const [notification] = await notificationsOf(client, over);
      return notification && detailsOf(notification, "in_app").at(-1) === detail;
    }, detail);
  }
  // The roll-up waits for a place as well, and does not count.
  await eventually(async () => {
    const { body } = await client("notifications.list", { query: { templates: [await workflowId("roll-up")] } });
    return JSON.stringify(body.data).includes("waits for a place");
  }, "the roll-up");
  const expected = { rolledUp: 1, dropped: 1, delayed: 1, share: 3 / 8 };
  const check = async () => {
    const { totals, breakdown } = await statistics({ breakdown: true });
    assert.deepEqual([totals.sent, totals.held], [6, expected]);
    // A step that waits was not skipped.
    assert.deepEqual(totals.skipped, { attention_rolled_up: 1, attention_dropped: 1 });
    assert.deepEqual(breakdown!.channels.find(({ channel }) => channel === "in_app")!.held, expected);
    const workflows = breakdown!.workflows.map((one) => [one.workflowId, one.held]);
    assert.deepEqual(Object.fromEntries(workflows).news, expected);
    assert.equal(Object.fromEntries(workflows)["roll-up"], undefined);
  };
  await check();
  await countHour(db, new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000), true, new Date());
  await check();
  assert.equal((await statistics({}, production)).totals.held, undefined);
});

const workflowId = async (identifier: string): Promise<string> =>
  (await client("workflows.retrieve", { params: { workflowId: identifier } })).body._id;
