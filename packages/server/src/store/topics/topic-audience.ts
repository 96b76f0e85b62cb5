// The audience of an event to topics. Audiences may have millions of members, so they are read by keyset paging: each
// page starts after the last subscriber of the page before, and all pages cost the same.
import { countCap } from "@tidings/contract";
import { sql } from "kysely";
import type { Db } from "../db.ts";
import { cappedCount } from "../paging.ts";
import { findSubscribersByIds, type RecipientRow } from "../subscribers/subscribers.ts";
import type { StoredRule } from "../tables.ts";
export type AudienceSubscription = {
  id: string;
  identifier: string;
  topicId: string;
  topicKey: string;
  rules: StoredRule[];
};

/** A subscriber with all matching subscriptions; the caller evaluates their rules. */
export type AudienceMember = { subscriber: RecipientRow; subscriptions: AudienceSubscription[] };

/** `next`: where the next page starts; null after the last one. */
export type AudiencePage = { members: AudienceMember[]; next: string | null };

type SubscriptionInTopic = {
  subscriber_id: string;
  id: string;
  identifier: string;
  topic_id: string;
  key: string;
  rules: StoredRule[];
};

/**
 * The next members of several topics, each once, in the order of their internal id: those whose subscriptions have
 * exactly these context keys (sorted, `[]` for none), after `afterRecipientRowId` (null: from the start).
 *
 * The inner part reads `limit` entries per topic from one index and nothing else; only the subscriptions of the members
 * found are then read in full.
 */
export async function findTopicAudience(
  db: Db,
  environmentId: string,
  {
    topicKeys,
    contextKeys,
    afterRecipientRowId,
    limit,
  }: { topicKeys: string[]; contextKeys: string[]; afterRecipientRowId: string | null; limit: number },
): Promise<AudiencePage> {
  if (topicKeys.length === 0) return { members: [], next: null };
  const after = afterRecipientRowId ? sql`and m.subscriber_id > ${afterRecipientRowId}` : sql``;
  const { rows } = await sql<SubscriptionInTopic>`
    with wanted as materialized (
      select id, key from topics where environment_id = ${environmentId} and key = any(${topicKeys})
    ),
    members as materialized (
      select distinct page.subscriber_id
      from wanted w cross join lateral (
        select distinct m.subscriber_id from topic_subscriptions m
        where m.topic_id = w.id and m.context_keys = ${contextKeys}::text[] ${after}
        order by m.subscriber_id limit ${limit}
      ) as page
      order by page.subscriber_id limit ${limit}
    )
    select s.subscriber_id, s.id, s.identifier, s.topic_id, w.key, s.rules
    from members p
    join topic_subscriptions s on s.subscriber_id = p.subscriber_id
    join wanted w on w.id = s.topic_id
    where s.environment_id = ${environmentId} and s.context_keys = ${contextKeys}::text[]
    order by s.subscriber_id, s.id`.execute(db);

  const bySubscriber = Map.groupBy(rows, (row) => row.subscriber_id);
  const ids = [...bySubscriber.keys()];
  // A subscriber deleted between the two reads is missing here, but still counts for `next`.
  const subscribers = await findSubscribersByIds(db, environmentId, ids);
  const byId = new Map(subscribers.map((row) => [row.id, row]));
  const members = ids.flatMap((id) => {
    const subscriber = byId.get(id);
    return subscriber ? [{ subscriber, subscriptions: bySubscriber.get(id)!.map(toSubscription) }] : [];
  });
  return { members, next: ids.length < limit ? null : ids.at(-1)! };
}

/** The internal ids at these fractions of the audience after `after`, in order: bounds for parallel walks. */
export async function findTopicQuantiles(
  db: Db,
  environmentId: string,
  {
    topicKeys,
    contextKeys,
    after,
    fractions,
  }: { topicKeys: string[]; contextKeys: string[]; after: string; fractions: number[] },
): Promise<string[]> {
  const { rows } = await sql<{ points: string[] | null }>`
    select percentile_disc(${fractions}::float8[]) within group (order by m.subscriber_id) as points
    from topic_subscriptions m join topics t on t.id = m.topic_id
    where t.environment_id = ${environmentId} and t.key = any(${topicKeys})
      and m.context_keys = ${contextKeys}::text[] and m.subscriber_id > ${after}`.execute(db);
  return rows[0]?.points ?? [];
}

/** How many members `findTopicAudience` would return on all its pages, counted up to the cap. */
export const countTopicAudience = (
  db: Db,
  environmentId: string,
  topicKeys: string[],
  contextKeys: string[],
): Promise<number> =>
  cappedCount(
    db,
    sql`from (select distinct m.subscriber_id from topic_subscriptions m join topics t on t.id = m.topic_id
      where t.environment_id = ${environmentId} and t.key = any(${topicKeys})
        and m.context_keys = ${contextKeys}::text[] limit ${countCap}) as members`,
  );

export type Membership = AudienceSubscription & { contextKeys: string[]; createdAt: Date };

/** The subscriptions of one subscriber to these topics, whatever their contexts; at most `limit`. */
export async function findMemberships(
  db: Db,
  environmentId: string,
  { topicKeys, subscriberRowId, limit }: { topicKeys: string[]; subscriberRowId: string; limit: number },
): Promise<Membership[]> {
  const { rows } = await sql<SubscriptionInTopic & { context_keys: string[]; created_at: Date }>`
    select s.*, t.key from topic_subscriptions s join topics t on t.id = s.topic_id
    where t.environment_id = ${environmentId} and t.key = any(${topicKeys}) and s.subscriber_id = ${subscriberRowId}
    order by s.id limit ${limit}`.execute(db);
  return rows.map((row) => ({
    ...toSubscription(row),
    contextKeys: row.context_keys,
    createdAt: row.created_at,
  }));
}

const toSubscription = (row: SubscriptionInTopic): AudienceSubscription => ({
  id: row.id,
  identifier: row.identifier,
  topicId: row.topic_id,
  topicKey: row.key,
  rules: row.rules,
});
