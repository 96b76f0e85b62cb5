// What happens around a broadcast while it runs, on a test clock: time zones, people who come and go, an integration
// that is switched off, a workflow that is edited or deleted, and the webhooks that tell of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Broadcast } from "@tidings/contract";
import { newStage, type Stage } from "@tidings/testkit/clock";
import { isSignedWith, startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, messagesOf } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { createDraft, createList, idsOf, retrieveBroadcast, sendBroadcast } from "./lists.ts";

const receiver = await startReceiver();
const service = await shareService();
const start = "2027-03-01T00:00:00.000Z";

/** A stage, and a broadcast that was sent in it. */
async function sendOn(stage: Stage, body: object): Promise<{ id: string; now: () => Promise<Broadcast> }> {
  const { _id: id } = await createDraft(stage.client, body);
  await sendBroadcast(stage.client, id);
  return { id, now: () => retrieveBroadcast(stage.client, id) };
}

/** One person in ten seconds. */
const slow = { perMinute: 6 };

test("at nine o'clock in each person's time zone; people without one have that of the broadcast", async () => {
  const stage = await newStage(service, start);
  const { client } = stage;
  await createWorkflow(client, "news", [inApp({ body: "News" })]);
  const zones: Record<string, string | null> = {
    kiwi: "Pacific/Auckland",
    tokyo: null,
    berlin: "Europe/Berlin",
    angeles: "America/Los_Angeles",
  };
  const people = Object.entries(zones).map(([subscriberId, timezone]) => ({
    subscriberId,
    ...(timezone !== null && { timezone }),
  }));
  await client("subscribers.createBulk", { body: { subscribers: people } });
  const { id, now } = await sendOn(stage, {
    content: { workflowId: "news" },
    audience: { include: [], everyone: true },
    time: { kind: "local", date: "2027-03-02", localTime: "09:00", timezone: "Asia/Tokyo" },
  });
  const sentAt = async () => {
    const messages = await messagesOf(client, (await now()).transactionId!);
    return Object.fromEntries(messages.map(({ subscriber, createdAt }) => [subscriber!.subscriberId, createdAt]));
  };
  await stage.moveTo("2027-03-01T18:30:00.000Z");
  assert.deepEqual([(await now()).status, await sentAt()], ["scheduled", {}]);
  await stage.moveTo("2027-03-01T19:30:00.000Z");
  const fixed = await now();
  assert.deepEqual([fixed.status, fixed.progress.people, fixed.progress.started], ["running", 4, 0]);
  assert.equal(fixed.progress.nextAt, "2027-03-01T20:00:00.000Z");
  assert.equal(fixed.progress.lastAt, "2027-03-02T17:00:00.000Z");
  // Joins and moves that come later change nothing.
  await client("subscribers.create", { body: { subscriberId: "late", timezone: "Europe/Berlin" } });
  await client("subscribers.update", { params: { subscriberId: "angeles" }, body: { timezone: "Europe/Berlin" } });
  await stage.moveTo("2027-03-02T18:00:00.000Z");
  assert.deepEqual(await sentAt(), {
    kiwi: "2027-03-01T20:00:00.000Z",
    tokyo: "2027-03-02T00:00:00.000Z",
    berlin: "2027-03-02T08:00:00.000Z",
    angeles: "2027-03-02T17:00:00.000Z",
  });
  const { status, progress } = await retrieveBroadcast(client, id);
  assert.deepEqual([status, progress.started, progress.nextAt], ["completed", 4, null]);
});

test("an integration that is switched off pauses it, with the reason; nobody is lost; webhooks tell of all", async () => {
  const stage = await newStage(service, start);
  const { client } = stage;
  const eventTypes = ["broadcast.started", "broadcast.paused", "broadcast.completed"] as const;
  const webhook = (
    await client("webhooks.create", { body: { url: `${receiver.url}/told`, eventTypes: [...eventTypes] } })
  ).body;
  await createWorkflow(client, "mail", [email()]);
  await createList(client, "crowd", idsOf("crowd", 4), (n) => ({ email: `crowd${n}@example.com` }));
  const content = { workflowId: "mail" };
  const { id, now } = await sendOn(stage, { content, audience: { include: ["crowd"] }, pace: slow });
  const params = { broadcastId: id };
  await stage.advance(11, "seconds");
  assert.equal((await now()).progress.started, 2);
  const mail = (await client("integrations.list")).body.find(({ channel, active }) => channel === "email" && active)!;
  const switchMail = (active: boolean) =>
    client("integrations.update", { params: { integrationId: mail._id! }, body: { active } });
  await switchMail(false);
  await stage.advance(1, "minutes");
  const paused = await now();
  assert.deepEqual([paused.status, paused.progress.started], ["paused", 2]);
  assert.match(paused.failure!, /no email integration is active\. Switch one on, then resume the broadcast/);
  // Resumed too early, it is paused again before anyone is started.
  await client("broadcasts.resume", { params });
  await stage.advance(1, "minutes");
  assert.deepEqual([(await now()).status, (await now()).progress.started], ["paused", 2]);
  await switchMail(true);
  const resumed = (await client("broadcasts.resume", { params })).body;
  assert.deepEqual([resumed.status, resumed.failure], ["running", null]);
  await stage.advance(1, "minutes");
  const done = await now();
  assert.deepEqual([done.status, done.progress.started, done.progress.gone], ["completed", 4, 0]);
  const messages = await messagesOf(client, done.transactionId!);
  assert.deepEqual(messages.map(({ subscriber }) => subscriber!.subscriberId).sort(), idsOf("crowd", 4));

  const told = await eventually(async () => {
    const all = receiver.of("/told");
    return all.length >= 4 ? all : null;
  }, "the webhooks");
  assert.ok(told.every((one) => isSignedWith(webhook.secret, one)));
  const seen = told.map(({ event }) => {
    const object = (event.data as { object: Broadcast }).object;
    assert.equal(object._id, id);
    return `${event.type}: ${object.status}, ${object.failure?.slice(0, 14) ?? "no failure"}`;
  });
  assert.deepEqual(seen.sort(), [
    "broadcast.completed: completed, no failure",
    "broadcast.paused: paused, Paused because",
    "broadcast.paused: paused, Paused because",
    "broadcast.started: running, no failure",
  ]);
});

test("people, the rule and the workflow are those of the start: edits, joins and deletions come too late", async () => {
  const stage = await newStage(service, start);
  const { client } = stage;
  await createWorkflow(client, "news", [inApp({ body: "first" })]);
  const pro = (subscriberId: string) => ({ subscriberId, data: { plan: "pro" } });
  await client("subscribers.createBulk", { body: { subscribers: idsOf("pro", 4).map(pro) } });
  await client("subscribers.create", { body: { subscriberId: "free" } });
  const rule = (plan: string) => ({ "==": [{ var: "subscriber.data.plan" }, plan] });
  await client("audiences.create", { body: { audienceId: "pros", name: "Pros", rule: rule("pro") } });
  const { now } = await sendOn(stage, {
    content: { workflowId: "news" },
    audience: { include: ["pros"] },
    pace: slow,
  });
  await stage.advance(1, "seconds");
  assert.equal((await now()).progress.started, 1);
  const update = { name: "news", origin: "svc-cloud", preferences: {}, steps: [inApp({ body: "second" })] };
  await client("workflows.update", { params: { workflowId: "news" }, body: update } as never);
  await client("audiences.update", { params: { audienceId: "pros" }, body: { rule: rule("gold") } });
  await client("subscribers.create", { body: pro("late") });
  const waiting = (await messagesOf(client, (await now()).transactionId!)).map(
    ({ subscriber }) => subscriber!.subscriberId,
  );
  const [gone, left] = idsOf("pro", 4).filter((id) => !waiting.includes(id));
  await client("subscribers.delete", { params: { subscriberId: gone! } });
  await client("subscribers.update", { params: { subscriberId: left! }, body: { data: { plan: "free" } } });
  await stage.advance(1, "minutes");
  const { status, progress, transactionId } = await now();
  assert.deepEqual([status, progress.people, progress.started, progress.gone], ["completed", 4, 3, 1]);
  const messages = await messagesOf(client, transactionId!);
  assert.deepEqual(
    messages.map(({ subscriber, content }) => [subscriber!.subscriberId, content]).sort(),
    idsOf("pro", 4)
      .filter((id) => id !== gone)
      .map((id) => [id, "first"]),
  );
});

test("people who leave before it starts do not get it, those who join do", async () => {
  const stage = await newStage(service, start);
  const { client } = stage;
  await createWorkflow(client, "news", [inApp({ body: "News" })]);
  await createList(client, "list", ["stays", "leaves"]);
  const time = { kind: "at", at: "2027-03-01T06:00:00.000Z" };
  const { now } = await sendOn(stage, { content: { workflowId: "news" }, audience: { include: ["list"] }, time });
  await createList(client, "other", ["joins"]);
  const change = { params: { audienceId: "list" } };
  await client("audiences.removeMembers", { ...change, body: { subscriberIds: ["leaves"] } });
  await client("audiences.addMembers", { ...change, body: { subscriberIds: ["joins"] } });
  await stage.moveTo("2027-03-01T06:00:01.000Z");
  const messages = await messagesOf(client, (await now()).transactionId!);
  assert.deepEqual(messages.map(({ subscriber }) => subscriber!.subscriberId).sort(), ["joins", "stays"]);
});

test("an audience that is empty when it starts completes it at once, and a pause before the start holds it", async () => {
  const stage = await newStage(service, start);
  const { client } = stage;
  await createWorkflow(client, "news", [inApp({ body: "News" })]);
  await createList(client, "empty", []);
  await createList(client, "one", ["one0"]);
  const empty = await sendOn(stage, { content: { workflowId: "news" }, audience: { include: ["empty"] } });
  await stage.advance(1, "seconds");
  const { status, progress } = await empty.now();
  assert.deepEqual([status, progress.people, progress.started], ["completed", 0, 0]);

  const time = { kind: "at", at: "2027-03-01T06:00:00.000Z" };
  const held = await sendOn(stage, { content: { workflowId: "news" }, audience: { include: ["one"] }, time });
  await client("broadcasts.pause", { params: { broadcastId: held.id } });
  await stage.moveTo("2027-03-01T07:00:00.000Z");
  assert.deepEqual([(await held.now()).status, (await held.now()).progress.people], ["paused", null]);
  assert.equal((await client("broadcasts.resume", { params: { broadcastId: held.id } })).body.status, "scheduled");
  await stage.advance(1, "seconds");
  assert.deepEqual([(await held.now()).status, (await held.now()).progress.started], ["completed", 1]);
});

test("a workflow that is deleted while it runs: people who have not had it do not get it, and are counted", async () => {
  const stage = await newStage(service, start);
  const { client } = stage;
  await createWorkflow(client, "news", [inApp({ body: "News" })]);
  await createList(client, "crowd", idsOf("crowd", 3));
  const { id, now } = await sendOn(stage, {
    content: { workflowId: "news" },
    audience: { include: ["crowd"] },
    pace: slow,
  });
  await stage.advance(1, "seconds");
  assert.equal((await now()).progress.started, 1);
  await client("workflows.delete", { params: { workflowId: "news" } });
  await stage.advance(1, "minutes");
  const { status, transactionId } = await now();
  assert.equal(status, "completed");
  assert.equal((await messagesOf(client, transactionId!)).length, 1);
  const { outcomes } = (await client("broadcasts.retrieveResults", { params: { broadcastId: id } })).body;
  assert.deepEqual([outcomes.sent, outcomes.failed], [1, 0]);
  const [event] = (await client("activity.listEvents", { query: {} })).body.data;
  assert.equal(event!.verdict, "3 recipients: 1 delivered, 2 canceled.");
});

test("its event is not shown as a test, and its runs are in progress in their workflow", async () => {
  const stage = await newStage(service, start);
  const { client } = stage;
  const wait = { name: "wait", type: "delay" as const, controlValues: { type: "regular", amount: 1, unit: "hours" } };
  await createWorkflow(client, "news", [wait, inApp({ body: "News" })]);
  await createList(client, "crowd", idsOf("crowd", 3));
  const contents = [{ workflowId: "news" }, { steps: [wait, inApp({ body: "News" })] }];
  for (const content of contents) {
    const { now } = await sendOn(stage, { content, audience: { include: ["crowd"] } });
    await stage.advance(1, "seconds");
    const { transactionId } = await now();
    const [event] = (await client("activity.listEvents", { query: { transactionId: transactionId! } })).body.data;
    assert.equal(event!.isTest, undefined);
    const params = { workflowId: event!.workflow.workflowId };
    const { data } = (await client("workflows.retrieveInFlight", { params })).body;
    assert.deepEqual(
      data.map(({ step, wait: kind, count }) => [step.name, kind, count]),
      [["wait", "delay", 3]],
    );
  }
});
