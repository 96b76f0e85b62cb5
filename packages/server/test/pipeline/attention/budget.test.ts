// Attention budgets over the interface, on a test clock: what is rolled up, delayed and dropped, and why.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttentionBudget } from "@tidings/contract";
import { newStage, type Stage, transcriptOf } from "@tidings/testkit/clock";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, inApp, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const service = await shareService();

const aDay = { amount: 1, unit: "day" } as const;
const oneADay: AttentionBudget = { channel: "in_app", limit: 1, window: aDay };

async function stageWith(budgets: AttentionBudget[]): Promise<Stage> {
  const stage = await newStage(service, "2026-03-27T09:00:00.000Z");
  await stage.client("attention.update", { body: { budgets } });
  await createWorkflow(
    stage.client,
    "news",
    [inApp({ subject: "News {{ payload.n }}", body: "Text {{ payload.n }}" })],
    {
      messageClass: "promotional",
    },
  );
  await createWorkflow(stage.client, "order", [inApp({ subject: "Order {{ payload.n }}", body: "Sent" })]);
  await createWorkflow(stage.client, "code", [inApp({ subject: "Code {{ payload.n }}", body: "123" })], {
    messageClass: "critical",
  });
  return stage;
}

const sentOf = async (stage: Stage): Promise<string[]> =>
  (await transcriptOf(stage)).map((line) =>
    line
      .split(" | ")
      .filter((_, index) => index === 0 || index === 3)
      .join(" "),
  );

test("what is over the budget becomes one message when a place is free", async () => {
  const stage = await stageWith([oneADay]);
  const { client } = stage;
  await settled(client, await trigger(client, "news", "ada", { n: 1 }));
  const second = await trigger(client, "news", "ada", { n: 2 });
  await stage.advance(1, "hours");
  await trigger(client, "order", "ada", { n: 3 });
  await settled(client, await trigger(client, "code", "ada", { n: 4 }));
  await settled(client, await trigger(client, "news", "grace", { n: 5 }));
  await stage.moveTo("2026-03-28T08:59:59.000Z");
  assert.equal((await sentOf(stage)).length, 3);
  const [held] = await notificationsOf(client, second);
  assert.equal(detailsOf(held!, "in_app").at(-1), "Over the attention budget, held for a roll-up");
  await stage.moveTo("2026-03-28T10:00:00.000Z");
  assert.deepEqual(await sentOf(stage), [
    "2026-03-27T09:00:00.000Z News 1",
    "2026-03-27T10:00:00.000Z Code 4",
    "2026-03-27T10:00:00.000Z News 5",
    "2026-03-28T09:00:00.000Z 2 updates for you",
  ]);
  const { body } = await client("explain.retrieve", { query: { transactionId: second, subscriberId: "ada" } });
  assert.match(
    JSON.stringify(body),
    /the attention budget allows 1 in-app message a day, so it becomes an item of a roll-up/,
  );
});

test("a budget that delays sends transactional messages first, then older ones", async () => {
  const stage = await stageWith([{ ...oneADay, overflow: "delay" }]);
  const { client } = stage;
  for (const [name, n] of [
    ["news", 1],
    ["news", 2],
    ["news", 3],
    ["order", 4],
  ] as const) {
    await trigger(client, name, "ada", { n });
    await stage.advance(1, "minutes");
  }
  await stage.moveTo("2026-03-30T12:00:00.000Z");
  assert.deepEqual(await sentOf(stage), [
    "2026-03-27T09:00:00.000Z News 1",
    "2026-03-28T09:00:00.000Z Order 4",
    "2026-03-29T09:00:00.000Z News 2",
    "2026-03-30T09:00:00.000Z News 3",
  ]);
});

test("a budget that drops says so", async () => {
  const stage = await stageWith([{ ...oneADay, limit: 2, overflow: "drop" }]);
  const { client } = stage;
  const ids = [];
  for (const n of [1, 2, 3]) ids.push(await trigger(client, "news", "ada", { n }));
  const [dropped] = await settled(client, ids[2]!);
  assert.equal(detailsOf(dropped!, "in_app").at(-1), "Over the attention budget, not sent");
  assert.equal((await sentOf(stage)).length, 2);
});

test("items that are canceled or taken back leave the roll-up; one without items is not sent", async () => {
  const stage = await stageWith([oneADay]);
  const { client } = stage;
  const ids = [];
  for (const n of [1, 2, 3]) ids.push(await trigger(client, "news", "ada", { n }));
  await settled(client, ids[2]!);
  assert.equal((await client("events.cancel", { params: { transactionId: ids[1]! } })).body, true);
  const body = { transactionId: ids[2]!, reason: "sent by mistake" };
  const { _id } = (await client("retractions.create", { body })).body;
  await eventually(
    async () => (await client("retractions.retrieve", { params: { retractionId: _id } })).body.status === "completed",
    "the retraction to end",
  );
  await stage.advance(2, "days");
  assert.deepEqual(await sentOf(stage), ["2026-03-27T09:00:00.000Z News 1"]);
});

test("a roll-up that was canceled takes no more items", async () => {
  const stage = await stageWith([oneADay]);
  const { client } = stage;
  for (const n of [1, 2]) await trigger(client, "news", "ada", { n });
  const rollUp = await eventually(async () => {
    const { data } = (await client("notifications.list", { query: { limit: 10 } })).body;
    return data.find(({ template }) => template?.name === "Roll-up");
  }, "the roll-up to begin");
  const explained = await client("explain.retrieve", {
    query: { transactionId: rollUp.transactionId, subscriberId: "ada" },
  });
  assert.deepEqual(
    explained.body.rollUp!.map(({ title, workflowId }) => [title, workflowId]),
    [["News 2", "news"]],
  );
  await client("events.cancel", { params: { transactionId: rollUp.transactionId } });
  await trigger(client, "news", "ada", { n: 3 });
  await stage.advance(2, "days");
  assert.deepEqual(await sentOf(stage), [
    "2026-03-27T09:00:00.000Z News 1",
    "2026-03-28T09:00:00.000Z 1 update for you",
  ]);
});

test("the dry run says what would be held", async () => {
  const stage = await stageWith([oneADay]);
  const { client } = stage;
  await settled(client, await trigger(client, "news", "ada", { n: 1 }));
  const body = { name: "news", to: "ada", payload: { n: 2 } };
  const explained = JSON.stringify((await client("explain.dryRun", { body })).body);
  assert.match(explained, /would not be sent: the attention budget allows 1 in-app message a day/);
});
