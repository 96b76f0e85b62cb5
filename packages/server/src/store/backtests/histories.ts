// What a replay reads: the people of a period, page by page, and what is stored about them. Reads only.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import type { NotificationRow } from "../events/notifications.ts";
import type { SentSignal } from "../signals/signals.ts";
import type { RecipientRow } from "../subscribers/subscribers.ts";

/** The ids of the period's notifications: the first, and the first after it. */
export type IdRange = { from: string; to: string };

/** Which people are in the sample, by a hash of their id. */
const isSampled = (permyriad: number | null) =>
  permyriad === null ? sql`true` : sql`('x' || substr(md5(s.id::text), 1, 8))::bit(32)::bigint % 10000 < ${permyriad}`;

/** The first notifications, up to the limit, and the id of the last of them. */
export async function countNotifications(
  db: Db,
  environmentId: string,
  { from, to }: IdRange,
  limit: number,
): Promise<{ count: number; last_id: string | null }> {
  const { rows } = await sql<{ count: number; last_id: string | null }>`
    select count(*)::int as count, max(n.id::text collate "C") as last_id from (
      select id from notifications
      where environment_id = ${environmentId} and id >= ${from}::uuid and id < ${to}::uuid
      order by id limit ${limit}) as n`.execute(db);
  return rows[0]!;
}

/** People whose rows are gone, among those of the first notifications. */
export async function countDeletedPeople(
  db: Db,
  environmentId: string,
  { from, to }: IdRange,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select distinct n.subscriber_id as id from (
        select subscriber_id from notifications
        where environment_id = ${environmentId} and id >= ${from}::uuid and id < ${to}::uuid limit ${limit}) as n) as p
    where not exists (select 1 from subscribers s where s.environment_id = ${environmentId} and s.id = p.id)`.execute(
    db,
  );
  return rows[0]!.count;
}

/** `updated_at`: of the profile. `count`: notifications in the period. */
export type PersonOfPeriod = RecipientRow & { updated_at: Date; count: number };

const personColumns = sql.raw(
  [
    ...["id", "environment_id", "subscriber_id", "first_name", "last_name", "email", "phone", "avatar", "locale"],
    ...["timezone", "data", "channels", "is_online", "last_online_at", "updated_at"],
  ]
    .map((name) => `s.${name}`)
    .join(", "),
);

type PeopleOfPeriod = IdRange & { after: string | null; permyriad: number | null; limit: number };

/** The next people, by id, who have a notification in the period. */
export async function findPeopleOfPeriod(
  db: Db,
  environmentId: string,
  { from, to, after, permyriad, limit }: PeopleOfPeriod,
): Promise<PersonOfPeriod[]> {
  const { rows } = await sql<PersonOfPeriod>`
    select ${personColumns}, n.count from subscribers s cross join lateral (
      select count(*)::int as count from notifications n
      where n.environment_id = ${environmentId} and n.subscriber_id = s.id
        and n.id >= ${from}::uuid and n.id < ${to}::uuid) as n
    where s.environment_id = ${environmentId} and ${isSampled(permyriad)} and n.count > 0
      ${after === null ? sql`` : sql`and s.id > ${after}::uuid`}
    order by s.id limit ${limit}`.execute(db);
  return rows;
}

/** One person by the id that callers use, whether sampled or not. */
export async function findPersonOfPeriod(
  db: Db,
  environmentId: string,
  subscriberId: string,
): Promise<PersonOfPeriod | undefined> {
  const { rows } = await sql<PersonOfPeriod>`
    select ${personColumns}, 0 as count from subscribers s
    where s.environment_id = ${environmentId} and s.subscriber_id = ${subscriberId}`.execute(db);
  return rows[0];
}

type NotificationsOfPeople = IdRange & {
  subscriberIds: string[];
  /** Notifications since then whose workflow keeps something between events are read too. */
  lead: string;
  /** All of them: budgets count every message. */
  isLeadComplete: boolean;
  /** For each person. */
  limit: number;
};

/** Steps whose result depends on earlier events of the same person. */
const keepingSteps = ["digest", "throttle", "delay", "wait"];

/** In the order in which they were created, the newest of a person where there are too many. */
export async function findNotificationsOfPeople(
  db: Db,
  environmentId: string,
  { subscriberIds, from, to, lead, isLeadComplete, limit }: NotificationsOfPeople,
): Promise<NotificationRow[]> {
  if (subscriberIds.length === 0) return [];
  const keeps = sql`exists (
    select 1 from workflow_versions v where v.id = t.workflow_version_id and v.step_types && ${keepingSteps}::text[])`;
  const isLead = isLeadComplete ? sql`true` : keeps;
  const { rows } = await sql<NotificationRow>`
    select n.* from unnest(${subscriberIds}::uuid[]) as p(id) cross join lateral (
      select * from notifications t where t.environment_id = ${environmentId} and t.subscriber_id = p.id
        and t.id >= ${lead}::uuid and t.id < ${to}::uuid and (t.id >= ${from}::uuid or ${isLead})
      order by t.id desc limit ${limit}) as n
    order by n.created_at, n.id`.execute(db);
  return rows;
}

/** A message as it was sent, without its content. `fingerprint`: of subject and content. */
export type SentMessage = {
  notification_id: string;
  job_id: string;
  integration_id: string | null;
  status: string;
  fingerprint: string;
  was_changed: boolean;
};

/** The separator cannot be in a text of either column. */
export const fingerprintSeparator = "\u001f";

export async function findSentMessages(
  db: Db,
  environmentId: string,
  { subscriberIds, range }: { subscriberIds: string[]; range: IdRange },
): Promise<SentMessage[]> {
  if (subscriberIds.length === 0) return [];
  const { rows } = await sql<SentMessage>`
    select m.notification_id, m.job_id, m.integration_id, m.status,
      md5(coalesce(m.subject, '') || E'\\x1f' || coalesce(m.content, '')) as fingerprint,
      exists (select 1 from retracted_messages r where r.environment_id = m.environment_id and r.id = m.id) as was_changed
    from messages m where m.environment_id = ${environmentId} and m.subscriber_id = any(${subscriberIds}::uuid[])
      and m.notification_id >= ${range.from}::uuid and m.notification_id < ${range.to}::uuid
      and m.id >= ${range.from}::uuid`.execute(db);
  return rows;
}

export type StoredSignal = SentSignal & { id: string };

/** The newest ones. */
export async function findSignalsOfPeople(
  db: Db,
  environmentId: string,
  { subscriberIds, from, to, limit }: { subscriberIds: string[]; from: Date; to: Date; limit: number },
): Promise<StoredSignal[]> {
  if (subscriberIds.length === 0) return [];
  const { rows } = await sql<StoredSignal>`
    select id, subscriber_id, name, key, data, created_at from signals
    where environment_id = ${environmentId} and subscriber_id = any(${subscriberIds}::uuid[])
      and created_at >= ${from} and created_at < ${to}
    order by created_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

/** When what a person chose was last changed. */
export async function findPreferenceTimes(
  db: Db,
  environmentId: string,
  subscriberIds: string[],
): Promise<Map<string, Date>> {
  if (subscriberIds.length === 0) return new Map();
  const { rows } = await sql<{ subscriber_id: string; at: Date }>`
    select subscriber_id, max(updated_at) as at from subscriber_preferences
    where environment_id = ${environmentId} and subscriber_id = any(${subscriberIds}::uuid[])
    group by subscriber_id`.execute(db);
  return new Map(rows.map((row) => [row.subscriber_id, row.at]));
}

/** When what all runs share was last changed: integrations by channel, workflows by id, and the rest together. */
export type ConfigurationTimes = {
  integrations: Record<string, string>;
  workflows: Record<string, string>;
  others: string | null;
};

export async function findConfigurationTimes(db: Db, environmentId: string): Promise<ConfigurationTimes> {
  const { rows } = await sql<ConfigurationTimes>`
    select
      coalesce((select jsonb_object_agg(channel, at) from (
        select channel, max(greatest(updated_at, deleted_at)) as at from integrations
        where environment_id = ${environmentId} group by 1) as i), '{}') as integrations,
      coalesce((select jsonb_object_agg(id, updated_at) from workflows where environment_id = ${environmentId}), '{}')
        as workflows,
      greatest(
        (select max(updated_at) from layouts where environment_id = ${environmentId}),
        (select max(updated_at) from translations where environment_id = ${environmentId}),
        (select max(updated_at) from environment_variables where environment_id = ${environmentId}),
        (select max(updated_at) from environments where id = ${environmentId}))::text as others`.execute(db);
  return rows[0]!;
}
