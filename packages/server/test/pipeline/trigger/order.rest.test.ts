// Events that share a transaction: each one uses the subscriber, tenant and actor that it brought itself, and the items
// of one request start in request order, whatever their recipients.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepIn, TriggerEvent } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp, messagesOf, settled } from "@tidings/testkit/verbs";

const service = await shareService();
const { client } = service;

const orders = "{{ subscriber.data.order }} {{ subscriber.email }} {{ tenant.data.plan }} {{ actor.firstName }}";

const ownEvent = (name: string, order: number): TriggerEvent => ({
  name,
  to: { subscriberId: name, email: `ada-${order}@example.com`, data: { order } },
  tenant: { identifier: name, data: { plan: `p${order}` } },
  actor: { subscriberId: `${name}-actor`, firstName: `Actor${order}` },
});

const expected = (order: number): string => `${order} ada-${order}@example.com p${order} Actor${order}`;

const pass: StepIn = {
  name: "Throttle",
  type: "throttle",
  controlValues: { amount: 1, unit: "hours", threshold: 100 },
};

async function contentsOf(transactionId: string): Promise<(string | undefined)[]> {
  return (await messagesOf(client, transactionId)).map(({ content }) => content as string | undefined);
}

async function triggerAll(events: TriggerEvent[], caller = client): Promise<string[]> {
  const { body } = await caller("events.triggerBulk", { body: { events } });
  return body.map(({ status, transactionId }) => {
    assert.equal(status, "processed");
    return transactionId!;
  });
}

for (const [path, name, steps] of [
  ["worked on by the request", "own-at-once", [inApp({ body: orders })]],
  ["worked on by the queue", "own-queued", [pass, inApp({ body: orders })]],
] as const) {
  test(`each event of a bulk request uses the fields that it brought: ${path}`, async () => {
    await createWorkflow(client, name, [...steps]);
    const brought = [1, 2, 3].map((order) => ownEvent(name, order));
    // Without fields: the subscriber as the event before it left it.
    const bare = { ...brought[1]!, to: name, tenant: undefined, actor: undefined };
    const ids = await triggerAll([brought[0]!, brought[1]!, bare, brought[2]!]);
    for (const id of ids) await settled(client, id);
    assert.deepEqual(await contentsOf(ids[0]!), [expected(1)]);
    assert.deepEqual(await contentsOf(ids[1]!), [expected(2)]);
    assert.match((await contentsOf(ids[2]!))[0]!, /^2 ada-2@example.com/);
    assert.deepEqual(await contentsOf(ids[3]!), [expected(3)]);
    const stored = (await client("subscribers.retrieve", { params: { subscriberId: name } })).body;
    assert.equal(stored.email, "ada-3@example.com", "the last event wins");
  });
}

test("an event for a topic sees its members as the events before it left them", async () => {
  await addTopic(client, "fielded", ["member"]);
  await createWorkflow(client, "fielded", [inApp({ body: "{{ subscriber.data.order }}" })]);
  const topic = { type: "Topic" as const, topicKey: "fielded" };
  const named = (order: number) => ({ subscriberId: "member", data: { order } });
  const to: TriggerEvent["to"][] = [topic, named(1), topic, named(2), topic];
  const ids = await triggerAll(to.map((recipient) => ({ name: "fielded", to: recipient })));
  for (const id of ids) await settled(client, id);
  const contents = await Promise.all(ids.map(contentsOf));
  assert.deepEqual(contents.flat(), ["", "1", "1", "2", "2"]);
});

test("requests that share a transaction each use their own fields", async () => {
  await createWorkflow(client, "own-shared", [inApp({ body: orders })]);
  const sent = await Promise.all(
    Array.from({ length: 24 }, async (_, order) => {
      const { body } = await client("events.trigger", { body: ownEvent("own-shared", order) });
      return { order, transactionId: body.transactionId! };
    }),
  );
  for (const { order, transactionId } of sent) {
    await settled(client, transactionId);
    assert.deepEqual(await contentsOf(transactionId), [expected(order)]);
  }
});

const digest: StepIn = {
  name: "Digest",
  stepId: "digest",
  type: "digest",
  controlValues: { amount: 1, unit: "hours" },
};
const list = "{{ payload.n }}:{% for e in steps.digest.events %}{{ e.payload.n }},{% endfor %}";

async function addTopic(caller: typeof client, topicKey: string, subscriberIds: string[]): Promise<void> {
  for (const subscriberId of subscriberIds) await caller("subscribers.create", { body: { subscriberId } });
  await caller("topicSubscriptions.create", { params: { topicKey }, body: { subscriberIds } });
}

test("events for topics and named subscribers start in request order: digests, look-back and feeds", async () => {
  const stage = await newStage(service, "2026-03-01T12:00:00.000Z");
  await addTopic(stage.client, "team", ["ada", "bob"]);
  await createWorkflow(stage.client, "digested", [digest, inApp({ body: list })]);
  const lookBack = {
    ...digest,
    controlValues: { ...digest.controlValues, lookBackWindow: { amount: 1, unit: "hours" } },
  };
  await createWorkflow(stage.client, "back", [lookBack, inApp({ body: list })]);
  await createWorkflow(stage.client, "plain", [inApp({ body: "plain {{ payload.n }}" })]);
  const topic = { type: "Topic" as const, topicKey: "team" };
  const to = [topic, "ada", topic, topic, "ada", topic];
  for (let round = 0; round < 4; round++) {
    const events = ["digested", "back", "plain"].flatMap((name) =>
      to.map((recipient, index) => ({ name, to: recipient, payload: { n: `${round}-${index}` } })),
    );
    await triggerAll(events, stage.client);
    await stage.advance(3, "hours");
    const own = async (subscriberId: string) =>
      (await feedOf(stage.client, subscriberId))
        .map(({ content }) => String(content))
        .filter((one) => one.includes(`${round}-`));
    const numbers = (indexes: number[]) => indexes.map((index) => `${round}-${index}`);
    for (const [subscriberId, indexes] of [
      ["ada", [0, 1, 2, 3, 4, 5]],
      ["bob", [0, 2, 3, 5]],
    ] as const) {
      const [first, ...rest] = numbers([...indexes]);
      const feed = await own(subscriberId);
      const plain = feed.filter((one) => one.startsWith("plain"));
      assert.deepEqual(
        plain.reverse(),
        numbers([...indexes]).map((n) => `plain ${n}`),
        "the feed, newest first",
      );
      const digests = feed.filter((one) => !one.startsWith("plain")).toSorted();
      const whole = [first, ...rest].join();
      assert.deepEqual(
        digests,
        [`${first}:${first},`, `${first}:${whole},`, `${rest[0]}:${rest.join()},`].toSorted(),
        `round ${round}, ${subscriberId}`,
      );
    }
  }
});

test("an event that skips an earlier throttle does not overtake its predecessors at a later one", async () => {
  const throttle = (stepId: string, threshold: number, skip?: object): StepIn => ({
    name: stepId,
    stepId,
    type: "throttle",
    controlValues: { amount: 1, unit: "hours", threshold, ...(skip && { skip }) },
  });
  const isThird = { "==": [{ var: "payload.n" }, 3] };
  const steps = [throttle("wide", 10, isThird), throttle("narrow", 1), inApp({ body: "{{ payload.n }}" })];
  await createWorkflow(client, "two-throttles", steps);
  const events = [1, 2, 3].map((n) => ({ name: "two-throttles", to: "throttled", payload: { n } }));
  const ids = await triggerAll(events);
  for (const id of ids) await settled(client, id);
  const feed = await feedOf(client, "throttled");
  assert.deepEqual(
    feed.map(({ content }) => content),
    ["1"],
  );
});
