// Deleting many topic subscriptions at once: each entry is judged on its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";

const service = await shareService();
const { client, production } = service;

const subscribers = ["ada", "bob", "cleo", "dan"].map((subscriberId) => ({ subscriberId }));
await client("subscribers.createBulk", { body: { subscribers } });

const subscribe = async (topicKey: string, body: object) =>
  client("topicSubscriptions.create", { params: { topicKey }, body: body as never });
const unsubscribe = async (topicKey: string, body: object) =>
  client("topicSubscriptions.delete", { params: { topicKey }, body: body as never });
const countOf = async (topicKey: string) =>
  (await client("topicSubscriptions.list", { params: { topicKey } })).body.totalCount;

test("by subscriber, by identifier, by both; data holds every deleted subscription", async () => {
  const made = await subscribe("leave", {
    subscriptions: [
      "ada",
      { subscriberId: "ada", identifier: "a2" },
      "bob",
      { subscriberId: "bob", identifier: "b2" },
      "cleo",
    ],
    name: "Leave",
  });
  const { status, body } = await unsubscribe("leave", {
    subscriptions: ["ada", { subscriberId: "bob", identifier: "b2" }, { identifier: "tk_leave:si_cleo" }, "ada"],
  });
  assert.equal(status, 200);
  assert.deepEqual(body.meta, { totalCount: 4, successful: 4, failed: 0 });
  assert.equal(Object.hasOwn(body, "errors"), false);
  const { name, preferences, ...shown } = made.body.data[0]!;
  assert.deepEqual(body.data[0], shown);
  assert.deepEqual(body.data.map((one) => one.identifier).sort(), ["a2", "b2", "tk_leave:si_ada", "tk_leave:si_cleo"]);
  assert.equal(await countOf("leave"), 1);
});

test("failures stand beside successes, with exact codes and texts", async () => {
  await subscribe("leave-mixed", { subscriptions: ["ada", { subscriberId: "bob", identifier: "bobs" }] });
  const { status, body } = await unsubscribe("leave-mixed", {
    subscriptions: [
      "ghost",
      "dan",
      { identifier: "nope" },
      { subscriberId: "ada", identifier: "bobs" },
      {},
      { subscriberId: "ada" },
    ],
  });
  assert.equal(status, 200);
  assert.deepEqual(body.meta, { totalCount: 6, successful: 1, failed: 5 });
  const notFound = "SUBSCRIPTION_NOT_FOUND";
  assert.deepEqual(body.errors, [
    { subscriberId: "ghost", code: "SUBSCRIBER_NOT_FOUND", message: "Subscriber with ID 'ghost' could not be found" },
    { subscriberId: "dan", code: notFound, message: "Subscription of subscriber 'dan' not found" },
    { subscriberId: "unknown", code: notFound, message: "Subscription with identifier 'nope' not found" },
    { subscriberId: "ada", code: notFound, message: "Subscription with identifier 'bobs' not found" },
    { subscriberId: "unknown", code: "INVALID_REQUEST", message: "An entry needs subscriberId or identifier" },
  ]);
  assert.equal(await countOf("leave-mixed"), 1);
});

test("empty lists, the old field, and what is refused as a whole", async () => {
  await subscribe("leave-old", { subscriberIds: ["ada", "bob"] });
  assert.deepEqual((await unsubscribe("leave-old", {})).body, {
    data: [],
    meta: { totalCount: 0, successful: 0, failed: 0 },
  });
  assert.equal((await unsubscribe("leave-old", { subscriberIds: ["ada"] })).body.data.length, 1);
  await subscribe("leave-old", { subscriberIds: ["ada", "cleo", "dan"] });
  const both = await unsubscribe("leave-old", { subscriptions: ["bob", "ada"], subscriberIds: ["ada", "cleo"] });
  assert.deepEqual(both.body.meta, { totalCount: 3, successful: 3, failed: 0 });
  assert.equal(await countOf("leave-old"), 1);
  const remove = (topicKey: string, body: unknown) => ({ params: { topicKey }, body });
  const id = "topicSubscriptions.delete";
  const missing = { code: "TOPIC_NOT_FOUND", message: "Topic with key gone not found" } as const;
  await assertRefused(client, id, remove("gone", { subscriptions: ["ada"] }), missing);
  await assertRefused(production, id, remove("leave-old", { subscriptions: ["bob"] }), { code: "TOPIC_NOT_FOUND" });
  const many = Array.from({ length: 101 }, () => "ada");
  for (const [body, errors] of [
    [undefined, { general: ["Request body is required"] }],
    [{ subscriptions: many }, { subscriptions: ["subscriptions must contain no more than 100 elements"] }],
    [{ subscriptions: [7] }, { "subscriptions.0": ["subscriptions.0 must be a string or an object"] }],
    [
      { subscriptions: [{ identifier: 7 }] },
      { "subscriptions.0.identifier": ["subscriptions.0.identifier must be a string"] },
    ],
  ] as const) {
    await assertRefused(client, id, remove("gone", body), { code: "VALIDATION_ERROR", errors: errors as never });
  }
  assert.equal(await countOf("leave-old"), 1);
});
