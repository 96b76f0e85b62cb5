// A person's own limit, set over the interface, in the engine: it holds what the budget alone would let through.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newStage, transcriptOf } from "@tidings/testkit/clock";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp, trigger } from "@tidings/testkit/verbs";

const service = await shareService();

test("messages over a person's own limit are held, others get them all, and without the limit so do they", async () => {
  const stage = await newStage(service, "2026-03-27T09:00:00.000Z");
  const { client } = stage;
  const window = { amount: 1, unit: "day" } as const;
  await client("attention.update", { body: { budgets: [{ channel: "in_app", limit: 5, window, overflow: "delay" }] } });
  await createWorkflow(client, "order", [inApp({ subject: "{{ payload.n }}", body: "Sent" })]);
  await createWorkflow(client, "code", [inApp({ subject: "{{ payload.n }}", body: "123" })], {
    messageClass: "critical",
  });
  for (const subscriberId of ["ada", "grace"]) await client("subscribers.create", { body: { subscriberId } });
  const choose = (in_app: { limit: number; unit: "day" } | null) =>
    client("subscribers.updateAttention", { params: { subscriberId: "ada" }, body: { channels: { in_app } } });
  const sent = async () =>
    (await transcriptOf(stage))
      .map((line) => line.split(" | "))
      .map(([at, who, , subject]) => `${at} ${who} ${subject}`);

  await choose({ limit: 1, unit: "day" });
  await trigger(client, "order", ["ada", "grace"], { n: 1 });
  await stage.advance(1, "hours");
  const second = await trigger(client, "order", ["ada", "grace"], { n: 2 });
  await trigger(client, "code", "ada", { n: 3 });
  await stage.advance(1, "minutes");
  assert.deepEqual((await sent()).sort(), [
    "2026-03-27T09:00:00.000Z ada 1",
    "2026-03-27T09:00:00.000Z grace 1",
    "2026-03-27T10:00:00.000Z ada 3",
    "2026-03-27T10:00:00.000Z grace 2",
  ]);
  const explained = await client("explain.retrieve", { query: { transactionId: second, subscriberId: "ada" } });
  assert.match(JSON.stringify(explained.body), /ada wants at most 1 in-app message a day/);
  await stage.moveTo("2026-03-28T12:00:00.000Z");
  assert.ok((await sent()).includes("2026-03-28T09:00:00.000Z ada 2"), "when a place is free");

  await choose(null);
  await trigger(client, "order", "ada", { n: 4 });
  await stage.advance(1, "minutes");
  assert.ok((await sent()).includes("2026-03-28T12:00:00.000Z ada 4"), "at once");
});
