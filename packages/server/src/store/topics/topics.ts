// Topics: named groups of subscribers. Members are in topic-subscriptions.ts.
import { type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";
export type TopicRow = Selectable<Tables["topics"]>;

export const findTopic = (db: Db, environmentId: string, key: string): Promise<TopicRow | undefined> =>
  db
    .selectFrom("topics")
    .where("environment_id", "=", environmentId)
    .where("key", "=", key)
    .selectAll()
    .executeTakeFirst();

/** The topics that exist; unknown keys are missing. */
export const findTopicsByKeys = async (db: Db, environmentId: string, keys: string[]): Promise<TopicRow[]> =>
  keys.length === 0
    ? []
    : db
        .selectFrom("topics")
        .where("environment_id", "=", environmentId)
        .where("key", "=", (eb) => eb.fn.any(eb.val(keys)))
        .selectAll()
        .execute();

export const findTopicsByIds = async (db: Db, environmentId: string, ids: string[]): Promise<TopicRow[]> =>
  ids.length === 0
    ? []
    : db.selectFrom("topics").where("environment_id", "=", environmentId).where("id", "in", ids).selectAll().execute();

export type NewTopic = { id: string; key: string; name?: string };

/** Undefined when the key is taken. */
const insertTopic = (db: Db, environmentId: string, topic: NewTopic, now: Date): Promise<TopicRow | undefined> =>
  db
    .insertInto("topics")
    .values({
      id: topic.id,
      environment_id: environmentId,
      key: topic.key,
      name: topic.name ?? null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(["environment_id", "key"]).doNothing())
    .returningAll()
    .executeTakeFirst();

/** Locks the topic against deletion; its members may still be changed. */
const findTopicToKeep = async (db: Db, environmentId: string, key: string): Promise<TopicRow | undefined> => {
  const { rows } = await sql<TopicRow>`
    select * from topics where environment_id = ${environmentId} and key = ${key} for key share`.execute(db);
  return rows[0];
};

/**
 * The topic with this key, created when there is none. An existing topic is not changed, and cannot be deleted until
 * the transaction ends.
 */
export async function findOrCreateTopic(
  db: Db,
  environmentId: string,
  topic: NewTopic,
  now: Date,
): Promise<{ row: TopicRow; isNew: boolean }> {
  // Another request may delete or create the topic between the two statements: then both are tried again.
  for (let round = 0; round < 5; round++) {
    const existing = await findTopicToKeep(db, environmentId, topic.key);
    if (existing) return { row: existing, isNew: false };
    const made = await insertTopic(db, environmentId, topic, now);
    if (made) return { row: made, isNew: true };
  }
  throw new Error(`topic ${topic.key} was created and deleted by other requests in five attempts`);
}

/**
 * The topics with these keys; missing ones are created, in the order of their keys, so that two callers cannot
 * deadlock. None of them can be deleted until the transaction ends.
 */
export async function createTopics(
  db: Db,
  environmentId: string,
  topics: { id: string; key: string }[],
  now: Date,
): Promise<TopicRow[]> {
  if (topics.length === 0) return [];
  await sql`
    insert into topics (id, environment_id, key, created_at, updated_at)
    select id, ${environmentId}, key, ${now}, ${now}
    from ${rowsOf("r", { id: "uuid", key: "text" }, topics)} order by key collate "C"
    on conflict (environment_id, key) do nothing`.execute(db);
  const keys = topics.map(({ key }) => key);
  const { rows } = await sql<TopicRow>`
    select * from topics where environment_id = ${environmentId} and key = any(${keys}) for key share`.execute(db);
  return rows;
}

export const renameTopic = (
  db: Db,
  environmentId: string,
  { key, name, now }: { key: string; name: string; now: Date },
): Promise<TopicRow | undefined> =>
  db
    .updateTable("topics")
    .set({ name, updated_at: now })
    .where("environment_id", "=", environmentId)
    .where("key", "=", key)
    .returningAll()
    .executeTakeFirst();

/** With its subscriptions. False when there is no such topic. */
export async function deleteTopic(db: Db, environmentId: string, key: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("topics")
    .where("environment_id", "=", environmentId)
    .where("key", "=", key)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Topics that have a name, by key; at most `limit`. Programs create topics without one when they add subscriptions. */
export const listNamedTopics = (db: Db, environmentId: string, limit: number): Promise<TopicRow[]> =>
  db
    .selectFrom("topics")
    .where("environment_id", "=", environmentId)
    .where("name", "is not", null)
    .orderBy("key")
    .limit(limit)
    .selectAll()
    .execute();

const topicColumns = { id: "uuid", environment_id: "uuid", key: "text", name: "text" };

/** Creates topics, or renames those that exist. */
export async function putTopics(db: Db, environmentId: string, topics: Required<NewTopic>[], now: Date): Promise<void> {
  if (topics.length === 0) return;
  const rows = topics.map((topic) => ({ ...topic, environment_id: environmentId }));
  await sql`insert into topics (id, environment_id, key, name, created_at, updated_at)
    select id, environment_id, key, name, ${now}, ${now} from ${rowsOf("r", topicColumns, rows)}
    on conflict (environment_id, key) do update set name = excluded.name, updated_at = excluded.updated_at`.execute(db);
}

export type TopicFilters = { key?: string; name?: string };

export function listTopics(
  db: Db,
  environmentId: string,
  { filters, orderBy, request }: { filters: TopicFilters; orderBy: "createdAt" | "updatedAt"; request: CursorRequest },
): Promise<CursorPage<TopicRow>> {
  const conditions = [sql`environment_id = ${environmentId}`];
  if (filters.key) conditions.push(sql`key = ${filters.key}`);
  if (filters.name) conditions.push(sql`position(lower(${filters.name}) in lower(name)) > 0`);
  const source = {
    columns: sql`*`,
    from: sql`from topics where ${sql.join(conditions, sql` and `)}`,
    sort: orderBy === "updatedAt" ? sql`updated_at` : sql`created_at`,
    id: sql`id`,
  };
  return cursorPage<TopicRow>(db, source, request);
}
