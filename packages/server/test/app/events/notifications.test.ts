import assert from "node:assert/strict";
import { test } from "node:test";
import { type Notification, stepTypes } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { newStage } from "@tidings/testkit/clock";
import { only } from "@tidings/testkit/lists";
import { faultsOf, refused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { assertShape } from "@tidings/testkit/shapes";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const service = await shareService();
const { client, production, db } = service;

const ids: Record<string, string> = {};
/** Transaction ids by the names the tests below use. */
const sent: Record<string, string> = {};
const nameOf = (transactionId: string) => Object.entries(sent).find(([, id]) => id === transactionId)?.[0];

before(async () => {
  const create = async (id: string, steps: Parameters<typeof createWorkflow>[2], settings = {}) => {
    ids[id] = (await createWorkflow(client, id, steps, settings))._id;
  };
  await create("chime", [inApp()], { severity: "high", tags: ["t1"] });
  await create("letter", [email(), { ...inApp(), active: false }], {
    preferences: { workflow: { all: { readOnly: true } } },
  });
  await create("pair", [inApp(), email()]);
  const ada = { subscriberId: "ada", email: "ada@example.com", firstName: "Ada", phone: "+44" };
  const bob = { subscriberId: "bob", email: "bob@example.com" };
  sent.chimeAda = await trigger(client, "chime", ada, { order: 1 });
  await settled(client, sent.chimeAda);
  sent.letterBob = await trigger(client, "letter", bob);
  await settled(client, sent.letterBob);
  sent.pairAda = await trigger(client, "pair", ada);
  await settled(client, sent.pairAda);
  await createWorkflow(production, "chime", [inApp()]);
  await settled(production, await trigger(production, "chime", ada));
});

type Query = Record<string, unknown>;
type Page = { data: Notification[]; hasMore: boolean; pageSize: number; page: number };
const list = async (query: Query, by = client): Promise<Page> => {
  const { status, body } = await by.raw("notifications.list", { query });
  assert.equal(status, 200, JSON.stringify(body));
  return body as Page;
};
const found = async (query: Query) => (await list(query)).data.map(({ transactionId }) => nameOf(transactionId));

const all = ["pairAda", "letterBob", "chimeAda"];
const farPast = "2020-01-01";

/** Queries are built when the test runs: ids are known only then. */
const filters: [name: string, query: () => Query, expected: string[]][] = [
  ["nothing, newest first", () => ({}), all],
  ["one step type", () => ({ channels: "email" }), ["pairAda", "letterBob"]],
  ["any of several step types", () => ({ channels: ["in_app", "digest"] }), ["pairAda", "chimeAda"]],
  ["an unused step type", () => ({ channels: "sms" }), []],
  ["the trigger, which every event has", () => ({ channels: "trigger" }), all],
  ["the trigger or a step type", () => ({ channels: ["sms", "trigger"] }), all],
  ["the trigger and a subscriber", () => ({ channels: "trigger", subscriberIds: "bob" }), ["letterBob"]],
  ["a workflow's internal id", () => ({ templates: ids.chime }), ["chimeAda"]],
  ["workflow identifiers", () => ({ templates: ["pair", "letter"] }), ["pairAda", "letterBob"]],
  ["an unknown workflow", () => ({ templates: "unknown" }), []],
  ["an address", () => ({ emails: "bob@example.com" }), ["letterBob"]],
  ["any of several addresses", () => ({ emails: ["bob@example.com", "ada@example.com"] }), all],
  ["a subscriber", () => ({ subscriberIds: "ada" }), ["pairAda", "chimeAda"]],
  ["any of several subscribers", () => ({ "subscriberIds[]": ["bob", "nobody"] }), ["letterBob"]],
  ["a severity", () => ({ severity: "high" }), ["chimeAda"]],
  ["no severity", () => ({ severity: "none" }), ["pairAda", "letterBob"]],
  ["any of several severities", () => ({ severity: ["none", "high"] }), all],
  ["a transaction", () => ({ transactionId: sent.pairAda }), ["pairAda"]],
  ["not a part of a transaction id", () => ({ transactionId: sent.pairAda!.slice(0, 20) }), []],
  ["part of a transaction id", () => ({ search: sent.letterBob!.slice(10) }), ["letterBob"]],
  ["part of a subscriberId", () => ({ search: "bo" }), ["letterBob"]],
  ["in upper case", () => ({ search: "BOB@EX" }), ["letterBob"]],
  ["a transaction id in upper case", () => ({ search: sent.letterBob!.slice(10).toUpperCase() }), ["letterBob"]],
  ["part of an address", () => ({ search: "ada@ex" }), ["pairAda", "chimeAda"]],
  ["a pattern is taken literally", () => ({ search: "%" }), []],
  ["records without context", () => ({ contextKeys: "" }), all],
  ["an unused context", () => ({ contextKeys: "tenant:acme" }), []],
  ["filters together", () => ({ subscriberIds: "ada", channels: "email" }), ["pairAda"]],
  ["filters that contradict", () => ({ subscriberIds: "ada", emails: "bob@example.com" }), []],
  ["a start before everything kept", () => ({ after: farPast }), all],
  ["an end before everything", () => ({ before: farPast }), []],
  ["a start in the future", () => ({ after: "2999-01-01T00:00:00+02:00" }), []],
];

for (const [name, query, expected] of filters) {
  test(`filter by ${name}`, async () => assert.deepEqual(await found(query()), expected));
}

test("after and before are exclusive, to the millisecond", async () => {
  const { data } = await list({});
  const [newest, middle, oldest] = data.map(({ createdAt }) => createdAt!);
  assert.deepEqual(await found({ after: middle }), ["pairAda"]);
  assert.deepEqual(await found({ before: middle }), ["chimeAda"]);
  assert.deepEqual(await found({ after: oldest, before: newest }), ["letterBob"]);
  const beside = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
  assert.deepEqual(await found({ after: beside(oldest!, -1), before: beside(newest!, 1) }), all);
  // Windows side by side: the second begins a millisecond before the first ends, and each event is in one of them.
  const windows = [{ before: middle }, { after: beside(middle!, -1) }];
  assert.deepEqual(await Promise.all(windows.map(found)), [["chimeAda"], ["pairAda", "letterBob"]]);
  // Times finer than a millisecond lie behind the millisecond they begin with.
  const finer = middle!.replace("Z", "0009Z");
  assert.deepEqual(await found({ after: finer }), ["pairAda"]);
  assert.deepEqual(await found({ before: finer }), ["letterBob", "chimeAda"]);
  assert.deepEqual(await found({ after: beside(middle!, -1), before: finer }), ["letterBob"]);
  assert.deepEqual(await found({ before: middle!.replace("Z", "0000Z") }), ["chimeAda"]);
});

test("what happened in the millisecond of the request is listed when no end is asked for", async () => {
  const { client: own } = await newStage(service, "2026-03-02T09:00:00.000Z");
  await createWorkflow(own, "chime", [inApp()]);
  const transactionId = await trigger(own, "chime", "ada");
  const [{ createdAt }] = (await settled(own, transactionId)) as [Notification];
  assert.equal(createdAt, "2026-03-02T09:00:00.000Z", "the clock stands still");
  assert.equal((await list({ transactionId }, own)).data.length, 1);
  assert.equal((await list({ transactionId, before: createdAt }, own)).data.length, 0);
});

test("what is older than the retention period is not listed, whatever is asked", async () => {
  const transactionId = await trigger(production, "chime", "old");
  const old = only(await settled(production, transactionId));
  const countWhenOld = async (days: number) => {
    const createdAt = new Date(Date.now() - days * 86_400_000);
    await sql`update notifications set created_at = ${createdAt} where id = ${old._id!}`.execute(db);
    return (await list({ transactionId, after: farPast }, production)).data.length;
  };
  assert.equal(await countWhenOld(89), 1);
  assert.equal(await countWhenOld(91), 0);
});

const refusals: [query: Query, faults: Record<string, string[]>][] = [
  [
    { limit: 51, page: -1 },
    { limit: ["limit must not be greater than 50"], page: ["page must not be less than 0"] },
  ],
  [{ limit: 0 }, { limit: ["limit must not be less than 1"] }],
  [{ severity: "loud" }, { "severity.0": ["severity.0 must be one of: high, medium, low, none"] }],
  [
    { channels: ["trigger", "fax"] },
    {
      "channels.1": [`channels.1 must be one of: ${stepTypes.join(", ")}, trigger`],
    },
  ],
  [{ after: "2026-01-01", before: "2026-01-01T00:00:00Z" }, { after: ["after must be earlier than before"] }],
  [{ after: "yesterday" }, { after: ["after must be a date"] }],
  [{ before: "2026-99-99" }, { before: ["before must be a date"] }],
  [{ after: "2026-01-02", before: "2026-01-01" }, { after: ["after must be earlier than before"] }],
  [{ contextKeys: "acme" }, { contextKeys: ["contextKeys must have the form <type>:<id>"] }],
];

for (const [query, faults] of refusals) {
  test(`a list with ${JSON.stringify(query)} is refused`, async () => {
    assert.deepEqual(await faultsOf(client, "notifications.list", { query }), faults);
  });
}

test("pages are exact: hasMore, pageSize, and an empty page beyond the end", async () => {
  const first = await list({ limit: 2 });
  assert.deepEqual([first.hasMore, first.pageSize, first.page], [true, 2, 0]);
  const second = await list({ limit: 2, page: 1 });
  assert.deepEqual([second.hasMore, second.pageSize, second.page], [false, 1, 1]);
  const names = [...first.data, ...second.data].map(({ transactionId }) => nameOf(transactionId));
  assert.deepEqual(names, all);
  const whole = await list({ limit: 3 });
  assert.deepEqual([whole.hasMore, whole.pageSize], [false, 3]);
  for (const page of [2, 9_007_199_254_740_991]) {
    const { data, hasMore, pageSize } = await list({ limit: 2, page });
    assert.deepEqual([data, hasMore, pageSize], [[], false, 0]);
  }
  assert.ok(!("totalCount" in first));
});

test("an item shows the recipient, the workflow and its jobs", async () => {
  const { body } = await client("notifications.list", { query: { transactionId: sent.chimeAda } });
  assertShape("notifications.list", body);
  const [item] = body.data;
  assert.deepEqual(item!.channels, ["in_app"]);
  assert.deepEqual(item!.subscriber, {
    ...{ _id: item!._subscriberId, subscriberId: "ada", firstName: "Ada" },
    ...{ email: "ada@example.com", phone: "+44" },
  });
  assert.deepEqual(item!.template, {
    ...{ _id: ids.chime, name: "chime", origin: "svc-cloud" },
    triggers: [{ type: "event", identifier: "chime", variables: [] }],
  });
  assert.deepEqual([item!._templateId, item!.payload, item!.tags], [ids.chime, { order: 1 }, ["t1"]]);
  assert.deepEqual([item!.severity, item!.critical, item!.contextKeys, item!.topics], ["high", false, [], []]);
  assert.equal((item!.to as { subscriberId: string }).subscriberId, "ada");
  const [job] = item!.jobs!;
  assert.deepEqual([job!.type, job!.status, job!.providerId], ["in_app", "completed", "svc"]);
  assert.deepEqual([job!.step.filters, job!.step._templateId], [[], job!.step._id]);
  const times = job!.executionDetails.map(({ createdAt }) => createdAt!);
  assert.deepEqual(times, times.toSorted());
  for (const { isRetry, isTest } of job!.executionDetails) assert.deepEqual([isRetry, isTest], [false, false]);
  assert.equal(new Set(job!.executionDetails.map(({ _id }) => _id)).size, times.length);
});

test("only active steps become jobs, in order, with the provider used", async () => {
  const [letter] = (await list({ transactionId: sent.letterBob })).data;
  assert.deepEqual(
    letter!.jobs!.map(({ type, providerId }) => [type, providerId]),
    [["email", "svc-email"]],
  );
  assert.equal(letter!.critical, true);
  const [pair] = (await list({ transactionId: sent.pairAda })).data;
  assert.deepEqual(
    pair!.jobs!.map(({ type }) => type),
    ["in_app", "email"],
  );
});

test("an event for several people is one item each; renaming the workflow does not rewrite history", async () => {
  await createWorkflow(production, "team", [inApp()]);
  const transactionId = await trigger(production, "team", ["t-1", "t-2", "t-3"]);
  await settled(production, transactionId);
  await production("workflows.patch", { params: { workflowId: "team" }, body: { name: "Renamed" } });
  const { data } = await list({ transactionId }, production);
  assert.deepEqual(data.map(({ subscriber }) => subscriber!.subscriberId).sort(), ["t-1", "t-2", "t-3"]);
  assert.deepEqual(new Set(data.map(({ template }) => template!.name)), new Set(["team"]));
  await production("workflows.delete", { params: { workflowId: "team" } });
  assert.equal((await list({ templates: "team" }, production)).data.length, 3);
});

test("one notification is found by its id, in its own environment", async () => {
  const [item] = (await list({ transactionId: sent.pairAda })).data;
  const params = { notificationId: item!._id! };
  const { body } = await client("notifications.retrieve", { params });
  assertShape("notifications.retrieve", body);
  assert.deepEqual(body, item);
  await refused(production, "notifications.retrieve", { params }, "NOTIFICATION_NOT_FOUND");
  for (const notificationId of ["none", "0199a1b2-0000-7000-8000-000000000001"]) {
    const input = { params: { notificationId } };
    const error = await refused(client, "notifications.retrieve", input, "NOTIFICATION_NOT_FOUND");
    assert.equal(error.message, `Notification with id ${notificationId} not found`);
  }
  const { data } = await list({ templates: "chime" }, production);
  assert.ok(data.length > 0);
  for (const other of data) {
    assert.notEqual(other._environmentId, item!._environmentId);
    assert.equal(other._organizationId, item!._organizationId);
  }
});

test("execution details have ids of their own, in order of time", async () => {
  const { data } = await list({});
  const taken = new Set<string>();
  for (const notification of data) {
    taken.add(notification._id!);
    for (const job of notification.jobs!) taken.add(job._id!);
  }
  const entries = data.flatMap(({ jobs }) => jobs!.flatMap(({ executionDetails }) => executionDetails));
  assert.ok(entries.length > 10);
  for (const { _id } of entries) {
    assert.match(_id!, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok(!taken.has(_id!), "no other thing has the same id");
    taken.add(_id!);
  }
  const byId = entries.toSorted((a, b) => (a._id! < b._id! ? -1 : 1)).map(({ createdAt }) => createdAt!);
  assert.deepEqual(byId, byId.toSorted());
});
