import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedItem } from "@tidings/contract";
import { before } from "@tidings/testkit/at-end";
import { faultsOf } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { assertShape } from "@tidings/testkit/shapes";
import { createWorkflow, email, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const { client, production, db, environmentId, productionId } = await shareService();

const payloads = {
  first: { n: 1, user: { name: "Ada", tags: ["a", "b"] }, list: [], note: null, sign: "??>>~~" },
  second: { n: 2, user: { name: "Ada", tags: ["b", "a"] }, list: [1], sign: "ÿ" },
  third: { n: 3, user: { name: "Bob" }, flag: true, text: "1" },
};
type Name = keyof typeof payloads;

before(async () => {
  await createWorkflow(client, "note", [inApp({ body: "{{ payload.n }}", data: { n: "{{ payload.n }}" } }), email()], {
    tags: ["news"],
  });
  for (const payload of Object.values(payloads)) {
    await settled(client, await trigger(client, "note", { subscriberId: "ada", firstName: "Ada" }, payload));
  }
  await settled(client, await trigger(client, "note", "bob", payloads.first));
  await createWorkflow(production, "note", [inApp()]);
  await settled(production, await trigger(production, "note", "ada"));
});

type Query = Record<string, unknown>;
type Page = { data: FeedItem[]; hasMore: boolean; pageSize: number; page: number; totalCount: number };
const feed = async (query: Query = {}, by = client): Promise<Page> => {
  const { status, body } = await by.raw("subscribers.listFeed", { params: { subscriberId: "ada" }, query });
  assert.equal(status, 200, JSON.stringify(body));
  return body as Page;
};
const nameOf = (item: FeedItem) =>
  Object.entries(payloads).find(([, { n }]) => n === (item.payload as { n: number }).n)![0];
const found = async (query: Query) => (await feed(query)).data.map(nameOf);
const change = (name: Name, column: "read_at" | "seen_at" | "archived_at" | "snoozed_until", at: Date | null) =>
  sql`update messages m set ${sql.ref(column)} = ${at} from events e, subscribers s
    where e.id = m.event_id and s.id = m.subscriber_id and m.channel = 'in_app' and s.subscriber_id = 'ada'
      and m.environment_id in (${environmentId}, ${productionId}) and e.payload->>'n' = ${String(payloads[name].n)}`.execute(
    db,
  );

const all: Name[] = ["third", "second", "first"];
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

const payloadFilters: [name: string, filter: unknown, expected: Name[]][] = [
  ["nothing", {}, all],
  ["a number", { n: 2 }, ["second"]],
  ["a number is not a text", { text: 1 }, []],
  ["a boolean", { flag: true }, ["third"]],
  ["null, which is not the same as absent", { note: null }, ["first"]],
  ["something nested", { user: { name: "Ada" } }, ["second", "first"]],
  ["several leaves, all of which must match", { n: 1, user: { name: "Ada" } }, ["first"]],
  ["leaves that contradict", { n: 1, user: { name: "Bob" } }, []],
  ["a list, each item at its place", { user: { tags: ["a", "b"] } }, ["first"]],
  ["the beginning of a list", { user: { tags: ["b"] } }, ["second"]],
  ["an empty list", { list: [] }, ["first"]],
  ["an object where there is a text", { text: { deep: 1 } }, []],
  ["a member that does not exist", { missing: 1 }, []],
];

for (const [name, filter, expected] of payloadFilters) {
  test(`payload filter: ${name}`, async () => {
    assert.deepEqual(await found({ payload: base64(filter) }), expected);
    assert.equal((await feed({ payload: base64(filter) })).totalCount, expected.length);
  });
}

test("both alphabets, with or without padding, and a plus sign that was not escaped", async () => {
  const filter = { sign: "??>>~~", user: { name: "Ada" } };
  const standard = base64(filter);
  const url = Buffer.from(JSON.stringify(filter)).toString("base64url");
  assert.match(standard, /[+/]/);
  for (const payload of [standard, standard.replace(/=+$/, ""), url]) {
    assert.deepEqual(await found({ payload }), ["first"], payload);
  }
  const withPlus = base64({ sign: "ÿ", n: 2, text: undefined });
  assert.deepEqual(await found({ payload: withPlus.replaceAll("+", " ") }), ["second"]);
});

for (const payload of [
  "",
  "%%%",
  "not base64!",
  base64([1]),
  base64("text"),
  base64(null),
  base64({ a: "\u0000" }),
  "e30",
  "eyJhIjo",
]) {
  const isFine = payload === "e30";
  test(`the payload filter ${JSON.stringify(payload)} is ${isFine ? "an empty object" : "refused"}`, async () => {
    if (isFine) return assert.deepEqual(await found({ payload }), all);
    const input = { params: { subscriberId: "ada" }, query: { payload } };
    assert.deepEqual(await faultsOf(client, "subscribers.listFeed", input), {
      payload: ["payload must be a base64-encoded JSON object"],
    });
  });
}

test("read and seen filter by the record; absent means both", async () => {
  await change("first", "read_at", new Date());
  await change("first", "seen_at", new Date());
  await change("second", "seen_at", new Date());
  const cases: [query: Query, expected: Name[]][] = [
    [{}, all],
    [{ read: true }, ["first"]],
    [{ read: false }, ["third", "second"]],
    [{ seen: true }, ["second", "first"]],
    [{ seen: false }, ["third"]],
    [{ read: false, seen: true }, ["second"]],
    [{ read: true, seen: false }, []],
    [{ read: true, payload: base64({ n: 2 }) }, []],
  ];
  for (const [query, expected] of cases) assert.deepEqual(await found(query), expected, JSON.stringify(query));
  const flags = (await feed()).data.map(({ read, seen }) => [read, seen]);
  assert.deepEqual(flags, [
    [false, false],
    [false, true],
    [true, true],
  ]);
  // Reading the feed marks nothing.
  assert.deepEqual(await found({ seen: false }), ["third"]);
});

test("archived items stay with their flag, snoozed ones are hidden until they are due", async () => {
  await change("second", "archived_at", new Date());
  await change("third", "snoozed_until", new Date(Date.now() + 3_600_000));
  const hidden = await feed();
  assert.deepEqual(hidden.data.map(nameOf), ["second", "first"]);
  assert.deepEqual([hidden.totalCount, ...hidden.data.map(({ archived }) => archived)], [2, true, false]);
  await change("third", "snoozed_until", new Date(Date.now() - 1_000));
  assert.deepEqual(await found({}), all);
});

test("an item has everything the contract requires", async () => {
  const page = await feed();
  assertShape("subscribers.listFeed", page);
  const item = page.data[2]!;
  assert.deepEqual([item.content, item.channel, item.status, item.providerId], ["1", "in_app", "sent", "svc"]);
  assert.deepEqual([item.cta, item.data, item.tags, item.templateIdentifier], [{}, { n: "1" }, ["news"], "note"]);
  assert.deepEqual(item.actor, { type: "none", data: null });
  assert.deepEqual(item.subscriber, { _id: item._subscriberId, subscriberId: "ada", firstName: "Ada" });
  assert.deepEqual(item.payload, payloads.first);
});

test("pages are exact", async () => {
  const pages = [await feed({ limit: 2 }), await feed({ limit: 2, page: 1 }), await feed({ limit: 2, page: 9e15 })];
  assert.deepEqual(
    pages.map(({ hasMore, pageSize, totalCount }) => [hasMore, pageSize, totalCount]),
    [
      [true, 2, 3],
      [false, 1, 3],
      [false, 0, 3],
    ],
  );
  assert.deepEqual(
    pages.flatMap(({ data }) => data.map(nameOf)),
    all,
  );
  const query = { limit: 101, page: -1, read: "maybe", seen: 1 };
  assert.deepEqual(await faultsOf(client, "subscribers.listFeed", { params: { subscriberId: "ada" }, query }), {
    limit: ["limit must not be greater than 100"],
    page: ["page must not be less than 0"],
    read: ["read must be a boolean"],
    seen: ["seen must be a boolean"],
  });
});

test("the same id in another environment is another person", async () => {
  const { data } = await feed({}, production);
  assert.equal(data.length, 1);
  assert.ok(!(await feed()).data.some(({ _id }) => _id === data[0]!._id));
});
