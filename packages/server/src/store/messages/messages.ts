// Messages: one per subscriber and channel of a notification. The in-app feed is a list of them.
import { type RawBuilder, type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Sealed } from "../../lib/sealed.ts";
import type { Db } from "../db.ts";
import { eventIdsOfTransactions } from "../events/events.ts";
import { countDeletedMessages } from "../events/statistics.ts";
import { cappedCount } from "../paging.ts";
import type { SubscriberRow } from "../subscribers/subscribers.ts";
import type { Tables } from "../tables.ts";
/** As stored: parts of it are encrypted (pipeline/encrypted-parts.ts). */
export type StoredMessage = Selectable<Tables["messages"]>;

export type MessageRow = Omit<StoredMessage, "outgoing"> & { outgoing: Record<string, unknown> | null };

/** The first `limit` messages of a notification, in order. */
export async function findMessagesOfNotification(
  db: Db,
  environmentId: string,
  { id, event_id, subscriber_id }: { id: string; event_id: string; subscriber_id: string },
  limit: number,
): Promise<StoredMessage[]> {
  // event_id and subscriber_id have indexes, notification_id has none; the planner takes the more selective one.
  const { rows } = await sql<StoredMessage>`
    select * from messages where environment_id = ${environmentId} and notification_id = ${id}
      and event_id = ${event_id} and subscriber_id = ${subscriber_id} order by id limit ${limit}`.execute(db);
  return rows;
}

export type AttemptRow = Selectable<Tables["attempts"]>;

/** The first `limit` attempts of these messages, in order. */
export async function listAttempts(
  db: Db,
  environmentId: string,
  messageIds: string[],
  limit: number,
): Promise<AttemptRow[]> {
  if (messageIds.length === 0) return [];
  const { rows } = await sql<AttemptRow>`
    select * from attempts where environment_id = ${environmentId} and message_id = any(${messageIds}::uuid[])
    order by id limit ${limit}`.execute(db);
  return rows;
}

/**
 * All addresses of an email (m) through this provider, null for a single one; overrides may differ between providers.
 */
export const recipientsThrough = (providerId: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select array_agg(one) from (select coalesce(m.outgoing->'perProvider'->(${providerId}), m.outgoing) as f) as fields,
    jsonb_array_elements_text(coalesce(f->'to', '[]') || coalesce(f->'cc', '[]') || coalesce(f->'bcc', '[]')) as one
  where m.channel = 'email' having count(*) > 1)`;

/**
 * Cancels messages that were not handed to a provider, or that wait for a retry. Called before the jobs are canceled:
 * settling a delivery locks messages before jobs as well.
 */
export async function cancelPendingMessages(
  db: Db,
  environmentId: string,
  target: { workflowIds: string[] } | { subscriberId: string },
  reason: string,
  now: Date,
): Promise<void> {
  const condition =
    "workflowIds" in target
      ? sql`workflow_id = any(${target.workflowIds}::uuid[])`
      : sql`subscriber_id = ${target.subscriberId}`;
  const pending = sql`environment_id = ${environmentId} and status = 'pending' and ${condition}`;
  await sql`
    select count(*) from (
      select 1 from messages where ${pending} order by id for no key update) as held`.execute(db);
  await sql`
    update messages set status = 'warning', error_id = null, error_text = ${`Canceled: ${reason}`}, outgoing = null,
      updated_at = ${now}
    where ${pending}`.execute(db);
}

/** A message with the fields of its event, workflow and subscriber. */
export type ListedMessage = StoredMessage & {
  transaction_id: string;
  trace_context: string | null;
  payload: JsonObject;
  overrides: Sealed<JsonObject> | null;
  workflow_identifier: string | null;
  tags: string[] | null;
  subscriber: SubscriberRow | null;
};

/** An in-app message may outlive its event (docs/retention.md); then its payload is not known. */
const fullParts = sql`coalesce(e.payload, '{}') as payload, e.overrides`;

/**
 * The transaction id of a message (m) and its event (e). One that the service generated is known after the event has
 * gone; instead of one that the caller gave, messages then have the one that would have been generated (lib/ids.ts).
 */
export const transactionIdOf = sql`coalesce(e.transaction_id, 'txn_' || replace(m.event_id::text, '-', ''))`;

/** Webhook events leave out parts larger than this: they are sent to many, and a payload may have half a megabyte. */
const maxReportedBytes = sql.lit(65_536);
/** The length of that many bytes, encrypted and in base64. */
const maxSealedBytes = sql.lit(88_000);
/** The later of two columns with the same name wins. */
export const reportedParts = sql`
  case when octet_length(m.content) <= ${maxReportedBytes} then m.content end as content,
  case when octet_length(e.payload::text) <= ${maxReportedBytes} then e.payload end as payload,
  case when octet_length(e.overrides::text) <= ${maxSealedBytes} then e.overrides end as overrides`;

/** The statement that lists messages. `page`: a statement that returns rows of messages. */
export const listedMessages = (page: RawBuilder<unknown>, parts = fullParts): RawBuilder<ListedMessage> => sql`
  with page as (${page})
  select m.*, ${transactionIdOf} as transaction_id, e.trace_context, w.workflow_id as workflow_identifier, w.tags,
    to_jsonb(s) as subscriber, ${parts}
  from page m
  left join events e on e.environment_id = m.environment_id and e.id = m.event_id
  left join workflows w on w.id = m.workflow_id
  left join subscribers s on s.id = m.subscriber_id
  order by m.id desc`;

async function readListed(db: Db, page: RawBuilder<unknown>, parts = fullParts): Promise<ListedMessage[]> {
  const { rows } = await listedMessages(page, parts).execute(db);
  return rows.map(withSubscriberDates);
}

export type Page = { offset: number; limit: number };
export type MessagePage = { rows: ListedMessage[]; totalCount: number };

/** Reads one row more than asked, so that the caller knows whether there are more. */
const readRows = (db: Db, from: RawBuilder<unknown>, page: Page): Promise<ListedMessage[]> =>
  readListed(db, sql`select f.* ${from} order by f.id desc limit ${page.limit + 1} offset ${page.offset}`);

export const readMessagePage = async (db: Db, from: RawBuilder<unknown>, page: Page): Promise<MessagePage> => ({
  rows: await readRows(db, from, page),
  totalCount: await cappedCount(db, from),
});

/** to_jsonb turns times into texts; a row has dates. */
export function withSubscriberDates(message: ListedMessage): ListedMessage {
  const { subscriber } = message;
  if (!subscriber) return message;
  const { created_at, updated_at, last_online_at } = subscriber;
  const dates = {
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
    last_online_at: last_online_at && new Date(last_online_at),
  };
  return { ...message, subscriber: { ...subscriber, ...dates } };
}

export type MessageFilters = {
  channel?: string;
  subscriberId?: string;
  transactionIds?: string[];
  contextKeys?: string[];
};

export async function listMessages(
  db: Db,
  environmentId: string,
  filters: MessageFilters,
  page: Page,
): Promise<MessagePage> {
  const conditions = [sql`f.environment_id = ${environmentId}`];
  if (filters.channel) conditions.push(sql`f.channel = ${filters.channel}`);
  if (filters.subscriberId) {
    conditions.push(sql`f.subscriber_id = (select id from subscribers
      where environment_id = ${environmentId} and subscriber_id = ${filters.subscriberId})`);
  }
  if (filters.transactionIds?.length) {
    conditions.push(sql`f.event_id in (${eventIdsOfTransactions(environmentId, filters.transactionIds)})`);
  }
  if (filters.contextKeys) conditions.push(sql`f.context_keys = ${filters.contextKeys}::text[]`);
  const from = sql`from messages f where ${sql.join(conditions, sql` and `)}`;
  return readMessagePage(db, from, page);
}

/** Newest first; messages of another subscriber are left out. */
export async function listMessagesByIds(
  db: Db,
  environmentId: string,
  subscriberId: string,
  ids: string[],
): Promise<ListedMessage[]> {
  const from = sql`from messages f where f.environment_id = ${environmentId} and f.subscriber_id = ${subscriberId}
    and f.id = any(${ids.filter(isUuid)}::uuid[])`;
  return readRows(db, from, { offset: 0, limit: ids.length });
}

/** Deletes these messages and returns those that existed. */
export async function deleteMessages(
  db: Db,
  environmentId: string,
  ids: string[],
  now: Date,
): Promise<ListedMessage[]> {
  const known = ids.filter(isUuid);
  if (known.length === 0) return [];
  const gone = sql`delete from messages m where m.environment_id = ${environmentId} and m.id = any(${known}::uuid[])
    returning m.*`;
  return countDeleted(db, await readListed(db, gone, reportedParts), now);
}

async function countDeleted(db: Db, deleted: ListedMessage[], now: Date) {
  await countDeletedMessages(db, deleted, now);
  return deleted;
}

/** Deletes up to `limit` messages and returns them. */
export async function deleteMessagesOfTransaction(
  db: Db,
  environmentId: string,
  transactionId: string,
  { channel, limit, now }: { channel: string | undefined; limit: number; now: Date },
): Promise<ListedMessage[]> {
  const deleted = await readListed(
    db,
    sql`delete from messages m where m.environment_id = ${environmentId} and m.id in (
      select f.id from messages f where f.event_id in (${eventIdsOfTransactions(environmentId, [transactionId])})
        and f.environment_id = ${environmentId} ${channel === undefined ? sql`` : sql`and f.channel = ${channel}`}
      limit ${limit}) returning m.*`,
    reportedParts,
  );
  return countDeleted(db, deleted, now);
}
