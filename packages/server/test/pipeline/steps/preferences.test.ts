// Preferences are honoured when a step is about to run, whoever set them and however the event came in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newStage } from "@tidings/testkit/clock";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, email, feedOf, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const service = await shareService();
const { client } = service;

const subscriberOf = (id: string) => ({ subscriberId: id, email: `${id}@example.com` });
const choose = (subscriberId: string, channels: Record<string, boolean>, workflowId?: string) =>
  client("subscribers.updatePreferences", { params: { subscriberId }, body: { channels, workflowId } });

test("the level that said no is named, channel by channel, for each subscriber of a batch", async () => {
  await createWorkflow(client, "news", [inApp(), email()]);
  for (const id of ["free", "global", "exact", "mixed"]) await client("subscribers.create", { body: subscriberOf(id) });
  await choose("global", { email: false, in_app: false });
  await choose("exact", { in_app: false }, "news");
  await choose("mixed", { email: false, in_app: false });
  await choose("mixed", { email: true }, "news");

  const transactionId = await trigger(client, "news", ["free", "global", "exact", "mixed"]);
  const runs = new Map((await settled(client, transactionId)).map((run) => [run.subscriber!.subscriberId, run]));
  const last = (id: string, type: string) => detailsOf(runs.get(id)!, type).at(-1);
  const byGlobal = "Step filtered by subscriber global preferences";
  const byWorkflow = "Step filtered by subscriber workflow preferences";
  assert.equal(last("free", "in_app"), "Message sent");
  assert.equal(last("free", "email"), "Message sent");
  assert.equal(last("global", "in_app"), byGlobal);
  assert.equal(last("global", "email"), byGlobal);
  assert.equal(last("exact", "in_app"), byWorkflow);
  assert.equal(last("exact", "email"), "Message sent");
  assert.equal(last("mixed", "in_app"), byGlobal);
  assert.equal(last("mixed", "email"), "Message sent");
  assert.deepEqual(
    runs.get("global")!.jobs!.map((job) => job.status),
    ["skipped", "skipped"],
  );
  assert.equal((await messagesOf(client, transactionId)).length, 4);
});

test("a critical workflow does not ask the subscriber", async () => {
  await createWorkflow(client, "alarm", [inApp()], { preferences: { workflow: { all: { readOnly: true } } } });
  await trigger(client, "alarm", "global");
  await eventually(async () => (await feedOf(client, "global")).length === 1, "the alarm in the feed");
});

test("a choice made during a delay counts; delays themselves do not ask", async () => {
  await client("subscribers.create", { body: subscriberOf("late") });
  const delay = { name: "Wait", type: "delay" as const, controlValues: { amount: 1, unit: "seconds" } };
  await createWorkflow(client, "later", [delay, inApp()]);
  const transactionId = await trigger(client, "later", "late");
  await choose("late", { in_app: false }, "later");
  const [run] = await settled(client, transactionId);
  assert.deepEqual(
    run!.jobs!.map((job) => job.status),
    ["completed", "skipped"],
  );
  assert.equal((await feedOf(client, "late")).length, 0);
});

test("preferences, critical and outsideSchedule of the workflow count as they are when the step is about to run", async () => {
  const stage = await newStage(service, "2026-03-01T12:00:00.000Z");
  const wait = { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "hours" } } as const;
  const names = ["muted", "critical", "skipping"];
  for (const name of names) await createWorkflow(stage.client, name, [wait, email()]);
  await stage.client("subscribers.create", { body: { ...subscriberOf("ada"), timezone: "UTC" } });
  const monday = { isEnabled: true, hours: [{ start: "09:00 AM", end: "05:00 PM" }] };
  await stage.client("subscribers.updatePreferences", {
    params: { subscriberId: "ada" },
    body: { schedule: { isEnabled: true, weeklySchedule: { monday } } },
  });
  const ids = [];
  for (const name of names) ids.push(await trigger(stage.client, name, "ada"));
  await stage.advance(10, "minutes");
  const change = async (workflowId: string, settings: object) => {
    const { body } = await stage.client("workflows.retrieve", { params: { workflowId } });
    const { name, steps, origin } = body;
    await stage.client("workflows.update", {
      params: { workflowId },
      body: { name, steps, origin, active: true, ...settings } as never,
    });
  };
  await change("muted", { preferences: { workflow: { channels: { email: { enabled: false } } } } });
  await change("critical", { preferences: { workflow: { all: { enabled: true, readOnly: true } } } });
  await change("skipping", { outsideSchedule: "skip", preferences: { workflow: { all: { enabled: true } } } });
  await stage.advance(2, "hours");
  const last = await Promise.all(
    ids.map(async (id) => detailsOf((await settled(stage.client, id))[0]!, "email").at(-1)),
  );
  assert.deepEqual(last, [
    "Step filtered by workflow preferences",
    "Message sent",
    "Step skipped, outside the subscriber's schedule",
  ]);
});
