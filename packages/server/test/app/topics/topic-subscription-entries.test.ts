// Subscribing many to a topic at once: each entry is judged on its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";

const service = await shareService();
const { client, production } = service;

const people = ["ada", "bob", "cleo", "dan", "many", "racer", "racer2", "name@example.org"];
await client("subscribers.createBulk", { body: { subscribers: people.map((subscriberId) => ({ subscriberId })) } });
await client("subscribers.create", {
  body: { subscriberId: "full", firstName: "F", lastName: "L", email: "f@example.org", avatar: "https://a.example/1" },
});

const subscribe = async (topicKey: string, body: object, headers?: Record<string, string>) =>
  client("topicSubscriptions.create", { params: { topicKey }, body: body as never, headers });
const unsubscribe = async (topicKey: string, body: object) =>
  client("topicSubscriptions.delete", { params: { topicKey }, body: body as never });
const countOf = async (topicKey: string) =>
  (await client("topicSubscriptions.list", { params: { topicKey } })).body.totalCount;

test("makes topic and subscriptions, and answers every field", async () => {
  const answer = await subscribe("news", {
    subscriptions: ["full", { subscriberId: "ada", name: "Ada's" }],
    name: "News",
  });
  assert.equal(answer.status, 201);
  const topic = (await client("topics.retrieve", { params: { topicKey: "news" } })).body;
  const [full, ada] = answer.body.data;
  assert.deepEqual(full, {
    _id: full!._id,
    identifier: "tk_news:si_full",
    topic: { _id: topic._id, key: "news", name: "News" },
    subscriber: {
      _id: full!.subscriber._id,
      subscriberId: "full",
      avatar: "https://a.example/1",
      firstName: "F",
      lastName: "L",
      email: "f@example.org",
    },
    contextKeys: [],
    createdAt: full!.createdAt,
    updatedAt: full!.createdAt,
  });
  assert.match(full!.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(ada!.name, "Ada's");
  assert.deepEqual(Object.keys(ada!.subscriber).sort(), ["_id", "subscriberId"]);
  assert.deepEqual(answer.body.meta, { totalCount: 2, successful: 2, failed: 0 });
  assert.equal(Object.hasOwn(answer.body, "errors"), false);
});

test("subscriberIds works too, and both lists together are the union", async () => {
  const old = await subscribe("ids", { subscriberIds: ["ada", " bob "] });
  assert.deepEqual(
    old.body.data.map((one) => one.subscriber.subscriberId),
    ["ada", "bob"],
  );
  const subscriptions = ["dan", { subscriberId: "ada", identifier: "second" }];
  const both = await subscribe("ids", { subscriberIds: ["cleo", " dan", "ada", "cleo"], subscriptions });
  assert.deepEqual(
    both.body.data.map((one) => one.identifier),
    ["tk_ids:si_dan", "second", "tk_ids:si_cleo", "tk_ids:si_ada"],
  );
  assert.deepEqual(both.body.meta, { totalCount: 4, successful: 4, failed: 0 });
  const many = Array.from({ length: 60 }, (_, n) => `x${n}`);
  const some = await subscribe("ids", { subscriberIds: many, subscriptions: many });
  assert.equal(some.body.meta.totalCount, 60, "an id in both lists is one entry");
  const together = { subscriberIds: many, subscriptions: many.map((id) => `y${id}`) };
  const errors = {
    subscriptions: ["subscriptions and subscriberIds must contain no more than 100 elements together"],
  };
  const refusal = { code: "VALIDATION_ERROR", errors } as const;
  const params = { topicKey: "never" };
  await assertRefused(client, "topicSubscriptions.create", { params, body: together }, refusal);
  assert.equal((await client.raw("topics.retrieve", { params })).status, 404);
  await assertRefused(client, "topicSubscriptions.delete", { params: { topicKey: "ids" }, body: together }, refusal);
});

test("no entries at all still make the topic; a name renames it", async () => {
  const empty = await subscribe("empty", {});
  assert.deepEqual(empty.body, { data: [], meta: { totalCount: 0, successful: 0, failed: 0 } });
  assert.equal((await client("topics.retrieve", { params: { topicKey: "empty" } })).body.name, undefined);
  await subscribe("empty", { subscriptions: [], name: "Named" });
  assert.equal((await client("topics.retrieve", { params: { topicKey: "empty" } })).body.name, "Named");
  await subscribe("empty", { subscriberIds: [] });
  assert.equal((await client("topics.retrieve", { params: { topicKey: "empty" } })).body.name, "Named");
});

test("repeating is harmless and changes nothing", async () => {
  const entry = { subscriberId: "ada", identifier: "mine", name: "First" };
  const first = await subscribe("twice", { subscriptions: [entry] });
  const again = await subscribe("twice", {
    subscriptions: [
      { ...entry, name: "Second" },
      { ...entry, name: "Third" },
    ],
    preferences: ["some-workflow"],
    context: { tenant: "acme" },
  });
  assert.deepEqual(again.body.data, [first.body.data[0], first.body.data[0]]);
  assert.deepEqual(again.body.meta, { totalCount: 2, successful: 2, failed: 0 });
  assert.equal(await countOf("twice"), 1);
});

test("one subscriber may hold several identifiers; contexts have their own default", async () => {
  const subscriptions = ["ada", { subscriberId: "ada", identifier: "second" }];
  const plain = await subscribe("several", { subscriptions });
  const context = { tenant: { id: "globex", data: { plan: "pro" } }, app: "web" };
  const scoped = await subscribe("several", { subscriptions: ["ada"], context });
  assert.deepEqual(
    plain.body.data.map((one) => one.identifier),
    ["tk_several:si_ada", "second"],
  );
  assert.equal(scoped.body.data[0]!.identifier, "tk_several:si_ada:ctx_app:web,tenant:globex");
  assert.deepEqual(scoped.body.data[0]!.contextKeys, ["app:web", "tenant:globex"]);
  const made = await client("contexts.retrieve", { params: { type: "tenant", id: "globex" } });
  assert.deepEqual(made.body.data, { plan: "pro" });
});

test("a default identifier may be longer than a given one", async () => {
  const id = "i".repeat(100);
  const context = Object.fromEntries(["a", "b", "c", "d", "e"].map((type) => [type.repeat(100), id]));
  const { body } = await subscribe("k".repeat(100), { subscriptions: ["ada"], context });
  assert.ok(body.data[0]!.identifier!.length > 512);
  const params = { topicKey: "k".repeat(100), identifier: body.data[0]!.identifier! };
  assert.equal((await client("topicSubscriptions.retrieve", { params })).body.id, body.data[0]!._id);
});

test("failures stand beside successes, with exact codes and texts", async () => {
  await subscribe("mixed", { subscriptions: [{ subscriberId: "bob", identifier: "bobs" }] });
  const long = "x".repeat(513);
  const { status, body } = await subscribe("mixed", {
    subscriptions: [
      "ghost",
      { subscriberId: "ada", identifier: "" },
      { subscriberId: "ada", identifier: long },
      { subscriberId: "ada", identifier: "with\u0007bell" },
      { subscriberId: "ada", identifier: "bobs" },
      { subscriberId: "ada", identifier: "x".repeat(512) },
    ],
  });
  const length = "Subscription identifier must have 1 to 512 characters";
  const taken = "Subscription identifier 'bobs' belongs to another subscriber of this topic";
  assert.equal(status, 201);
  assert.deepEqual(body.meta, { totalCount: 6, successful: 1, failed: 5 });
  assert.deepEqual(body.errors, [
    { subscriberId: "ghost", code: "SUBSCRIBER_NOT_FOUND", message: "Subscriber with ID 'ghost' could not be found" },
    { subscriberId: "ada", code: "INVALID_SUBSCRIPTION_IDENTIFIER", message: length },
    { subscriberId: "ada", code: "INVALID_SUBSCRIPTION_IDENTIFIER", message: length },
    { subscriberId: "ada", code: "INVALID_SUBSCRIPTION_IDENTIFIER", message: length },
    { subscriberId: "ada", code: "SUBSCRIPTION_IDENTIFIER_TAKEN", message: taken },
  ]);
  const none = await subscribe("mixed", { subscriptions: ["ghost"] });
  assert.equal(none.status, 201);
  assert.deepEqual(none.body.meta, { totalCount: 1, successful: 0, failed: 1 });
  const theirs = await production("topicSubscriptions.create", {
    params: { topicKey: "mixed" },
    body: { subscriptions: ["ada"] },
  });
  assert.equal(theirs.body.errors![0]!.code, "SUBSCRIBER_NOT_FOUND");
});

test("ten per subscriber and topic, also when many requests race", async () => {
  const identifiers = Array.from({ length: 12 }, (_, index) => ({ subscriberId: "many", identifier: `m${index}` }));
  const { body } = await subscribe("limit", { subscriptions: identifiers });
  assert.deepEqual(body.meta, { totalCount: 12, successful: 10, failed: 2 });
  assert.deepEqual(body.errors![0], {
    subscriberId: "many",
    code: "SUBSCRIPTION_LIMIT_EXCEEDED",
    message: "Subscriber 'many' already has 10 subscriptions in topic 'limit'",
  });
  assert.equal((await subscribe("limit", { subscriptions: [identifiers[0]] })).body.meta.successful, 1);

  const requests = Array.from({ length: 20 }, (_, index) =>
    subscribe("race", {
      subscriptions: [
        { subscriberId: index % 2 ? "racer" : "racer2", identifier: `a${index}` },
        { subscriberId: index % 2 ? "racer2" : "racer", identifier: `b${index}` },
      ],
    }),
  );
  const answers = await Promise.all(requests);
  assert.equal(
    answers.reduce((sum, answer) => sum + answer.body.meta.successful, 0),
    20,
  );
  assert.equal(await countOf("race"), 20);
});

test("an identifier that two subscribers race for goes to one of them", async () => {
  const racers = Array.from({ length: 16 }, (_, index) => (index % 2 ? "ada" : "bob"));
  const answers = await Promise.all(
    racers.map((subscriberId) => subscribe("one", { subscriptions: [{ subscriberId, identifier: "the-one" }] })),
  );
  assert.equal(await countOf("one"), 1);
  const winner = answers.find((answer) => answer.body.data.length > 0)!.body.data[0]!.subscriber.subscriberId;
  for (const [index, answer] of answers.entries()) {
    assert.equal(answer.body.data.length, racers[index] === winner ? 1 : 0);
    assert.equal(answer.body.errors?.[0]?.code, racers[index] === winner ? undefined : "SUBSCRIPTION_IDENTIFIER_TAKEN");
  }
});

test("a replay answers the same without subscribing again", async () => {
  const headers = { "idempotency-key": "subscribe-1" };
  const first = await subscribe("replay", { subscriptions: ["ada", "ghost"] }, headers);
  await unsubscribe("replay", { subscriptions: ["ada"] });
  const second = await subscribe("replay", { subscriptions: ["ada", "ghost"] }, headers);
  assert.deepEqual(second.body, first.body);
  assert.equal(second.headers.get("idempotency-replay"), "true");
  assert.equal(await countOf("replay"), 0);
});

test("422 names every fault at once and writes nothing", async () => {
  const refused = (topicKey: string, body: unknown, errors: Record<string, string[]>) =>
    assertRefused(
      client,
      "topicSubscriptions.create",
      { params: { topicKey }, body },
      { code: "VALIDATION_ERROR", errors },
    );
  const many = Array.from({ length: 101 }, () => "ada");
  await refused("untouched", undefined, { general: ["Request body is required"] });
  await refused(
    "untouched",
    {
      subscriptions: [5, {}, { subscriberId: 1, identifier: 2, name: "n".repeat(129) }],
      name: "",
      context: { "a b": "x" },
    },
    {
      "subscriptions.0": ["subscriptions.0 must be a string or an object"],
      "subscriptions.1.subscriberId": ["subscriptions.1.subscriberId is required"],
      "subscriptions.2.subscriberId": ["subscriptions.2.subscriberId must be a string"],
      "subscriptions.2.identifier": ["subscriptions.2.identifier must be a string"],
      "subscriptions.2.name": ["subscriptions.2.name must not be longer than 128 characters"],
      name: ["name must not be empty"],
      "context.a b": ["context.a b has an invalid format"],
    },
  );
  await refused(
    "untouched",
    { subscriptions: many },
    {
      subscriptions: ["subscriptions must contain no more than 100 elements"],
    },
  );
  await refused(
    "untouched",
    { subscriberIds: many },
    {
      subscriberIds: ["subscriberIds must contain no more than 100 elements"],
    },
  );
  await refused("not a key", { subscriptions: ["ada"] }, { topicKey: ["topicKey has an invalid format"] });
  await refused("k".repeat(101), {}, { topicKey: ["topicKey must not be longer than 100 characters"] });
  const params = { topicKey: "untouched" };
  await assertRefused(client, "topics.retrieve", { params }, { code: "TOPIC_NOT_FOUND" });
});
