// Lists of topic subscriptions, by topic and by subscriber; membership; what goes with a topic and with a subscriber.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "@tidings/testkit/properties";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";

const service = await shareService();
const { client, production, db } = service;

const numbers = Array.from({ length: 23 }, (_, index) => `s${String(index).padStart(2, "0")}`);
const subscribers = [...numbers.map((subscriberId) => ({ subscriberId })), { subscriberId: "ada", firstName: "Ada" }];
await client("subscribers.createBulk", { body: { subscribers } });

const subscribe = async (topicKey: string, body: object) =>
  (await client("topicSubscriptions.create", { params: { topicKey }, body: body as never })).body.data;

const everyone = await subscribe("everyone", { subscriptions: numbers });
await subscribe("everyone", { subscriptions: ["s00", "ada"], context: { tenant: "acme", app: "web" } });
await subscribe("news", { subscriptions: ["ada", { subscriberId: "ada", identifier: "a-second" }], name: "News" });

const inTopic = async (query: object = {}, topicKey = "everyone") =>
  (await client("topicSubscriptions.list", { params: { topicKey }, query })).body;
const ofAda = async (query: object = {}) =>
  (await client("subscribers.listSubscriptions", { params: { subscriberId: "ada" }, query })).body;
const identifiersOf = (list: { data: { identifier: string }[] }) => list.data.map((item) => item.identifier);

describe("the list of a topic", () => {
  test("has the envelope and every field of an item", async () => {
    const list = await inTopic({ limit: 1, contextKeys: ["tenant:acme", "app:web"], subscriberId: "ada" });
    const topic = (await client("topics.retrieve", { params: { topicKey: "everyone" } })).body;
    const [item] = list.data;
    assert.deepEqual(list, {
      data: [
        {
          _id: item!._id,
          identifier: "tk_everyone:si_ada:ctx_app:web,tenant:acme",
          createdAt: item!.createdAt,
          topic,
          subscriber: { _id: item!.subscriber._id, subscriberId: "ada", firstName: "Ada" },
          contextKeys: ["app:web", "tenant:acme"],
        },
      ],
      next: null,
      previous: null,
      totalCount: 1,
      totalCountCapped: false,
    });
  });

  test("default is ten, newest first; filters narrow the count", async () => {
    const first = await inTopic();
    assert.equal(first.data.length, 10);
    assert.equal(first.totalCount, 25);
    assert.equal((await inTopic({ contextKeys: [""] })).totalCount, 23);
    assert.equal((await inTopic({ contextKeys: ["app:web", "tenant:acme"] })).totalCount, 2);
    assert.equal((await inTopic({ contextKeys: ["app:web"] })).totalCount, 0);
    assert.equal((await inTopic({ subscriberId: "s00" })).totalCount, 2);
    assert.equal((await inTopic({ subscriberId: "s00", contextKeys: [""] })).totalCount, 1);
    assert.deepEqual(await inTopic({ subscriberId: "ghost" }), {
      data: [],
      next: null,
      previous: null,
      totalCount: 0,
      totalCountCapped: false,
    });
  });

  test("orders by time of change and by identifier", async () => {
    const params = { topicKey: "everyone", identifier: "tk_everyone:si_s07" };
    await client("topicSubscriptions.update", { params, body: { name: "changed" } });
    assert.equal(identifiersOf(await inTopic({ orderBy: "updatedAt", limit: 1 }))[0], params.identifier);
    const sorted = identifiersOf(await inTopic({ orderBy: "identifier", orderDirection: "ASC", limit: 100 }));
    assert.deepEqual(sorted, [...sorted].sort());
  });

  test("walking forward and back returns each item once, whatever the order and page size", async () => {
    const orders = fc.record({
      limit: fc.integer({ min: 1, max: 30 }),
      orderBy: fc.constantFrom("createdAt", "updatedAt", "identifier"),
      orderDirection: fc.constantFrom("ASC", "DESC"),
      contextKeys: fc.constantFrom(undefined, [""], ["app:web", "tenant:acme"]),
    });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const whole = identifiersOf(await inTopic({ ...order, limit: 100 }));
        const forward: string[] = [];
        let page = await inTopic(order);
        assert.equal(page.previous, null);
        for (;;) {
          forward.push(...identifiersOf(page));
          if (!page.next) break;
          page = await inTopic({ ...order, after: page.next });
        }
        assert.deepEqual(forward, whole);
        const backward = identifiersOf(page);
        while (page.previous) {
          page = await inTopic({ ...order, before: page.previous });
          backward.unshift(...identifiersOf(page));
        }
        assert.deepEqual(backward, whole);
      }),
      { numRuns: 20 },
    );
  });

  test("paging goes on when the cursor's item is gone, and includeCursor returns it while it is there", async () => {
    const keys = ["s00", "s01", "s02", "s03"];
    await subscribe("moving", { subscriptions: keys });
    const order = { orderBy: "identifier", orderDirection: "ASC", limit: 2 };
    const first = await inTopic(order, "moving");
    const included = await inTopic({ ...order, after: first.next, includeCursor: true }, "moving");
    assert.deepEqual(identifiersOf(included), ["tk_moving:si_s01", "tk_moving:si_s02"]);
    await client("topicSubscriptions.delete", { params: { topicKey: "moving" }, body: { subscriptions: ["s01"] } });
    const rest = await inTopic({ ...order, after: first.next, includeCursor: true }, "moving");
    assert.deepEqual(identifiersOf(rest), ["tk_moving:si_s02", "tk_moving:si_s03"]);
  });
});

describe("the list of a subscriber", () => {
  test("has topics with their times, and filters by key and contexts", async () => {
    const all = await ofAda({ orderDirection: "ASC" });
    assert.deepEqual(identifiersOf(all), ["tk_everyone:si_ada:ctx_app:web,tenant:acme", "tk_news:si_ada", "a-second"]);
    const news = (await client("topics.retrieve", { params: { topicKey: "news" } })).body;
    assert.deepEqual(all.data[1]!.topic, news);
    assert.ok(news.createdAt && news.updatedAt && news.name === "News");
    assert.deepEqual(all.data[1]!.contextKeys, []);
    assert.deepEqual(identifiersOf(await ofAda({ key: "news", orderBy: "identifier" })), [
      "tk_news:si_ada",
      "a-second",
    ]);
    assert.equal((await ofAda({ contextKeys: ["tenant:acme", "app:web"] })).totalCount, 1);
    assert.equal((await ofAda({ contextKeys: [""] })).totalCount, 2);
    assert.equal((await ofAda({ key: "unknown" })).totalCount, 0);
  });
});

test("faults of a query are reported at once, before a missing topic or subscriber", async () => {
  const query = { limit: 0, orderBy: "name", includeCursor: "maybe" };
  const errors = {
    limit: ["limit must not be less than 1"],
    orderBy: ["orderBy must be one of: createdAt, updatedAt, identifier"],
    includeCursor: ["includeCursor must be a boolean"],
  };
  const later = { after: "x", before: "y", contextKeys: ["nocolon"] };
  const laterErrors = {
    after: ["after is not a valid cursor"],
    before: ["before is not a valid cursor", "before and after cannot be used together"],
    contextKeys: ["contextKeys must have the form <type>:<id>"],
  };
  for (const [id, params] of [
    ["topicSubscriptions.list", { topicKey: "nowhere" }],
    ["subscribers.listSubscriptions", { subscriberId: "nobody" }],
  ] as const) {
    await assertRefused(client, id, { params, query }, { code: "VALIDATION_ERROR", errors });
    await assertRefused(client, id, { params, query: later }, { code: "VALIDATION_ERROR", errors: laterErrors });
  }
  const noTopic = { code: "TOPIC_NOT_FOUND", message: "Topic with key nowhere not found" } as const;
  await assertRefused(client, "topicSubscriptions.list", { params: { topicKey: "nowhere" } }, noTopic);
  const nobody = { code: "SUBSCRIBER_NOT_FOUND", message: "Subscriber with id nobody not found" } as const;
  await assertRefused(client, "subscribers.listSubscriptions", { params: { subscriberId: "nobody" } }, nobody);
  const theirs = { params: { topicKey: "everyone" } };
  await assertRefused(production, "topicSubscriptions.list", theirs, { code: "TOPIC_NOT_FOUND" });
  const ada = { params: { subscriberId: "ada" } };
  await assertRefused(production, "subscribers.listSubscriptions", ada, { code: "SUBSCRIBER_NOT_FOUND" });
});

test("membership of one subscriber", async () => {
  const params = { topicKey: "news", externalSubscriberId: "ada" };
  const { status, body } = await client("topics.retrieveSubscriber", { params });
  const topic = (await client("topics.retrieve", { params })).body;
  const subscriber = (await client("subscribers.retrieve", { params: { subscriberId: "ada" } })).body;
  assert.equal(status, 200);
  assert.deepEqual(body, {
    _organizationId: subscriber._organizationId,
    _environmentId: subscriber._environmentId,
    _subscriberId: subscriber._id,
    _topicId: topic._id,
    topicKey: "news",
    externalSubscriberId: "ada",
  });
  const id = "topics.retrieveSubscriber";
  const message = "Subscription of subscriber 's01' not found";
  const notMember = { params: { ...params, externalSubscriberId: "s01" } };
  await assertRefused(client, id, notMember, { code: "SUBSCRIPTION_NOT_FOUND", message });
  const unknown = { params: { ...params, externalSubscriberId: "ghost" } };
  await assertRefused(client, id, unknown, { code: "SUBSCRIBER_NOT_FOUND" });
  await assertRefused(client, id, { params: { ...params, topicKey: "nowhere" } }, { code: "TOPIC_NOT_FOUND" });
  await assertRefused(production, id, { params }, { code: "TOPIC_NOT_FOUND" });
});

test("subscriptions go with their topic and with their subscriber", async () => {
  await client("subscribers.create", { body: { subscriberId: "leaver" } });
  await subscribe("closing", { subscriptions: ["leaver", "s01"] });
  await subscribe("staying", { subscriptions: ["leaver", "s01"] });
  await client("topics.delete", { params: { topicKey: "closing" } });
  const params = { subscriberId: "leaver" };
  const left = (await client("subscribers.listSubscriptions", { params })).body;
  assert.deepEqual(identifiersOf(left), ["tk_staying:si_leaver"]);
  await client("subscribers.delete", { params });
  assert.deepEqual(identifiersOf(await inTopic({}, "staying")), ["tk_staying:si_s01"]);
  const orphans = await db
    .selectFrom("topic_subscriptions")
    .where("identifier", "in", ["tk_closing:si_s01", "tk_staying:si_leaver"])
    .select("id")
    .execute();
  assert.deepEqual(orphans, []);
  assert.equal(everyone.length, 23);
});

test("a topic that is deleted while subscribers are added is either gone or has all of them", async () => {
  // All of them wait for the same lock: with more, the last would be refused with 503 on a busy machine.
  const rounds = Array.from({ length: 8 }, async (_, index) => {
    await Promise.all([
      subscribe("flicker", { subscriptions: [numbers[index]!] }),
      client.raw("topics.delete", { params: { topicKey: "flicker" } }),
    ]);
  });
  await Promise.all(rounds);
  await subscribe("flicker", { subscriptions: ["ada"] });
  assert.ok((await inTopic({ subscriberId: "ada" }, "flicker")).totalCount === 1);
});
