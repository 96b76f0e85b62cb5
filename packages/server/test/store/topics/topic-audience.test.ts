// The audience of topics: each member once, page by page, with all matching subscriptions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import fc from "@tidings/testkit/properties";
import { sql } from "kysely";
import { newId } from "../../../src/lib/ids.ts";
import { openDb } from "../../../src/store/db.ts";
import { type AudienceMember, findTopicAudience } from "../../../src/store/topics/topic-audience.ts";

const database = await createTestDatabase();
const db = openDb({ url: database.url, poolSize: 2, onError: () => {} });
atEnd(async () => {
  await db.destroy();
  await database.drop();
});

const environmentId = newId();
const elsewhere = newId();
const organizationId = newId();
await sql`insert into organizations (id, name, created_at) values (${organizationId}, 'o', now())`.execute(db);
for (const [id, name] of [
  [environmentId, "one"],
  [elsewhere, "two"],
]) {
  await sql`insert into environments (id, organization_id, name, identifier, type, created_at, updated_at)
    values (${id}, ${organizationId}, ${name}, ${name}, 'dev', now(), now())`.execute(db);
}

/** Members m0 … m<count - 1> of a topic, each with as many subscriptions as said. */
async function fill(
  environment: string,
  key: string,
  count: number,
  options: { each?: number; context?: string[] } = {},
) {
  await sql`insert into topics (id, environment_id, key, created_at, updated_at)
    values (${newId()}, ${environment}, ${key}, now(), now()) on conflict do nothing`.execute(db);
  await sql`insert into subscribers (id, environment_id, subscriber_id, created_at, updated_at)
    select gen_random_uuid(), ${environment}, 'm' || n, now(), now() from generate_series(0, ${count}::int - 1) n
    on conflict do nothing`.execute(db);
  await sql`insert into topic_subscriptions
      (id, environment_id, topic_id, subscriber_id, identifier, context_keys, rules, created_at, updated_at)
    select gen_random_uuid(), ${environment}, t.id, s.id, gen_random_uuid(), ${options.context ?? []}::text[],
           '[{"workflowId": "w"}]', now(), now()
    from topics t, generate_series(0, ${count}::int - 1) n, generate_series(1, ${options.each ?? 1}::int), subscribers s
    where t.environment_id = ${environment} and t.key = ${key}
      and s.environment_id = ${environment} and s.subscriber_id = 'm' || n`.execute(db);
}

async function walk(topicKeys: string[], contextKeys: string[], limit: number): Promise<AudienceMember[]> {
  const found: AudienceMember[] = [];
  let at: string | null = null;
  for (;;) {
    const { members, next } = await findTopicAudience(db, environmentId, {
      topicKeys,
      contextKeys,
      afterRecipientRowId: at,
      limit,
    });
    assert.ok(members.length <= limit);
    found.push(...members);
    if (next === null) return found;
    at = next;
  }
}

await fill(environmentId, "large", 1_500);
await fill(environmentId, "small", 40, { each: 3 });
await fill(environmentId, "small", 7, { context: ["tenant:acme"] });
await fill(environmentId, "empty", 0);
await fill(elsewhere, "large", 5);

test("every member once, in the order of internal ids, with what a rule needs", async () => {
  const members = await walk(["large"], [], 400);
  const ids = members.map(({ subscriber }) => subscriber.id);
  assert.equal(new Set(ids).size, 1_500);
  assert.deepEqual(ids, [...ids].sort());
  const [first] = members;
  assert.equal(first!.subscriber.environment_id, environmentId);
  assert.equal(first!.subscriptions.length, 1);
  const { id, identifier, topicId, ...rest } = first!.subscriptions[0]!;
  assert.ok(id && identifier && topicId);
  assert.deepEqual(rest, { topicKey: "large", rules: [{ workflowId: "w" }] });
});

test("several topics and subscriptions: one member, all subscriptions; contexts match exactly", async () => {
  const members = await walk(["small", "large", "unknown"], [], 100);
  assert.equal(members.length, 1_500);
  const both = members.filter(({ subscriptions }) => subscriptions.length > 1);
  assert.equal(both.length, 40);
  for (const { subscriptions } of both) {
    assert.deepEqual(subscriptions.map(({ topicKey }) => topicKey).sort(), ["large", "small", "small", "small"]);
  }
  assert.equal((await walk(["small"], ["tenant:acme"], 3)).length, 7);
  assert.equal((await walk(["small"], ["app:web", "tenant:acme"], 3)).length, 0);
});

test("no members: no topics, unknown topics, empty topics", async () => {
  for (const keys of [[], ["unknown"], ["empty"]]) assert.deepEqual(await walk(keys, [], 10), []);
});

test("the page size changes nothing", async () => {
  const whole = (await walk(["small"], [], 1_000)).map(({ subscriber }) => subscriber.subscriber_id);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), async (limit) => {
      const paged = (await walk(["small"], [], limit)).map(({ subscriber }) => subscriber.subscriber_id);
      assert.deepEqual(paged, whole);
    }),
    { numRuns: 10 },
  );
});
