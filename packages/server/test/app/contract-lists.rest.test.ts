// What the contract says about lists beyond their filters: defaults, the page that is returned, and where counting
// ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countCap } from "@tidings/contract";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, settled } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const { client, db } = await startTestService();
const params = { subscriberId: "ada" };

await createWorkflow(client, "note", [inApp({ body: "{{ payload.n }}" })]);
const events = Array.from({ length: 12 }, (_, n) => ({
  name: "note",
  to: "ada",
  payload: { n },
  ...(n === 0 ? { context: { tenant: "acme", app: "web" } } : {}),
}));
const sent = (await client("events.triggerBulk", { body: { events } })).body.map((item) => item.transactionId!);
for (const transactionId of sent) await settled(client, transactionId);

const pages = {
  feed: async (query = {}) => (await client("subscribers.listFeed", { params, query })).body,
  messages: async (query = {}) => (await client("messages.list", { query })).body,
  notifications: async (query = {}) => (await client("notifications.list", { query })).body,
};

for (const [name, read] of Object.entries(pages)) {
  test(`${name}: the first ten without being asked, then the rest`, async () => {
    const { page, pageSize, hasMore, data } = await read();
    assert.deepEqual([page, pageSize, hasMore, data.length], [0, 10, true, 10]);
    const last = await read({ page: 1 });
    assert.deepEqual([last.page, last.pageSize, last.hasMore, last.data.length], [1, 2, false, 2]);
    assert.equal(new Set([...data, ...last.data].map(({ _id }) => _id)).size, 12);
  });
}

test("messages of a set of contexts, in any order, and no others", async () => {
  const found = async (...contextKeys: string[]) =>
    (await pages.messages({ contextKeys })).data.map(({ content, contextKeys }) => [content, contextKeys]);
  assert.deepEqual(await found("tenant:acme", "app:web"), [["0", ["app:web", "tenant:acme"]]]);
  assert.deepEqual(await found("tenant:acme"), []);
});

test("notifications: without after and before, from the start of the retention period until now", async () => {
  const [first, second] = (await pages.notifications({ page: 1 })).data;
  const move = (id: string, days: number) =>
    sql`update notifications set created_at = now() + ${days} * interval '1 day' where id = ${id}`.execute(db);
  const listed = async (query = {}) => {
    const { data } = await pages.notifications({ limit: 50, ...query });
    return [first, second].map((one) => data.some(({ _id }) => _id === one!._id));
  };
  await move(first!._id!, 1);
  await move(second!._id!, -91);
  assert.deepEqual(await listed(), [false, false]);
  const before = new Date(Date.now() + 2 * 86_400_000).toISOString();
  assert.deepEqual(await listed({ before }), [true, false]);
  await move(second!._id!, -89);
  assert.deepEqual(await listed(), [false, true]);
});

test("a subscriber's subscriptions: before goes back, includeCursor brings the cursor's own item", async () => {
  const keys = Array.from({ length: 5 }, (_, n) => `t${n}`);
  for (const topicKey of keys) {
    await client("topicSubscriptions.create", { params: { topicKey }, body: { subscriptions: ["ada"] } });
  }
  const page = async (query: object) => {
    const input = { params, query: { limit: 2, orderDirection: "ASC" as const, ...query } };
    const { data, ...rest } = (await client("subscribers.listSubscriptions", input)).body;
    return { keys: data.map(({ topic }) => topic.key), ...rest };
  };
  const second = await page({ after: (await page({})).next });
  assert.deepEqual(second.keys, ["t2", "t3"]);
  const back = await page({ before: second.previous });
  assert.deepEqual([back.keys, back.previous], [["t0", "t1"], null]);
  assert.deepEqual((await page({ before: second.previous, includeCursor: true })).keys, ["t1", "t2"]);
  assert.deepEqual((await page({ after: second.previous, includeCursor: true })).keys, ["t2", "t3"]);
});

test("cursor lists count up to 50,000 and say when there are more", async () => {
  assert.equal(countCap, 50_000);
  const body = { subscriptions: [{ subscriberId: "ada", identifier: "0" }] };
  await client("topicSubscriptions.create", { params: { topicKey: "crowd" }, body });
  const query = { key: "crowd" };
  const read = async () => (await client("subscribers.listSubscriptions", { params, query })).body;
  // Copies of the row that the interface made. All cursor lists count in the same query, store/paging.ts.
  await sql`insert into topic_subscriptions (id, environment_id, topic_id, subscriber_id, identifier, created_at, updated_at)
    select gen_random_uuid(), environment_id, topic_id, subscriber_id, n::text, created_at, updated_at
    from topic_subscriptions, generate_series(1, ${countCap}) n where identifier = '0'`.execute(db);
  const capped = await read();
  assert.deepEqual([capped.totalCount, capped.totalCountCapped, capped.data.length], [50_000, true, 10]);
  await client("topicSubscriptions.delete", { params: { topicKey: "crowd" }, body });
  const { totalCount, totalCountCapped } = await read();
  assert.deepEqual([totalCount, totalCountCapped], [50_000, false]);
});
