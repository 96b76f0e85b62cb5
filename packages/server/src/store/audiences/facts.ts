// What rules of audiences read about people, for the interpreter: one query for each kind of fact.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { SubscriberRow } from "../subscribers/subscribers.ts";

export async function findPeople(db: Db, environmentId: string, ids: string[]): Promise<SubscriberRow[]> {
  const { rows } = await sql<SubscriberRow>`
    select * from subscribers where environment_id = ${environmentId} and id = any(${ids}::uuid[])`.execute(db);
  return rows;
}

/** In order of the keys. */
export async function findTopicKeys(
  db: Db,
  environmentId: string,
  ids: string[],
): Promise<{ subscriber_id: string; keys: string[] }[]> {
  const { rows } = await sql<{ subscriber_id: string; keys: string[] }>`
    select m.subscriber_id, array_agg(distinct t.key order by t.key) as keys
    from topic_subscriptions m join topics t on t.id = m.topic_id
    where m.subscriber_id = any(${ids}::uuid[]) and t.environment_id = ${environmentId}
    group by m.subscriber_id`.execute(db);
  return rows;
}

export type ActivityRow = { subscriber_id: string; last_read_at: Date | null; last_opened_at: Date | null };

export async function findActivity(db: Db, environmentId: string, ids: string[]): Promise<ActivityRow[]> {
  const { rows } = await sql<ActivityRow>`
    select subscriber_id, last_read_at, last_opened_at from subscriber_activity
    where environment_id = ${environmentId} and subscriber_id = any(${ids}::uuid[])`.execute(db);
  return rows;
}

export type ChoiceRow = { subscriber_id: string; workflow_key: string | null; channels: Record<string, boolean> };

/** The choices without contexts, for everything and for these workflows. */
export async function findOwnChoices(
  db: Db,
  environmentId: string,
  ids: string[],
  workflowIds: string[],
): Promise<ChoiceRow[]> {
  const { rows } = await sql<ChoiceRow>`
    select p.subscriber_id, w.workflow_id as workflow_key, p.channels
    from subscriber_preferences p left join workflows w
      on w.id = p.workflow_id and w.environment_id = ${environmentId} and w.deleted_at is null
    where p.environment_id = ${environmentId} and p.subscriber_id = any(${ids}::uuid[]) and p.context_keys = '{}'
      and (p.workflow_id is null or w.workflow_id = any(${workflowIds}))`.execute(db);
  return rows;
}

/** Which of these fixed audiences have which people, by internal ids. */
export async function findFixedMembers(
  db: Db,
  environmentId: string,
  ids: string[],
  audienceRowIds: string[],
): Promise<{ subscriber_id: string; audience_id: string }[]> {
  const { rows } = await sql<{ subscriber_id: string; audience_id: string }>`
    select subscriber_id, audience_id from audience_members
    where environment_id = ${environmentId} and audience_id = any(${audienceRowIds}::uuid[])
      and subscriber_id = any(${ids}::uuid[])`.execute(db);
  return rows;
}
