// The inbox of a subscriber: its stored in-app messages. They are read by the index on (subscriber_id, id), newest
// first.
import type { Severity } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Db } from "../db.ts";
import { noteOnJobs } from "../events/finished-jobs.ts";
import { exactLeaves } from "../messages/feed.ts";
import type { MessageSelection } from "../messages/message-marks.ts";
import { type StoredMessage, transactionIdOf } from "../messages/messages.ts";
import type { SubscriberRow } from "../subscribers/subscribers.ts";
import type { StoredDetail } from "../tables.ts";
import type { WorkflowRefRow } from "../workflows/workflow-refs.ts";

/** What an inbox shows of its subscriber. */
export type SubscriberRef = Pick<SubscriberRow, "id" | "subscriber_id" | "first_name" | "last_name" | "avatar">;

export type InboxMessage = Omit<StoredMessage, "severity"> & {
  transaction_id: string;
  severity: Severity;
  /** Null when the workflow was purged. */
  workflow: WorkflowRefRow | null;
};

export type InboxFilter = {
  read?: boolean;
  seen?: boolean;
  /** Without a value, archived messages are left out. */
  archived?: boolean | "any";
  /** Without a value, snoozed messages are left out. */
  snoozed?: boolean | "any";
  /** One tag of each group. */
  tags?: string[][];
  data?: JsonObject;
  severities?: Severity[];
  createdFrom?: Date;
  createdTo?: Date;
  /** Marked at exactly this time. */
  readAt?: Date;
  archivedAt?: Date;
  contextKeys?: string[];
  ids?: string[];
};

/** Messages that an inbox can show: in-app, stored and not expired. */
const inInbox = (environmentId: string, subscriberId: string, now: Date) => sql`
  m.environment_id = ${environmentId} and m.subscriber_id = ${subscriberId} and m.channel = 'in_app' and m.status = 'sent'
    and (m.expires_at is null or m.expires_at > ${now})`;

const isSet = (column: RawBuilder<unknown>, wanted: boolean) =>
  wanted ? sql`${column} is not null` : sql`${column} is null`;

/**
 * The severity of a message (m). Those from before it was stored have that of their notification, or of their workflow
 * if the notification is gone. Scalar subqueries are looked up by key; `exists` may become a join that reads all
 * notifications of the environment.
 */
export const severityOfMessage = sql`coalesce(m.severity,
  (select n.severity from notifications n where n.environment_id = m.environment_id and n.id = m.notification_id),
  (select w.severity from workflows w where w.id = m.workflow_id), 'none')`;

/** The messages (m) of an inbox that match. */
export function selectInbox(
  environmentId: string,
  subscriberId: string,
  filter: InboxFilter,
  now: Date,
): MessageSelection {
  const { read, seen, archived = false, snoozed = false, data, severities } = filter;
  const conditions = [inInbox(environmentId, subscriberId, now)];
  if (filter.ids) conditions.push(sql`m.id = any(${filter.ids.filter(isUuid)}::uuid[])`);
  if (read !== undefined) conditions.push(isSet(sql`m.read_at`, read));
  if (seen !== undefined) conditions.push(isSet(sql`m.seen_at`, seen));
  if (archived !== "any") conditions.push(isSet(sql`m.archived_at`, archived));
  if (snoozed === true) conditions.push(sql`m.snoozed_until > ${now}`);
  if (snoozed === false) conditions.push(sql`(m.snoozed_until is null or m.snoozed_until <= ${now})`);
  for (const group of filter.tags ?? []) {
    conditions.push(sql`m.workflow_id in (select w.id from workflows w
      where w.environment_id = ${environmentId} and w.tags && ${group}::text[])`);
  }
  if (data) {
    conditions.push(sql`m.data @> ${JSON.stringify(data)}::jsonb`, ...exactLeaves(sql`m.data`, data));
  }
  if (severities) conditions.push(sql`${severityOfMessage} = any(${severities}::text[])`);
  if (filter.createdFrom) conditions.push(sql`m.created_at >= ${filter.createdFrom}`);
  if (filter.createdTo) conditions.push(sql`m.created_at <= ${filter.createdTo}`);
  if (filter.readAt) conditions.push(sql`m.read_at = ${filter.readAt}`);
  if (filter.archivedAt) conditions.push(sql`m.archived_at = ${filter.archivedAt}`);
  if (filter.contextKeys) conditions.push(sql`m.context_keys = ${filter.contextKeys}::text[]`);
  return sql.join(conditions, sql` and `);
}

/**
 * The messages of `page`, a statement that returns rows of messages, with what an inbox shows of event and workflow.
 */
const inboxMessages = (page: RawBuilder<unknown>) => sql<InboxMessage>`
  with page as (${page})
  select m.*, ${transactionIdOf} as transaction_id, ${severityOfMessage} as severity, to_jsonb(w) as workflow
  from page m
  left join events e on e.environment_id = m.environment_id and e.id = m.event_id
  left join (select id, workflow_id, name, tags, severity, preferences_user, preferences_default from workflows) w
    on w.id = m.workflow_id
  order by m.id desc`;

export type InboxPage = { after?: string; offset: number; limit: number };

/** Newest first, one message more than asked, so that the caller knows whether there are more. */
export async function listInbox(
  db: Db,
  environmentId: string,
  subscriberId: string,
  filter: InboxFilter,
  { after, offset, limit }: InboxPage,
  now: Date,
): Promise<InboxMessage[]> {
  const page = sql`select m.* from messages m where ${selectInbox(environmentId, subscriberId, filter, now)}
    ${after === undefined ? sql`` : sql`and m.id < ${after}`} order by m.id desc limit ${limit + 1} offset ${offset}`;
  return (await inboxMessages(page).execute(db)).rows;
}

/** One count per filter, by one statement. Counting stops at the limit. */
export async function countInbox(
  db: Db,
  environmentId: string,
  subscriberId: string,
  filters: InboxFilter[],
  limit: number,
  now: Date,
): Promise<number[]> {
  const counts = filters.map(
    (filter) => sql`(select count(*)::int from (
      select 1 from messages m where ${selectInbox(environmentId, subscriberId, filter, now)} limit ${limit}) as counted)`,
  );
  const { rows } = await sql<{ counts: number[] }>`select array[${sql.join(counts)}] as counts`.execute(db);
  return rows[0]!.counts;
}

export async function findInboxMessage(
  db: Db,
  environmentId: string,
  subscriberId: string,
  { id, now }: { id: string; now: Date },
): Promise<InboxMessage | undefined> {
  if (!isUuid(id)) return undefined;
  const page = sql`select m.* from messages m where ${inInbox(environmentId, subscriberId, now)} and m.id = ${id}`;
  return (await inboxMessages(page).execute(db)).rows[0];
}

/** The ids of up to `limit` messages that match. */
export async function findInboxIds(
  db: Db,
  environmentId: string,
  subscriberId: string,
  filter: InboxFilter,
  limit: number,
  now: Date,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select m.id from messages m where ${selectInbox(environmentId, subscriberId, filter, now)}
    order by m.id desc limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

/** `until` null ends the snoozing. Returns whether something changed; the detail is added to the job. */
export async function setSnooze(
  db: Db,
  environmentId: string,
  subscriberId: string,
  change: { id: string; until: Date | null; detail: StoredDetail; now: Date },
): Promise<boolean> {
  const { id, until, detail, now } = change;
  const { rows } = await sql`
    with changed as (
      update messages m set snoozed_until = ${until}, updated_at = ${now}
      where ${inInbox(environmentId, subscriberId, now)} and m.id = ${id}
        and m.snoozed_until is distinct from ${until}::timestamptz
      returning m.environment_id, m.notification_id, m.job_id),
    ${noteOnJobs({ detail: sql`${JSON.stringify(detail)}::jsonb`, at: sql`${now}` })}
    select 1 from changed`.execute(db);
  return rows.length > 0;
}
