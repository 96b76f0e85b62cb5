// Events for topics: who is reached, once, and through which subscriptions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, notificationsOf } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const { client, production, db, logs } = await startTestService();

const topic = (topicKey: string, exclude?: string[]) => ({ type: "Topic", topicKey, exclude });
const subscribe = async (topicKey: string, subscriptions: unknown[], more: object = {}) => {
  const body = { subscriptions, ...more } as never;
  const made = (await client("topicSubscriptions.create", { params: { topicKey }, body })).body;
  assert.equal(made.meta.failed, 0, JSON.stringify(made.errors));
  return made.data;
};

/** Triggers, waits until all topics were walked, and returns who was reached and through which topics. */
async function reach(to: unknown, more: Record<string, unknown> = {}) {
  const answer = await client.raw("events.trigger", { body: { name: "news", to, ...more } });
  const result = answer.body as { status: string; transactionId: string; error?: string[] };
  assert.equal(result.status, "processed", JSON.stringify(answer.body));
  await eventually(async () => {
    const { rows } = await sql`select 1 from events
      where transaction_id = ${result.transactionId} and expanded_at is not null`.execute(db);
    return rows.length > 0;
  }, "the end of the audience");
  const notifications = await notificationsOf(client, result.transactionId);
  const entries = notifications.map(({ subscriber, topics }) => [
    subscriber!.subscriberId,
    topics!.map(({ topicKey }) => topicKey).join(),
  ]);
  return { ...result, reached: Object.fromEntries(entries.sort()), count: entries.length };
}

before(async () => {
  await createWorkflow(client, "news", [inApp({ body: "{{ payload.text }}" })], { tags: ["press"] });
  const subscribers = ["ada", "bob", "cleo", "dan", "eve"].map((subscriberId) => ({
    subscriberId,
    data: { vip: subscriberId === "ada" },
  }));
  await client("subscribers.createBulk", { body: { subscribers } });
  await subscribe("sport", ["ada", "bob", "cleo"]);
  await subscribe("music", ["bob", "cleo", "dan"]);
});

test("everyone in the topic, alone, in a list, and beside people named directly", async () => {
  const alone = await reach(topic("sport"), { payload: { text: "goal" } });
  assert.deepEqual(alone.reached, { ada: "sport", bob: "sport", cleo: "sport" });
  assert.equal((await feedOf(client, "ada"))[0]!.content, "goal");
  const both = await reach([topic("music"), topic("sport")]);
  assert.deepEqual(both.reached, { ada: "sport", bob: "music,sport", cleo: "music,sport", dan: "music" });
  assert.equal(both.count, 4);
  // Subscribers named directly come through no topic, and new ones are created as usual.
  const mixed = await reach(["bob", topic("sport"), { subscriberId: "fay", firstName: "Fay" }, topic(" sport ")]);
  assert.deepEqual(mixed.reached, { ada: "sport", bob: "", cleo: "sport", fay: "" });
  assert.equal(mixed.count, 4);
});

test("direct recipients come before the topic's", async () => {
  const { transactionId } = await reach([topic("sport"), "eve"]);
  const newestFirst = await notificationsOf(client, transactionId);
  assert.equal(newestFirst.at(-1)!.subscriber!.subscriberId, "eve");
});

test("without every exclude of the event", async () => {
  const result = await reach([topic("sport", ["ada", " bob ", "nobody"]), topic("music", ["dan"])]);
  assert.deepEqual(result.reached, { cleo: "sport,music" });
  // Excluding is about topics: who is named directly receives.
  assert.deepEqual((await reach(["ada", topic("sport", ["ada", "bob"])])).reached, { ada: "", cleo: "sport" });
  assert.deepEqual((await reach(topic("sport", ["ada", "bob", "cleo"]))).reached, {});
});

test("without the actor, unless it is named directly", async () => {
  assert.deepEqual((await reach(topic("sport"), { actor: "ada" })).reached, { bob: "sport", cleo: "sport" });
  const named = await reach([topic("sport"), "ada"], { actor: { subscriberId: "ada" } });
  assert.deepEqual(named.reached, { ada: "", bob: "sport", cleo: "sport" });
});

test("a topic that does not exist adds nobody and is logged", async () => {
  assert.deepEqual((await reach(topic("ghost"))).reached, {});
  assert.deepEqual((await reach(["eve", topic("ghost"), topic("sport", ["ada", "bob"])])).reached, {
    cleo: "sport",
    eve: "",
  });
  const warnings = logs.filter(({ level, msg }) => level === 40 && msg === "event for topics that do not exist");
  assert.ok(warnings.length >= 2);
  assert.deepEqual(warnings[0]!.topicKeys, ["ghost"]);
});

test("topics of another environment are not seen", async () => {
  await production("subscribers.create", { body: { subscriberId: "far" } });
  await production("topicSubscriptions.create", { params: { topicKey: "sport" }, body: { subscriptions: ["far"] } });
  assert.equal((await reach(topic("sport"))).count, 3);
});

test("malformed topics are rejected by name and hold nobody up", async () => {
  const bad: [entry: unknown, id: string, reason: string][] = [
    [{ type: "Topic" }, "", "topicKey is required"],
    [{ topicKey: "sport" }, "sport", "type is required"],
    [{ type: "topic", topicKey: "sport" }, "sport", "type must be one of: Topic"],
    [topic(""), "", "topicKey must not be empty"],
    [topic("with space"), "with space", "topicKey has an invalid format"],
    [topic("x".repeat(101)), "x".repeat(101), "topicKey must not be longer than 100 characters"],
    [{ type: "Topic", topicKey: 7 }, "", "topicKey must be a string"],
    [{ ...topic("sport"), exclude: "ada" }, "sport", "exclude must be an array"],
    [{ ...topic("sport"), exclude: [1] }, "sport", "exclude.0 must be a string"],
  ];
  const expected = bad.map(([, id, reason]) => `Recipient '${id}' is not valid: ${reason}`);
  const result = await reach([...bad.map(([entry]) => entry), topic("music")]);
  assert.deepEqual(result.reached, { bob: "music", cleo: "music", dan: "music" });
  assert.deepEqual(result.error, expected);
  // A topic counts as a valid recipient; without any the event is refused.
  const to = bad.map(([entry]) => entry);
  const { status, body } = await client.raw("events.trigger", { body: { name: "news", to } });
  const refused = body as { status: string; error: string[] };
  assert.deepEqual([status, refused.status, refused.error], [201, "invalid_recipients", expected]);
  const wrong = await client.raw("events.trigger", { body: { name: "news", to: { subscriberId: 5 } } });
  assert.deepEqual([wrong.status, Object.keys((wrong.body as { errors: object }).errors)], [422, ["to.subscriberId"]]);
});

test("rules decide, and conditions see payload, subscriber and workflow", async () => {
  const condition = (rule: object) => ({ preferences: [{ workflowId: "news", condition: rule }] });
  await subscribe("ruled", ["ada"], condition({ "==": [{ var: "payload.size" }, "big"] }));
  await subscribe("ruled", ["bob"], condition({ "==": [{ var: "subscriber.data.vip" }, true] }));
  await subscribe("ruled", ["cleo"], condition({ in: ["press", { var: "workflow.tags" }] }));
  await subscribe("ruled", ["dan"], { preferences: [{ workflowId: "news", enabled: false }] });
  await subscribe("ruled", ["eve"], { preferences: [{ workflowId: "another", enabled: false }] });
  const all = await reach(topic("ruled"), { payload: { size: "big" } });
  assert.deepEqual(all.reached, { ada: "ruled", cleo: "ruled", eve: "ruled" });
  const small = await reach(topic("ruled"), { payload: { size: "small" } });
  assert.deepEqual(small.reached, { cleo: "ruled", eve: "ruled" });
  // A subscription is not asked about who is named directly.
  assert.equal((await reach(["dan", topic("ruled")])).reached.dan, "");
});

test("several subscriptions of one person: one notification, with the topics whose rules passed", async () => {
  const off = { preferences: [{ filter: {}, enabled: false }] };
  await subscribe("twice", [
    { subscriberId: "ada", identifier: "one" },
    { subscriberId: "ada", identifier: "two" },
  ]);
  await subscribe("twice", [{ subscriberId: "bob", identifier: "closed" }], off);
  await subscribe("twice", [{ subscriberId: "bob", identifier: "open" }]);
  await subscribe("closed", ["ada", "bob", "cleo"], off);
  const result = await reach([topic("closed"), topic("twice")]);
  assert.deepEqual(result.reached, { ada: "twice", bob: "twice" });
  assert.equal(result.count, 2);
});

test("critical workflows obey the rules too", async () => {
  const all = { enabled: true, readOnly: true };
  await createWorkflow(client, "alarm", [inApp()], { preferences: { user: { all }, workflow: { all } } as never });
  await subscribe("alarms", ["ada", "bob"]);
  await subscribe("alarms-off", ["cleo"], { preferences: [{ workflowId: "alarm", enabled: false }] });
  const result = await reach([topic("alarms"), topic("alarms-off")], { name: "alarm" });
  assert.deepEqual(result.reached, { ada: "alarms", bob: "alarms" });
});

test("a bulk request takes topics", async () => {
  const events = [{ name: "news", to: [topic("sport")], transactionId: "in-bulk" }] as never;
  const [item] = (await client("events.triggerBulk", { body: { events } })).body;
  assert.equal(item!.status, "processed");
  await eventually(async () => (await notificationsOf(client, "in-bulk")).length === 3, "the topic's members");
});
