// Subscriptions of all topics, page by page, for exports.
import { sql } from "kysely";
import type { Db } from "../db.ts";

export type ExportedSubscription = {
  topic_id: string;
  topic_key: string;
  id: string;
  subscriber_key: string;
  identifier: string;
  name: string | null;
  created_at: Date;
};

/**
 * In order of topic, time and id. Each topic is read from its own index, so that a page costs the same at the end as at
 * the beginning. `topicKey`: of this topic only.
 */
export async function findSubscriptionsAfter(
  db: Db,
  environmentId: string,
  range: { after: ExportedSubscription | null; topicKey: string | undefined; limit: number },
): Promise<ExportedSubscription[]> {
  const { after, topicKey, limit } = range;
  const inTopic = topicKey === undefined ? sql`` : sql`and key = ${topicKey}`;
  const fromTopic = after ? sql`and id >= ${after.topic_id}` : sql``;
  const beyond = after
    ? sql`and (t.id > ${after.topic_id} or (s.created_at, s.id) > (${after.created_at}, ${after.id}))`
    : sql``;
  const { rows } = await sql<ExportedSubscription>`
    select t.id as topic_id, t.key as topic_key, s.id, p.subscriber_id as subscriber_key, s.identifier, s.name, s.created_at
    from (select id, key from topics where environment_id = ${environmentId} ${inTopic} ${fromTopic} order by id) t
    cross join lateral (
      select * from topic_subscriptions s where s.topic_id = t.id and s.environment_id = ${environmentId} ${beyond}
      order by s.created_at, s.id limit ${limit}) s
    join subscribers p on p.id = s.subscriber_id and p.environment_id = ${environmentId}
    order by t.id, s.created_at, s.id limit ${limit}`.execute(db);
  return rows;
}
