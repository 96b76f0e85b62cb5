// Notifications show the topics they came through, and are filtered by topic and by subscription.
import assert from "node:assert/strict";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const { client, production, db } = await startTestService();

type Query = { topicKey?: string; subscriptionId?: string; subscriberIds?: string[]; limit?: number; page?: number };
const found = async (query: Query) =>
  (await client("notifications.list", { query })).body.data.map(
    ({ subscriber, transactionId }) => `${transactionId} ${subscriber!.subscriberId}`,
  );
const topic = (topicKey: string) => ({ type: "Topic", topicKey });

let direct: string;
let single: string;
let both: string;
let subscriptionIds: Record<string, string>;

before(async () => {
  await createWorkflow(client, "news", [inApp()]);
  for (const subscriberId of ["ada", "bob"]) await client("subscribers.create", { body: { subscriberId } });
  const subscribe = async (topicKey: string, subscriptions: object[]) =>
    (await client("topicSubscriptions.create", { params: { topicKey }, body: { subscriptions } as never })).body.data;
  const made = [
    ...(await subscribe("sport", [
      { subscriberId: "ada", identifier: "ada-1" },
      { subscriberId: "ada", identifier: "ada-2" },
    ])),
    ...(await subscribe("music", [{ subscriberId: "ada", identifier: "ada-1" }, { subscriberId: "bob" }])),
  ];
  subscriptionIds = Object.fromEntries(made.map((one) => [`${one.topic.key} ${one.identifier}`, one._id]));
  direct = await trigger(client, "news", "ada");
  await settled(client, direct);
  single = await trigger(client, "news", topic("sport"));
  await settled(client, single);
  both = await trigger(client, "news", [topic("music"), topic("sport")]);
  await settled(client, both);
});

test("topics of a notification, in the order of the event, each once", async () => {
  const topicsOf = async (transactionId: string) => {
    const { data } = (await client("notifications.list", { query: { transactionId, subscriberIds: ["ada"] } })).body;
    const one = (await client("notifications.retrieve", { params: { notificationId: data[0]!._id! } })).body;
    assert.deepEqual(one.topics, data[0]!.topics);
    return one.topics;
  };
  const idOf = async (topicKey: string) => (await client("topics.retrieve", { params: { topicKey } })).body._id;
  const sport = { _topicId: await idOf("sport"), topicKey: "sport" };
  const music = { _topicId: await idOf("music"), topicKey: "music" };
  assert.deepEqual(await topicsOf(direct), []);
  assert.deepEqual(await topicsOf(single), [sport]);
  assert.deepEqual(await topicsOf(both), [music, sport]);
});

test("by topic key", async () => {
  assert.deepEqual(await found({ topicKey: "sport" }), [`${both} ada`, `${single} ada`]);
  assert.deepEqual((await found({ topicKey: "music" })).sort(), [`${both} ada`, `${both} bob`]);
  assert.deepEqual(await found({ topicKey: "music", subscriberIds: ["bob"] }), [`${both} bob`]);
  assert.deepEqual(await found({ topicKey: "sport", limit: 1, page: 1 }), [`${single} ada`]);
  for (const topicKey of ["spor", "SPORT", "none", '"', ""]) assert.deepEqual(await found({ topicKey }), [], topicKey);
});

test("by subscription: identifier or id", async () => {
  assert.deepEqual(await found({ subscriptionId: "ada-2" }), [`${both} ada`, `${single} ada`]);
  assert.deepEqual(await found({ subscriptionId: subscriptionIds["music ada-1"] }), [`${both} ada`]);
  assert.deepEqual(await found({ subscriptionId: "ada-1", topicKey: "music" }), [`${both} ada`]);
  assert.deepEqual(await found({ subscriptionId: "tk_music:si_bob" }), [`${both} bob`]);
  assert.deepEqual(await found({ subscriptionId: "nobody's" }), []);
});

test("another environment finds nothing", async () => {
  for (const query of [
    { topicKey: "sport" },
    { subscriptionId: "ada-2" },
    { subscriptionId: subscriptionIds["music ada-1"] },
  ]) {
    assert.deepEqual((await production("notifications.list", { query })).body.data, []);
  }
});

test("both filters can be answered from an index", async () => {
  const plan = await db.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    const { rows } = await sql<{ "QUERY PLAN": string }>`explain select id from notifications
      where subscriptions @> '[{"topicKey": "sport"}]'
        and (subscriptions @> '[{"id": "x"}]' or subscriptions @> '[{"identifier": "x"}]')`.execute(tx);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });
  assert.match(plan, /subscriptions/);
  assert.doesNotMatch(plan, /Seq Scan/);
});

test("topic and subscription are still shown after they were deleted", async () => {
  await client("topics.delete", { params: { topicKey: "sport" } });
  assert.deepEqual(await found({ topicKey: "sport" }), [`${both} ada`, `${single} ada`]);
  assert.deepEqual(await found({ subscriptionId: "ada-2" }), [`${both} ada`, `${single} ada`]);
});
