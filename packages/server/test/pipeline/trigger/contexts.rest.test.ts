// The contexts of an event: made when they are new, kept on everything that follows, and part of who is reached, what
// is collected together, what is wanted and what is said.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TriggerResult } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, feedOf, inApp, messagesOf, notificationsOf, settled } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";

const { client, db } = await shareService();

const acme = { tenant: { id: "acme", data: { plan: "gold" } } };

before(async () => {
  const body = "{{ context.tenant.id }}/{{ context.tenant.data.plan }}/{{ context.project.id }}";
  await createWorkflow(client, "plain", [inApp({ body })]);
  for (const subscriberId of ["ada", "bob", "cleo"]) await client("subscribers.create", { body: { subscriberId } });
});

const trigger = async (event: object): Promise<TriggerResult> => {
  const { status, body } = await client.raw("events.trigger", { body: { name: "plain", to: "ada", ...event } });
  assert.equal(status, 201, JSON.stringify(body));
  return body as TriggerResult;
};
const send = async (event: object) => {
  const result = await trigger(event);
  assert.equal(result.status, "processed", JSON.stringify(result));
  return settled(client, result.transactionId!);
};
const dataOf = async (type: string, id: string) =>
  (await client("contexts.retrieve", { params: { type, id } })).body.data;

test("contexts are made with the event, used as they are when known, and kept as sorted keys", async () => {
  const [notification] = await send({ context: { tenant: acme.tenant, project: "p-1" } });
  assert.deepEqual(notification!.contextKeys, ["project:p-1", "tenant:acme"]);
  const [message] = await messagesOf(client, notification!.transactionId);
  assert.deepEqual(message!.contextKeys, ["project:p-1", "tenant:acme"]);
  assert.equal((await feedOf(client, "ada"))[0]!.content, "acme/gold/p-1");
  assert.deepEqual(await dataOf("project", "p-1"), {});
  await send({ context: { tenant: { id: "acme", data: { plan: "stone" } } } });
  assert.deepEqual(await dataOf("tenant", "acme"), { plan: "gold" });
  assert.equal((await feedOf(client, "ada"))[0]!.content, "acme/gold/");
  await send({});
  assert.equal((await feedOf(client, "ada"))[0]!.content, "//");
});

test("a context that was deleted leaves its id", async () => {
  await createWorkflow(client, "late", [
    { name: "Wait", type: "delay", controlValues: { amount: 1, unit: "seconds" } },
    inApp({ body: "{{ context.tenant.id }}:{{ context.tenant.data.plan }}" }),
  ]);
  const result = await trigger({ name: "late", to: "bob", context: { tenant: { id: "brief", data: { plan: "x" } } } });
  await client("contexts.delete", { params: { type: "tenant", id: "brief" } });
  await settled(client, result.transactionId!);
  assert.equal((await feedOf(client, "bob"))[0]!.content, "brief:");
});

test("faults are reported in the item, all of them, and nothing is made", async () => {
  const many = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((type) => [type, "1"]));
  const cases: [context: Record<string, unknown>, error: string[]][] = [
    [{ "no good": "1" }, ["context.no good has an invalid format"]],
    [{ tenant: "a:b" }, ["context.tenant has an invalid format"]],
    [{ tenant: "" }, ["context.tenant must not be empty", "context.tenant has an invalid format"]],
    [{ tenant: { data: {} } }, ["context.tenant.id is required"]],
    [{ tenant: { id: "x".repeat(101) } }, ["context.tenant.id must not be longer than 100 characters"]],
    [many, ["context must contain no more than 5 elements"]],
  ];
  const before = (await client("contexts.list", {})).body.totalCount;
  const events = cases.map(([context], index) => ({
    name: "plain",
    to: "ada",
    context,
    transactionId: `bad ${index}`,
  }));
  const good = { name: "plain", to: "ada", context: { bulk: "fine" } };
  const { body } = await client("events.triggerBulk", { body: { events: [...events, good] } });
  for (const [index, [, error]] of cases.entries()) {
    const { status, error: found, transactionId } = body[index]!;
    assert.deepEqual([status, transactionId], ["error", `bad ${index}`]);
    assert.deepEqual([...found!].sort(), [...error].sort());
  }
  assert.equal(body.at(-1)!.status, "processed");
  assert.equal((await client("contexts.list", {})).body.totalCount, before + 1);
  // The type of the field itself belongs to the shape of the request.
  const wrong = await client.raw("events.trigger", { body: { name: "plain", to: "ada", context: "acme" } });
  assert.equal(wrong.status, 422);
});

test("membership of topics is exact in both directions", async () => {
  const subscribe = (subscriberId: string, context?: object) =>
    client("topicSubscriptions.create", {
      params: { topicKey: "news" },
      body: { subscriptions: [subscriberId], context } as never,
    });
  await subscribe("ada");
  await subscribe("bob", { tenant: "acme" });
  await subscribe("cleo", { tenant: "acme", project: "p-1" });
  const reached = async (context?: object) => {
    const { transactionId } = await trigger({ to: { type: "Topic", topicKey: "news" }, context });
    await eventually(async () => {
      const { rows } = await sql`select 1 from events
        where transaction_id = ${transactionId} and expanded_at is not null`.execute(db);
      return rows.length > 0;
    }, "the end of the audience");
    return (await notificationsOf(client, transactionId!)).map(({ subscriber }) => subscriber!.subscriberId);
  };
  assert.deepEqual(await reached(), ["ada"]);
  assert.deepEqual(await reached({ tenant: "acme" }), ["bob"]);
  assert.deepEqual(await reached({ project: "p-1", tenant: { id: "acme" } }), ["cleo"]);
  assert.deepEqual(await reached({ project: "p-1" }), []);
});

test("a broadcast has contexts too", async () => {
  const body = { name: "plain", payload: {}, context: { tenant: "everywhere" }, transactionId: "wide" };
  await client("events.broadcast", { body });
  const list = await settled(client, "wide");
  assert.ok(list.length >= 3);
  for (const { contextKeys } of list) assert.deepEqual(contextKeys, ["tenant:everywhere"]);
  const query = { contextKeys: ["tenant:everywhere"] };
  assert.equal((await client("notifications.list", { query })).body.data.length, list.length);
});

test("digests collect by context", async () => {
  await createWorkflow(client, "collected", [
    { name: "Collect", stepId: "collect", type: "digest", controlValues: { amount: 1, unit: "seconds" } },
    inApp({ body: "{{ steps.collect.eventCount }} {{ context.tenant.id }}" }),
  ]);
  const event = { name: "collected", to: "cleo" };
  const contexts = [{ tenant: "one" }, { tenant: "two" }, { tenant: "one" }, undefined];
  const events = contexts.map((context, index) => ({ ...event, context, transactionId: `part ${index}` }));
  await client("events.triggerBulk", { body: { events } });
  for (const { transactionId } of events) await settled(client, transactionId);
  const contents = (await feedOf(client, "cleo")).map(({ content }) => content as string);
  const counted = contents.filter((content) => /^\d/.test(content)).map((content) => content.trim());
  assert.deepEqual(counted.sort(), ["1", "1 two", "2 one"]);
});

test("preferences: those for exactly this set first, then those without context", async () => {
  const choose = (inAppOn: boolean, context?: object) =>
    client("subscribers.updatePreferences", {
      params: { subscriberId: "bob" },
      body: { workflowId: "plain", channels: { in_app: inAppOn }, context } as never,
    });
  await choose(false);
  await choose(true, { tenant: "acme" });
  const isFiltered = async (context?: object) => {
    const [notification] = await send({ to: "bob", context });
    return detailsOf(notification!, "in_app").includes("Step filtered by subscriber workflow preferences");
  };
  assert.equal(await isFiltered(), true);
  assert.equal(await isFiltered({ tenant: "acme" }), false);
  assert.equal(await isFiltered({ tenant: "other" }), true);
  assert.equal(await isFiltered({ tenant: "acme", project: "p-1" }), true);
});
