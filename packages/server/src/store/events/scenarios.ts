// What a scenario is made of: the events that belong together, their recipients, messages and preferences. Everything
// is read for all events at once and up to a limit.
import type { Channel, DigestFrequency, PreferenceChannels, Schedule } from "@tidings/contract";
import { sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import type { Db } from "../db.ts";
import type { PassedSubscription, StoredMessageStatus } from "../tables.ts";

/** Notifications of one event whose digests are examined. */
const maxNotifications = 1_000;

/** The event and those that were merged into the same digests, at most `limit`. */
export async function findDigestEvents(
  db: Db,
  environmentId: string,
  eventId: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`
    with own as materialized (
      select id, digested_into from notifications where environment_id = ${environmentId} and event_id = ${eventId}
      limit ${maxNotifications}),
    leaders as (
      select distinct coalesce(j.merged_into, j.id) as id from own
      join jobs j on j.environment_id = ${environmentId} and j.notification_id = own.id and j.type = 'digest')
    select ${eventId}::uuid as event_id
    union
    select n.event_id from own
      join notifications n on n.environment_id = ${environmentId} and n.id = own.digested_into
    union
    (select distinct n.event_id from leaders l
      join jobs j on j.merged_into = l.id and j.environment_id = ${environmentId}
      join notifications n on n.environment_id = ${environmentId} and n.id = j.notification_id
      limit ${limit})`.execute(db);
  return rows.map((row) => row.event_id);
}

/** How much there is to read, before it is read. */
export async function measureEvents(db: Db, environmentId: string, eventIds: string[]): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(octet_length(payload::text)), 0)::float8 as bytes from events
    where environment_id = ${environmentId} and id = any(${eventIds}::uuid[])`.execute(db);
  return rows[0]!.bytes;
}

/** The events of these that have attachments. */
export async function findEventsWithFiles(db: Db, environmentId: string, eventIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from event_attachments where environment_id = ${environmentId} and id = any(${eventIds}::uuid[])`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

export type ScenarioRecipient = {
  event_id: string;
  subscriber_id: string;
  subscriptions: PassedSubscription[] | null;
};

export async function findScenarioRecipients(
  db: Db,
  environmentId: string,
  eventIds: string[],
  limit: number,
): Promise<ScenarioRecipient[]> {
  const { rows } = await sql<ScenarioRecipient>`
    select event_id, subscriber_id, subscriptions from notifications
    where environment_id = ${environmentId} and event_id = any(${eventIds}::uuid[]) order by id limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Whether steps of these events still wait or are being sent. */
export async function hasOpenJobs(db: Db, environmentId: string, eventIds: string[]): Promise<boolean> {
  const { rows } = await sql<{ is_open: boolean }>`
    select exists (
      select 1 from notifications n
      join jobs j on j.environment_id = n.environment_id and j.notification_id = n.id
        and j.status in ('pending', 'queued', 'delayed')
      where n.environment_id = ${environmentId} and n.event_id = any(${eventIds}::uuid[])) as is_open`.execute(db);
  return rows[0]!.is_open;
}

/** When events were canceled, by event id: an event that was expanded by then has the time in its canceled jobs. */
export async function findCancelTimes(
  db: Db,
  environmentId: string,
  eventIds: string[],
  reason: string,
): Promise<Map<string, Date>> {
  const { rows } = await sql<{ event_id: string; at: Date }>`
    select n.event_id, min(j.updated_at) as at from notifications n
    join jobs j on j.environment_id = n.environment_id and j.notification_id = n.id and j.status = 'canceled'
      and j.details @> ${JSON.stringify([{ r: { reason } }])}::jsonb
    where n.environment_id = ${environmentId} and n.event_id = any(${eventIds}::uuid[]) group by 1`.execute(db);
  return new Map(rows.map((row) => [row.event_id, row.at]));
}

export type ScenarioMessageRow = {
  job_id: string;
  subscriber_id: string;
  /** Identifier of the workflow; null when it was deleted. */
  workflow: string | null;
  channel: Channel;
  status: StoredMessageStatus;
  provider_id: string | null;
  subject: string | null;
  content: string | null;
  seen_at: Date | null;
  read_at: Date | null;
  archived_at: Date | null;
  created_at: Date;
};

/** Characters of a content that are read: enough to recognise a message by. */
const contentLength = 50_000;

export async function findScenarioMessages(
  db: Db,
  environmentId: string,
  eventIds: string[],
  limit: number,
): Promise<ScenarioMessageRow[]> {
  const { rows } = await sql<ScenarioMessageRow>`
    select m.job_id, m.subscriber_id, w.workflow_id as workflow, m.channel, m.status, m.provider_id, m.subject,
      left(m.content, ${sql.lit(contentLength)}) as content, m.seen_at, m.read_at, m.archived_at, m.created_at
    from messages m left join workflows w on w.id = m.workflow_id
    where m.environment_id = ${environmentId} and m.event_id = any(${eventIds}::uuid[])
    order by m.id limit ${limit}`.execute(db);
  return rows;
}

export type ScenarioPreference = {
  subscriber_id: string;
  /** Null for the global level. */
  workflow: string | null;
  channels: PreferenceChannels;
  schedule: Schedule | null;
  digest_frequency: DigestFrequency | null;
  has_context: boolean;
};

/** The global preferences of these subscribers, and those for these workflows (internal ids). */
export async function findScenarioPreferences(
  db: Db,
  environmentId: string,
  subscriberIds: string[],
  workflowIds: string[],
): Promise<ScenarioPreference[]> {
  const { rows } = await sql<ScenarioPreference>`
    select p.subscriber_id, w.workflow_id as workflow, p.channels, p.schedule, p.digest_frequency,
      p.context_keys <> '{}' as has_context
    from subscriber_preferences p left join workflows w on w.id = p.workflow_id
    where p.environment_id = ${environmentId} and p.subscriber_id = any(${subscriberIds}::uuid[])
      and (p.workflow_id is null or p.workflow_id = any(${workflowIds}::uuid[]))
    order by p.subscriber_id, w.workflow_id nulls first`.execute(db);
  return rows;
}

export type RequestOutput = { version_id: string; step_index: number; output: JsonObject };

/** The results of HTTP requests of these events, the oldest first. */
export async function findRequestOutputs(
  db: Db,
  environmentId: string,
  eventIds: string[],
  limit: number,
): Promise<RequestOutput[]> {
  const { rows } = await sql<RequestOutput>`
    select n.workflow_version_id as version_id, j.step_index, j.output from notifications n
    join jobs j on j.environment_id = n.environment_id and j.notification_id = n.id and j.type = 'http_request'
    where n.environment_id = ${environmentId} and n.event_id = any(${eventIds}::uuid[]) and j.output is not null
    order by n.id, j.step_index limit ${limit}`.execute(db);
  return rows;
}
