// Subscriptions of many topics at once, for imports: one statement for all of them.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { SubscriptionRow } from "./topic-subscriptions.ts";

const targetColumns = { topic_id: "uuid", identifier: "text", subscriber_id: "uuid" };
type Target = { topic_id: string; identifier: string; subscriber_id: string };

/** The subscriptions with these identifiers, each in its topic; one look-up in the index each. */
export async function findSubscriptionsIn(
  db: Db,
  environmentId: string,
  targets: Target[],
): Promise<SubscriptionRow[]> {
  if (targets.length === 0) return [];
  const { rows } = await sql<SubscriptionRow>`
    select s.* from ${rowsOf("t", targetColumns, targets)} cross join lateral (
      select * from topic_subscriptions
      where environment_id = ${environmentId} and topic_id = t.topic_id and identifier = t.identifier limit 1) s`.execute(
    db,
  );
  return rows;
}

/** How many subscriptions each of these subscribers has in the topic of its target. */
export async function countSubscriptionsIn(
  db: Db,
  environmentId: string,
  targets: Target[],
): Promise<{ topic_id: string; subscriber_id: string; count: number }[]> {
  if (targets.length === 0) return [];
  const { rows } = await sql<{ topic_id: string; subscriber_id: string; count: number }>`
    select t.topic_id, t.subscriber_id, c.count
    from (select distinct topic_id, subscriber_id from ${rowsOf("r", targetColumns, targets)}) t cross join lateral (
      select count(*)::int as count from topic_subscriptions
      where environment_id = ${environmentId} and subscriber_id = t.subscriber_id and topic_id = t.topic_id) c`.execute(
    db,
  );
  return rows;
}

export type NewSubscriptionIn = {
  id: string;
  topic_id: string;
  subscriber_id: string;
  identifier: string;
  name: string | null;
};

/** Without rules and contexts. In the order of their key, so that two imports cannot deadlock. */
export async function insertSubscriptionsIn(
  db: Db,
  environmentId: string,
  entries: NewSubscriptionIn[],
  now: Date,
): Promise<void> {
  if (entries.length === 0) return;
  const columns = { id: "uuid", topic_id: "uuid", subscriber_id: "uuid", identifier: "text", name: "text" };
  await sql`
    insert into topic_subscriptions
      (id, environment_id, topic_id, subscriber_id, identifier, name, context_keys, rules, created_at, updated_at)
    select id, ${environmentId}, topic_id, subscriber_id, identifier, name, '{}', '[]', ${now}, ${now}
    from ${rowsOf("r", columns, entries)} order by topic_id, identifier collate "C"
    on conflict (topic_id, identifier) do nothing`.execute(db);
}

export async function renameSubscriptions(
  db: Db,
  environmentId: string,
  entries: { id: string; name: string }[],
  now: Date,
): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    update topic_subscriptions s set name = r.name, updated_at = ${now}
    from ${rowsOf("r", { id: "uuid", name: "text" }, entries)}
    where s.environment_id = ${environmentId} and s.id = r.id`.execute(db);
}
