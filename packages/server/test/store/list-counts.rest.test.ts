// The counts that the database keeps for lists without filters: in every snapshot they are equal to the rows, whatever
// is added, removed and rolled back at the same time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { sql } from "kysely";
import { newId } from "../../src/lib/ids.ts";
import { type Db, inReadOnlyTransaction, inTransaction, openDb } from "../../src/store/db.ts";
import { readMigrations } from "../../src/store/installation/migration-files.ts";
import { deleteSubscriber, listSubscribers, upsertSubscribers } from "../../src/store/subscribers/subscribers.ts";
import { insertSubscriptionsIn } from "../../src/store/topics/subscription-imports.ts";
import { deleteSubscriptions, listSubscriptions } from "../../src/store/topics/topic-subscriptions.ts";
import { deleteTopic } from "../../src/store/topics/topics.ts";

const writers = 4;
const database = await createTestDatabase();
const db = openDb({ url: database.url, poolSize: writers + 2, onError: () => {} });
atEnd(async () => {
  await db.destroy();
  await database.drop();
});

async function addEnvironment(at: Db = db): Promise<string> {
  const id = newId();
  await sql`insert into organizations (id, name, created_at) values (${id}, 'o', now())`.execute(at);
  await sql`insert into environments (id, organization_id, name, identifier, type, created_at, updated_at)
    values (${id}, ${id}, ${id}, ${id}, 'dev', now(), now())`.execute(at);
  return id;
}

async function addTopic(environmentId: string, key: string, at: Db = db): Promise<string> {
  const { rows } = await sql<{ id: string }>`insert into topics (id, environment_id, key, created_at, updated_at)
    values (${newId()}, ${environmentId}, ${key}, now(), now())
    on conflict (environment_id, key) do update set updated_at = now() returning id`.execute(at);
  return rows[0]!.id;
}

const addSubscribers = (at: Db, environmentId: string, keys: string[]) =>
  upsertSubscribers(at, environmentId, {
    entries: keys.map((subscriberId) => ({ id: newId(), subscriberId, fields: { firstName: "A" } })),
    now: new Date(),
  });

/** Each of the subscribers in each of the topics; existing subscriptions do not change. */
const subscribe = (at: Db, environmentId: string, topicIds: string[], subscriberIds: string[]) =>
  insertSubscriptionsIn(
    at,
    environmentId,
    topicIds.flatMap((topic_id) =>
      subscriberIds.map((subscriber_id) => ({
        id: newId(),
        topic_id,
        subscriber_id,
        identifier: subscriber_id,
        name: null,
      })),
    ),
    new Date(),
  );

/** The lists whose count is not the number of their rows, in one snapshot. */
const findWrongCounts = (at: Db = db) =>
  inReadOnlyTransaction(at, async (tx) => {
    const { rows } = await sql<object>`
      with rows_of as (
        select environment_id, topic_id as list_id, count(*) as count from topic_subscriptions group by 1, 2
        union all select environment_id, environment_id, count(*) from subscribers group by 1),
      kept as (select environment_id, list_id, sum(count) as count from list_counts group by 1, 2)
      select * from rows_of full join kept using (environment_id, list_id)
      where coalesce(rows_of.count, 0) <> coalesce(kept.count, 0)`.execute(tx);
    return rows;
  });

const isExpected = (error: unknown): boolean =>
  // A topic or subscriber that another writer deleted, or a deadlock of two deletions: the transaction is rolled back.
  ["23503", "40P01"].includes((error as { code?: string }).code ?? "");

test("counts equal rows in every snapshot while writers add, remove, and roll back", async () => {
  const environmentId = await addEnvironment();
  const topicKeys = ["a", "b", "c"];
  let seed = 7;
  const pick = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  const someKeys = () => Array.from({ length: 1 + pick(12) }, () => `s${pick(40)}`);
  const step = (at: Db) => async (action: number) => {
    const topics = await Promise.all(topicKeys.map((key) => addTopic(environmentId, key)));
    const people = await addSubscribers(at, environmentId, [...new Set(someKeys())]);
    const ids = people.map(({ id }) => id);
    if (action < 5) await subscribe(at, environmentId, topics.slice(pick(2)), ids);
    else if (action < 8) {
      const targets = ids.map((subscriber_id) => ({ subscriber_id, identifier: null }));
      await deleteSubscriptions(at, environmentId, topics[pick(3)]!, targets);
    } else if (action < 10) await deleteSubscriber(at, environmentId, ids[0]!);
    else await deleteTopic(at, environmentId, topicKeys[pick(3)]!);
  };
  const undone = new Error("undone");
  const write = async () => {
    for (let round = 0; round < 60; round++) {
      const isUndone = pick(6) === 0;
      await inTransaction(db, async (tx) => {
        await step(tx)(pick(11));
        if (isUndone) throw undone;
      }).catch((error) => {
        if (error !== undone && !isExpected(error)) throw error;
      });
    }
  };
  let isWriting = true;
  const look = async () => {
    for (let looks = 0; isWriting || looks < 10; looks++) assert.deepEqual(await findWrongCounts(), []);
  };
  const looking = look();
  await Promise.all(Array.from({ length: writers }, write)).finally(() => {
    isWriting = false;
  });
  await looking;
  assert.deepEqual(await findWrongCounts(), []);
  const { rows } = await sql<{ most: number }>`
    select max(count) as most from (select count(*) from list_counts group by list_id) as lists`.execute(db);
  assert.ok(rows[0]!.most <= 2 * writers, `a list has ${rows[0]!.most} rows`);
});

test("an open transaction holds up no other writer of the list", async () => {
  const environmentId = await addEnvironment();
  const topicId = await addTopic(environmentId, "held");
  const [one, two] = await addSubscribers(db, environmentId, ["one", "two"]);
  await inTransaction(db, async (tx) => {
    await subscribe(tx, environmentId, [topicId], [one!.id]);
    await subscribe(db, environmentId, [topicId], [two!.id]);
    assert.deepEqual(await findWrongCounts(), []);
  });
  assert.deepEqual(await findWrongCounts(), []);
});

test("lists without filters take the count, those with filters count", async () => {
  const environmentId = await addEnvironment();
  const topicId = await addTopic(environmentId, "topic");
  const people = await addSubscribers(
    db,
    environmentId,
    Array.from({ length: 30 }, (_, i) => `p${i}`),
  );
  await subscribe(
    db,
    environmentId,
    [topicId],
    people.map(({ id }) => id),
  );
  const request = { includeCursor: false, limit: 10, direction: "DESC" as const };
  const totals = async () => {
    const inTopic = await listSubscriptions(db, environmentId, {
      filters: { topicId },
      orderBy: "createdAt",
      request,
    });
    const ofOne = { topicId, subscriberId: people[0]!.id };
    const filtered = await listSubscriptions(db, environmentId, {
      filters: ofOne,
      orderBy: "createdAt",
      request,
    });
    const inContext = await listSubscriptions(db, environmentId, {
      filters: { topicId, contextKeys: [] },
      orderBy: "createdAt",
      request,
    });
    const all = await listSubscribers(db, environmentId, { filters: {}, orderBy: "createdAt", request });
    const named = await listSubscribers(db, environmentId, { filters: { name: "a" }, orderBy: "createdAt", request });
    return [inTopic, filtered, inContext, all, named].map(({ totalCount }) => totalCount);
  };
  assert.deepEqual(await totals(), [30, 1, 30, 30, 30]);
  await deleteSubscriber(db, environmentId, people[0]!.id);
  assert.deepEqual(await totals(), [29, 0, 29, 29, 29]);
});

test("a deleted environment leaves no counts behind", async () => {
  const environmentId = await addEnvironment();
  const topicId = await addTopic(environmentId, "topic");
  const people = await addSubscribers(db, environmentId, ["a", "b"]);
  await subscribe(
    db,
    environmentId,
    [topicId],
    people.map(({ id }) => id),
  );
  await sql`delete from environments where id = ${environmentId}`.execute(db);
  const { rows } = await sql`select 1 from list_counts where environment_id = ${environmentId}`.execute(db);
  assert.equal(rows.length, 0);
});

test("the migration counts the rows that are there", async (context) => {
  const older = await createTestDatabase({ isEmpty: true });
  const at = openDb({ url: older.url, poolSize: 2, onError: () => {} });
  context.after(async () => {
    await at.destroy();
    await older.drop();
  });
  const migrations = readMigrations();
  const index = migrations.findIndex(({ name }) => name.endsWith("_list_counts"));
  for (const { text } of migrations.slice(0, index)) await sql.raw(text).execute(at);
  const environmentId = await addEnvironment(at);
  const topics = [await addTopic(environmentId, "full", at), await addTopic(environmentId, "empty", at)];
  // By plain SQL: the functions of the store know later tables.
  const ids = [newId(), newId(), newId()];
  await sql`insert into subscribers (id, environment_id, subscriber_id, created_at, updated_at)
    select id, ${environmentId}, id::text, now(), now() from unnest(${ids}::uuid[]) as id`.execute(at);
  await subscribe(at, environmentId, [topics[0]!], ids);
  await sql.raw(migrations[index]!.text).execute(at);
  assert.deepEqual(await findWrongCounts(at), []);
  await subscribe(at, environmentId, topics, ids);
  await sql`delete from subscribers where id = ${ids[0]!}`.execute(at);
  assert.deepEqual(await findWrongCounts(at), []);
});
