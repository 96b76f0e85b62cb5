// Topic subscriptions: the members of a topic, with identifiers and rules. The audience of an event is read by
// topic-audience.ts.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage, keptCount } from "../paging.ts";
import type { SubscriberRow } from "../subscribers/subscribers.ts";
import type { StoredRule, Tables } from "../tables.ts";

export type { StoredRule };
export type SubscriptionRow = Selectable<Tables["topic_subscriptions"]>;

/** By internal id or identifier; the internal id is tried first. */
export async function findSubscription(
  db: Db,
  environmentId: string,
  topicId: string,
  idOrIdentifier: string,
): Promise<SubscriptionRow | undefined> {
  const inTopic = db
    .selectFrom("topic_subscriptions")
    .where("environment_id", "=", environmentId)
    .where("topic_id", "=", topicId)
    .selectAll();
  const byId = isUuid(idOrIdentifier) ? await inTopic.where("id", "=", idOrIdentifier).executeTakeFirst() : undefined;
  return byId ?? inTopic.where("identifier", "=", idOrIdentifier).executeTakeFirst();
}

/** The oldest subscription of a subscriber with this internal id or identifier, in any topic. */
export async function findOwnSubscription(
  db: Db,
  environmentId: string,
  subscriberId: string,
  idOrIdentifier: string,
): Promise<SubscriptionRow | undefined> {
  const own = db
    .selectFrom("topic_subscriptions")
    .where("environment_id", "=", environmentId)
    .where("subscriber_id", "=", subscriberId)
    .orderBy("id")
    .selectAll();
  const byId = isUuid(idOrIdentifier) ? await own.where("id", "=", idOrIdentifier).executeTakeFirst() : undefined;
  return byId ?? own.where("identifier", "=", idOrIdentifier).limit(1).executeTakeFirst();
}

export async function hasSubscription(
  db: Db,
  environmentId: string,
  topicId: string,
  subscriberId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("topic_subscriptions")
    .where("environment_id", "=", environmentId)
    .where("topic_id", "=", topicId)
    .where("subscriber_id", "=", subscriberId)
    .select("id")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * The subscribers of these external ids, locked until the transaction ends, so that two requests cannot exceed the
 * limit of subscriptions together. Locked in the order of their key, like every batch of subscribers, so that two
 * requests cannot deadlock.
 */
export async function lockSubscribers(db: Db, environmentId: string, keys: string[]): Promise<SubscriberRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<SubscriberRow>`
    select * from subscribers where environment_id = ${environmentId} and subscriber_id = any(${keys})
    order by subscriber_id for no key update`.execute(db);
  return rows;
}

/** How many subscriptions these subscribers have in a topic; those without any are missing. */
export async function countSubscriptions(
  db: Db,
  environmentId: string,
  topicId: string,
  subscriberIds: string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ subscriber_id: string; count: number }>`
    select subscriber_id, count(*) as count from topic_subscriptions
    where environment_id = ${environmentId} and topic_id = ${topicId} and subscriber_id = any(${subscriberIds}::uuid[])
    group by subscriber_id`.execute(db);
  return new Map(rows.map((row) => [row.subscriber_id, row.count]));
}

export async function findSubscriptionsByIdentifiers(
  db: Db,
  environmentId: string,
  topicId: string,
  identifiers: string[],
): Promise<SubscriptionRow[]> {
  const { rows } = await sql<SubscriptionRow>`
    select * from topic_subscriptions
    where environment_id = ${environmentId} and topic_id = ${topicId} and identifier = any(${identifiers})`.execute(db);
  return rows;
}

export type NewSubscription = { id: string; subscriber_id: string; identifier: string; name: string | null };

/** Fields that all subscriptions of one request share. */
export type SubscriptionTerms = { contextKeys: string[]; rules: StoredRule[] };

/**
 * Returns the inserted rows, without identifiers that another request took meanwhile. Inserted in the order of the
 * identifiers, so that two requests for the same topic cannot deadlock.
 */
export async function insertSubscriptions(
  db: Db,
  environmentId: string,
  {
    topicId,
    entries,
    terms: { contextKeys, rules },
    now,
  }: { topicId: string; entries: NewSubscription[]; terms: SubscriptionTerms; now: Date },
): Promise<SubscriptionRow[]> {
  if (entries.length === 0) return [];
  const columns = { id: "uuid", subscriber_id: "uuid", identifier: "text", name: "text" };
  const { rows } = await sql<SubscriptionRow>`
    insert into topic_subscriptions
      (id, environment_id, topic_id, subscriber_id, identifier, name, context_keys, rules, created_at, updated_at)
    select id, ${environmentId}, ${topicId}, subscriber_id, identifier, name, ${contextKeys}::text[],
           ${JSON.stringify(rules)}::jsonb, ${now}, ${now}
    from ${rowsOf("r", columns, entries)} order by identifier collate "C"
    on conflict (topic_id, identifier) do nothing
    returning *`.execute(db);
  return rows;
}

export type SubscriptionChanges = { name?: string; rules?: StoredRule[] };

export const updateSubscription = (
  db: Db,
  environmentId: string,
  { id, changes: { name, rules }, now }: { id: string; changes: SubscriptionChanges; now: Date },
): Promise<SubscriptionRow | undefined> =>
  db
    .updateTable("topic_subscriptions")
    .set({ updated_at: now, ...(name !== undefined && { name }), ...(rules && { rules: JSON.stringify(rules) }) })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();

/** One entry of a deletion: all subscriptions of a subscriber, one identifier, or one identifier of a subscriber. */
export type DeletionTarget = { subscriber_id: string | null; identifier: string | null };

/** Deletes the subscriptions that match any target, and returns them in order of creation. */
export async function deleteSubscriptions(
  db: Db,
  environmentId: string,
  topicId: string,
  targets: DeletionTarget[],
): Promise<SubscriptionRow[]> {
  if (targets.length === 0) return [];
  // A union of two queries, because each has an index, and their "or" would have none.
  const { rows } = await sql<SubscriptionRow>`
    with target as (select * from ${rowsOf("r", { subscriber_id: "uuid", identifier: "text" }, targets)}),
    doomed as (
      select s.id from target t join topic_subscriptions s on s.subscriber_id = t.subscriber_id
      where s.topic_id = ${topicId} and (t.identifier is null or t.identifier = s.identifier)
      union
      select s.id from target t join topic_subscriptions s on s.topic_id = ${topicId} and s.identifier = t.identifier
      where t.subscriber_id is null
    ),
    locked as (select id from topic_subscriptions where id in (select id from doomed) order by id for update),
    deleted as (
      delete from topic_subscriptions s using locked where s.id = locked.id and s.environment_id = ${environmentId}
      returning s.*
    )
    select * from deleted order by id`.execute(db);
  return rows;
}

export type SubscriptionFilters = { topicId?: string; subscriberId?: string; contextKeys?: string[] };
export type SubscriptionOrder = "createdAt" | "updatedAt" | "identifier";

const sortColumns = { createdAt: "created_at", updatedAt: "updated_at", identifier: "identifier" };

/** The subscriptions of a topic, of a subscriber, or of both. */
export function listSubscriptions(
  db: Db,
  environmentId: string,
  {
    filters: { topicId, subscriberId, contextKeys },
    orderBy,
    request,
  }: { filters: SubscriptionFilters; orderBy: SubscriptionOrder; request: CursorRequest },
): Promise<CursorPage<SubscriptionRow>> {
  const conditions = [sql`environment_id = ${environmentId}`];
  if (topicId) conditions.push(sql`topic_id = ${topicId}`);
  if (subscriberId) conditions.push(sql`subscriber_id = ${subscriberId}`);
  if (contextKeys) conditions.push(sql`context_keys = ${contextKeys}::text[]`);
  const source = {
    columns: sql`*`,
    from: sql`from topic_subscriptions where ${sql.join(conditions, sql` and `)}`,
    sort: sql.ref(sortColumns[orderBy]),
    kind: orderBy === "identifier" ? ("text" as const) : ("time" as const),
    id: sql`id`,
    kept: topicId && !subscriberId && !contextKeys ? keptCount(environmentId, topicId) : undefined,
  };
  return cursorPage<SubscriptionRow>(db, source, request);
}
