// The inbox of a subscriber, as the customer's server reads and changes it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperationId } from "@tidings/contract";
import type { Client } from "@tidings/testkit/client";
import { newStage } from "@tidings/testkit/clock";
import { authorized, errorOf } from "@tidings/testkit/http";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const service = await shareService();
const receiver = await startReceiver();
const monday = "2026-03-02T09:00:00.000Z";
const ada = { subscriberId: "ada" };

const button = (label: string) => ({ label, redirect: { url: "https://example.com" } });

/** Three workflows with tags and severities; Ada gets one message of each, one minute apart. */
async function withMessages() {
  const stage = await newStage(service, monday);
  const { client } = stage;
  const make = (name: string, tags: string[], severity: "high" | "low" | "none", data: object) =>
    createWorkflow(client, name, [inApp({ subject: name, body: "Hi", primaryAction: button("Yes"), data })], {
      tags,
      severity,
    });
  await make("order", ["shop", "urgent"], "high", { room: "1", list: ["a", "b"] });
  await make("news", ["news"], "low", { room: "2" });
  await make("sale", ["shop"], "none", { room: "1" });
  for (const name of ["order", "news", "sale"]) {
    await trigger(client, name, ada);
    await stage.advance(1, "minutes");
  }
  const ids = Object.fromEntries((await listed(client, {})).map(({ id, subject }) => [subject!, id]));
  return { ...stage, ids: ids as Record<"order" | "news" | "sale", string> };
}

const listed = async (client: Client, query: Record<string, unknown>) =>
  (await client("subscriberNotifications.list", { params: ada, query: query as never })).body.data;
const subjects = async (client: Client, query: Record<string, unknown>) =>
  (await listed(client, query)).map(({ subject }) => subject);

const counted = async (client: Client, ...filters: object[]) => {
  const query = { filters: JSON.stringify(filters) };
  const { body } = await client("subscriberNotifications.count", { params: ada, query });
  assert.deepEqual(
    body.map(({ filter }) => filter),
    filters,
    "filters are echoed",
  );
  return body.map(({ count }) => count);
};

test("the list is newest first, in pages by the last id or by an offset, with its filter", async () => {
  const { client, ids } = await withMessages();
  const page = async (query: object) => (await client("subscriberNotifications.list", { params: ada, query })).body;
  const first = await page({ limit: 2 });
  assert.deepEqual([first.data.map(({ id }) => id), first.hasMore], [[ids.sale, ids.news], true]);
  const second = await page({ limit: 2, after: ids.news });
  assert.deepEqual([second.data.map(({ id }) => id), second.hasMore], [[ids.order], false]);
  assert.deepEqual((await page({ offset: 1, limit: 1 })).data[0]?.id, ids.news);
  const filtered = await page({ data: '{"room":"1"}', severity: ["high"], read: false });
  assert.deepEqual(filtered.filter, { read: false, severity: ["high"], data: { room: "1" } });
});

test("filters of the list and of the count agree", async () => {
  const { client, ids } = await withMessages();
  await client("subscriberNotifications.markRead", { params: { ...ada, notificationId: ids.news } });
  await client("subscriberNotifications.markSeen", { params: ada, body: { notificationIds: [ids.sale, "unknown"] } });
  const cases: [object, string[]][] = [
    [{}, ["sale", "news", "order"]],
    [{ tags: ["shop"] }, ["sale", "order"]],
    [{ tags: ["news", "urgent"] }, ["news", "order"]],
    [{ read: true }, ["news"]],
    [{ read: false }, ["sale", "order"]],
    [{ seen: false }, ["order"]],
    [{ seen: true, read: false }, ["sale"]],
    [{ severity: ["high", "none"] }, ["sale", "order"]],
    [{ createdGte: Date.parse(monday) + 60_000 }, ["sale", "news"]],
    [{ createdLte: Date.parse(monday) + 60_000 }, ["news", "order"]],
    [{ archived: true }, []],
    [{ snoozed: true }, []],
    [{ contextKeys: ["tenant:a"] }, []],
  ];
  for (const [filter, expected] of cases) {
    assert.deepEqual(await subjects(client, filter as never), expected, JSON.stringify(filter));
    assert.deepEqual(await counted(client, filter), [expected.length], JSON.stringify(filter));
  }
  assert.deepEqual(await subjects(client, { data: '{"room":"1"}' }), ["sale", "order"]);
  assert.deepEqual(
    await subjects(client, { data: '{"list":["b","a"]}' }),
    [],
    "leaves of lists are equal at their place",
  );
  assert.deepEqual(
    await counted(
      client,
      { data: { room: "1" } },
      { data: '{"room":"2"}' },
      { severity: "high" },
      { tags: { and: [{ or: ["shop"] }, { or: ["urgent", "news"] }] } },
      { tags: [["shop"], ["news"]] },
    ),
    [2, 1, 1, 1, 0],
  );
});

test("tags in groups: one of each group", async () => {
  const { client, environmentId } = await withMessages();
  const key = (await client("environments.list")).body.find(({ _id }) => _id === environmentId)!.apiKeys![0]!.key;
  const ask = async (query: string) => {
    const target = { url: service.url, apiKey: key };
    const { body } = await authorized(target, `/v2/subscribers/ada/notifications?${query}`);
    return (body as { data: { subject: string }[] }).data.map(({ subject }) => subject);
  };
  assert.deepEqual(await ask("tags[0][]=shop&tags[1][]=urgent&tags[1][]=news"), ["order"]);
  assert.deepEqual(await ask("tags[0][]=shop"), ["sale", "order"]);
  assert.deepEqual(await ask("tags[]=urgent&tags[]=news"), ["news", "order"]);
  assert.deepEqual(await ask("tags=news"), ["news"]);
});

test("read, unread, archive and unarchive, with what each implies", async () => {
  const { client, ids } = await withMessages();
  const params = { ...ada, notificationId: ids.order };
  const at = "2026-03-02T09:03:00.000Z";
  const call = async (verb: "markRead" | "markUnread" | "archive" | "unarchive") => {
    const { body } = await client(`subscriberNotifications.${verb}`, { params });
    return [body.isRead, body.isSeen, body.isArchived, body.readAt, body.archivedAt];
  };
  assert.deepEqual(await call("archive"), [true, true, true, at, at]);
  assert.deepEqual(await subjects(client, {}), ["sale", "news"]);
  assert.deepEqual(await subjects(client, { archived: true }), ["order"]);
  assert.deepEqual(await call("unarchive"), [true, true, false, at, undefined]);
  assert.deepEqual(await call("archive"), [true, true, true, at, at]);
  assert.deepEqual(await call("markUnread"), [false, true, false, undefined, undefined]);
  assert.deepEqual(await call("markRead"), [true, true, false, at, undefined]);
});

test("a snoozed notification is listed as such, refuses marks, and comes back at its time", async () => {
  const { client, ids, advance } = await withMessages();
  const params = { ...ada, notificationId: ids.news };
  const snoozeUntil = "2026-03-02T12:00:00.000Z";
  await client("subscriberNotifications.snooze", { params, body: { snoozeUntil } });
  assert.deepEqual(await subjects(client, {}), ["sale", "order"]);
  assert.deepEqual(await subjects(client, { snoozed: true }), ["news"]);
  assert.deepEqual(await counted(client, { snoozed: true }, { snoozed: false }, {}), [1, 2, 2]);
  for (const verb of ["markRead", "markUnread", "archive"] as const) {
    errorOf(await client.raw(`subscriberNotifications.${verb}`, { params }), "NOTIFICATION_SNOOZED");
  }
  await client("subscriberNotifications.markAllRead", { params: ada, body: {} });
  await advance(3, "hours");
  const [item] = (await listed(client, {})).filter(({ id }) => id === ids.news);
  assert.deepEqual([item?.isSnoozed, item?.isRead, item?.deliveredAt?.length], [false, false, 2]);
});

test("actions are completed and reverted", async () => {
  const { client, ids } = await withMessages();
  const params = { ...ada, notificationId: ids.order, actionType: "primary" };
  const done = await client("subscriberNotifications.completeAction", { params });
  assert.equal(done.body.primaryAction?.isCompleted, true);
  const open = await client("subscriberNotifications.revertAction", { params });
  assert.equal(open.body.primaryAction?.isCompleted, false);
  const secondary = { params: { ...params, actionType: "secondary" } };
  errorOf(await client.raw("subscriberNotifications.completeAction", secondary), "ACTION_NOT_FOUND");
  const { errors } = errorOf(
    await client.raw("subscriberNotifications.completeAction", { params: { ...params, actionType: "third" } }),
    "VALIDATION_ERROR",
  );
  assert.deepEqual(Object.keys(errors!), ["actionType"]);
});

test("all at once: by tags and data, and deletion with archived ones", async () => {
  const { client, ids } = await withMessages();
  const many = (verb: "markSeen" | "markAllRead" | "archiveAll" | "archiveAllRead" | "deleteAll", body: object) =>
    client(`subscriberNotifications.${verb}`, { params: ada, body });
  await many("markSeen", { tags: ["news"] });
  assert.deepEqual(await subjects(client, { seen: true }), ["news"]);
  await many("markAllRead", { tags: { and: [{ or: ["shop"] }, { or: ["urgent"] }] } });
  assert.deepEqual(await subjects(client, { read: true }), ["order"]);
  await many("archiveAllRead", {});
  assert.deepEqual(await subjects(client, { archived: true }), ["order"]);
  await many("archiveAll", { data: '{"room":"2"}' });
  assert.deepEqual(await subjects(client, { archived: true }), ["news", "order"]);
  await many("deleteAll", { data: { room: "1" } });
  assert.deepEqual(await subjects(client, { archived: true }), ["news"]);
  assert.deepEqual(await subjects(client, {}), []);
  const gone = { params: { ...ada, notificationId: ids.order } };
  errorOf(await client.raw("subscriberNotifications.markRead", gone), "NOTIFICATION_NOT_FOUND");
  await client("subscriberNotifications.delete", { params: { ...ada, notificationId: ids.news } });
  assert.deepEqual(await subjects(client, { archived: true }), []);
});

test("marks are sent to webhooks, and later steps see them", async () => {
  const { client } = await newStage(service);
  await client("webhooks.create", { body: { url: `${receiver.url}/marks` } });
  await createWorkflow(client, "two", [
    { ...inApp({ subject: "two", body: "Hi" }), stepId: "first" } as never,
    { name: "Wait", type: "delay", controlValues: { type: "regular", amount: 1, unit: "days" } },
    email({ subject: "read: {{ steps.first.read }}", body: "<p>Hi</p>" }),
  ]);
  const clock = (await client("environments.list")).body.find(({ apiKeys }) => apiKeys)!._id;
  const transactionId = await trigger(client, "two", { ...ada, email: "ada@example.com" });
  const id = await eventually(async () => (await listed(client, {}).catch(() => []))[0]?.id, "the message");
  await client("subscriberNotifications.archive", { params: { ...ada, notificationId: id } });
  await client("subscriberNotifications.unarchive", { params: { ...ada, notificationId: id } });
  await client("environments.updateClock", {
    params: { environmentId: clock },
    body: { now: new Date(Date.now() + 25 * 3_600_000).toISOString() },
  });
  await settled(client, transactionId);
  const mail = (await messagesOf(client, transactionId)).find(({ channel }) => channel === "email");
  assert.equal(mail?.subject, "read: true");
  await client("subscriberNotifications.delete", { params: { ...ada, notificationId: id } });
  const types = await eventually(async () => {
    const { data } = (
      await client("webhooks.listDeliveries", {
        params: { webhookId: (await client("webhooks.list")).body[0]!.id },
        query: { limit: 100 },
      })
    ).body;
    const found = data.map(({ type }) => type);
    return found.includes("message.deleted") ? found : null;
  }, "the deletion at the webhook");
  for (const type of ["message.read", "message.archived", "message.unarchived", "message.deleted"]) {
    assert.ok(types.includes(type as never), `${type} in ${types.join()}`);
  }
});

test("what cannot be read is refused with its field, and unknown subscribers are not found", async () => {
  const { client, ids } = await withMessages();
  const fields = async (id: OperationId, input: object) =>
    Object.keys(errorOf(await client.raw(id, { params: ada, ...input }), "VALIDATION_ERROR").errors!);
  const list = (query: object) => fields("subscriberNotifications.list", { query });
  assert.deepEqual(await list({ after: "x" }), ["after"]);
  assert.deepEqual(await list({ data: "[1]" }), ["data"]);
  assert.deepEqual(await list({ data: "{" }), ["data"]);
  assert.deepEqual(await list({ severity: "loud" }), ["severity.0"]);
  const count = (filters: string) => fields("subscriberNotifications.count", { query: { filters } });
  assert.deepEqual(await count("{}"), ["filters"]);
  assert.deepEqual(await count("[]"), ["filters"]);
  assert.deepEqual(await count('[{"read":1}]'), ["filters.0.read"]);
  assert.deepEqual(await count(JSON.stringify(Array(31).fill({}))), ["filters"]);
  const body = { tags: {} };
  assert.deepEqual(await fields("subscriberNotifications.deleteAll", { body }), ["tags.or", "tags.and"]);
  assert.equal((await listed(client, {})).length, 3, "nothing was deleted");
  const unknown = { params: { subscriberId: "unknown", notificationId: ids.news } };
  errorOf(await client.raw("subscriberNotifications.markRead", unknown), "SUBSCRIBER_NOT_FOUND");
  errorOf(await client.raw("subscriberNotifications.list", unknown), "SUBSCRIBER_NOT_FOUND");
  const deep = `{"a":${"[".repeat(3_000)}${"]".repeat(3_000)}}`;
  const answer = await client.raw("subscriberNotifications.list", { params: ada, query: { data: deep } });
  assert.ok(answer.status < 500, String(answer.status));
});
