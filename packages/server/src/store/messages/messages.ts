// Messages: what was made for one person on one channel. The in-app feed is a view of them.
import { type RawBuilder, type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Sealed } from "../../lib/sealed.ts";
import { insertRows, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { cappedCount } from "../paging.ts";
import type { SubscriberRow } from "../subscribers/subscribers.ts";
import type { Tables } from "../tables.ts";

/** As it stands in the table: parts of it are encrypted (pipeline/encrypted-parts.ts). */
export type StoredMessage = Selectable<Tables["messages"]>;

export type MessageRow = Omit<StoredMessage, "outgoing"> & { outgoing: Record<string, unknown> | null };

const columns = {
  id: "uuid",
  environment_id: "uuid",
  notification_id: "uuid",
  event_id: "uuid",
  job_id: "uuid",
  subscriber_id: "uuid",
  workflow_id: "uuid",
  channel: "text",
  provider_id: "text",
  integration_id: "uuid",
  status: "text",
  error_id: "text",
  error_text: "text",
  subject: "text",
  content: "text",
  cta: "jsonb",
  data: "jsonb",
  actor: "jsonb",
  address: "text",
  outgoing: "jsonb",
  context_keys: "text[]",
  delivered_at: "timestamptz[]",
  created_at: "timestamptz",
  updated_at: "timestamptz",
};

export type NewMessage = Omit<
  StoredMessage,
  | "seen_at"
  | "read_at"
  | "last_seen_at"
  | "last_read_at"
  | "archived_at"
  | "snoozed_until"
  | "provider_message_id"
  | "recipients"
  | "round"
  | "replayed_at"
>;

export const insertMessages = (db: Db, rows: NewMessage[]): Promise<void> => insertRows(db, "messages", columns, rows);

/**
 * Messages that still wait to be handed to a provider. They are held until the transaction ends: whoever would withdraw
 * or confirm one comes before or after, never in between.
 */
export async function holdPendingMessages(db: Db, ids: string[]): Promise<StoredMessage[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<StoredMessage>`
    select * from messages where id = any(${ids}) and status = 'pending' order by id for no key update`.execute(db);
  return rows;
}

/** The first `limit` messages of a notification, in order. */
export async function findMessagesOfNotification(
  db: Db,
  environmentId: string,
  { id, event_id, subscriber_id }: { id: string; event_id: string; subscriber_id: string },
  limit: number,
): Promise<StoredMessage[]> {
  // Messages are found by event or by subscriber; whichever is the shorter list.
  const { rows } = await sql<StoredMessage>`
    select * from messages where environment_id = ${environmentId} and notification_id = ${id}
      and event_id = ${event_id} and subscriber_id = ${subscriber_id} order by id limit ${limit}`.execute(db);
  return rows;
}

export type MessageOutcome = {
  id: string;
  status: string;
  error_id: string | null;
  error_text: string | null;
  integration_id: string;
  provider_id: string;
  provider_message_id: string | null;
  updated_at: Date;
};

/** To whom a mail (m) goes through this provider, where that is more than one; overrides may differ between providers. */
export const recipientsThrough = (providerId: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select array_agg(one) from (select coalesce(m.outgoing->'perProvider'->(${providerId}), m.outgoing) as f) as fields,
    jsonb_array_elements_text(coalesce(f->'to', '[]') || coalesce(f->'cc', '[]') || coalesce(f->'bcc', '[]')) as one
  where m.channel = 'email' having count(*) > 1)`;

/**
 * Answers the messages that were written. One that was deleted, withdrawn or confirmed meanwhile has its end: only that
 * it was sent is written over it. What a failed one would need to be sent again is kept, in case it is replayed.
 */
export async function recordOutcomes(db: Db, outcomes: MessageOutcome[]): Promise<Set<string>> {
  if (outcomes.length === 0) return new Set();
  const shape = {
    id: "uuid",
    status: "text",
    error_id: "text",
    error_text: "text",
    integration_id: "uuid",
    provider_id: "text",
    provider_message_id: "text",
    updated_at: "timestamptz",
  };
  const { rows } = await sql<{ id: string }>`
    update messages m set status = r.status, error_id = r.error_id, error_text = r.error_text,
      integration_id = r.integration_id, provider_id = r.provider_id, provider_message_id = r.provider_message_id,
      recipients = case when r.status = 'sent' then ${recipientsThrough(sql`r.provider_id`)} end,
      outgoing = case when r.status in ('pending', 'error') then m.outgoing end, updated_at = r.updated_at
    from ${rowsOf("r", shape, byId(outcomes))}
    where m.id = r.id and (m.status = 'pending' or r.status = 'sent') returning m.id`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/** Whoever takes several messages takes them in the order of their ids, so that two cannot wait for each other. */
const byId = <Row extends { id: string }>(rows: Row[]): Row[] => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** A message among the others of its job. */
export type Sibling = Pick<MessageRow, "id" | "job_id" | "status" | "provider_id" | "error_text">;

/** All messages of chat and push jobs. */
export async function findSiblings(db: Db, jobIds: string[]): Promise<Sibling[]> {
  if (jobIds.length === 0) return [];
  const { rows } = await sql<Sibling>`
    select id, job_id, status, provider_id, error_text from messages
    where job_id = any(${jobIds}) and channel in ('chat', 'push') order by id`.execute(db);
  return rows;
}

/**
 * Takes back messages that no provider has been asked about, or that wait for the repeat of a failed attempt. Called
 * before the jobs are canceled: settling a delivery takes its rows in the same order.
 */
export async function cancelPendingMessages(
  db: Db,
  environmentId: string,
  target: { workflowId: string } | { subscriberId: string },
  reason: string,
  now: Date,
): Promise<void> {
  const condition =
    "workflowId" in target ? sql`workflow_id = ${target.workflowId}` : sql`subscriber_id = ${target.subscriberId}`;
  const pending = sql`environment_id = ${environmentId} and status = 'pending' and ${condition}`;
  await sql`
    select count(*) from (
      select 1 from messages where ${pending} order by id for no key update) as held`.execute(db);
  await sql`
    update messages set status = 'warning', error_id = null, error_text = ${`Canceled: ${reason}`}, outgoing = null,
      updated_at = ${now}
    where ${pending}`.execute(db);
}

/** What a listed message carries beside its own row. */
export type ListedMessage = StoredMessage & {
  transaction_id: string;
  payload: Record<string, unknown>;
  overrides: Sealed<Record<string, unknown>> | null;
  workflow_identifier: string | null;
  tags: string[] | null;
  subscriber: SubscriberRow | null;
};

const whole = sql`e.payload, e.overrides`;

/** Beyond this a report leaves a part out: it is told to many, and a payload may be half a megabyte. */
const reportedBytes = sql.lit(65_536);
/** As long as that many bytes are when they are encrypted and written in base64. */
const sealedBytes = sql.lit(88_000);
/** The later of two columns with one name counts. */
const withoutLarge = sql`
  case when octet_length(m.content) <= ${reportedBytes} then m.content end as content,
  case when octet_length(e.payload::text) <= ${reportedBytes} then e.payload end as payload,
  case when octet_length(e.overrides::text) <= ${sealedBytes} then e.overrides end as overrides`;

/** `page`: a statement that gives whole rows of messages. */
async function readListed(db: Db, page: RawBuilder<unknown>, parts = whole): Promise<ListedMessage[]> {
  const { rows } = await sql<ListedMessage>`
    with page as (${page})
    select m.*, e.transaction_id, w.workflow_id as workflow_identifier, w.tags, to_jsonb(s) as subscriber, ${parts}
    from page m
    join events e on e.id = m.event_id
    left join workflows w on w.id = m.workflow_id
    left join subscribers s on s.id = m.subscriber_id
    order by m.id desc`.execute(db);
  for (const { subscriber } of rows) if (subscriber) reviveTimes(subscriber);
  return rows;
}

type Page = { offset: number; limit: number };
type MessagePage = { rows: ListedMessage[]; totalCount: number };

/** One row more than asked comes back, so that the caller knows whether there are more. */
const readRows = (db: Db, from: RawBuilder<unknown>, page: Page): Promise<ListedMessage[]> =>
  readListed(db, sql`select f.* ${from} order by f.id desc limit ${page.limit + 1} offset ${page.offset}`);

const readPage = async (db: Db, from: RawBuilder<unknown>, page: Page): Promise<MessagePage> => ({
  rows: await readRows(db, from, page),
  totalCount: await cappedCount(db, from),
});

/** Inside a JSON value times are texts; a row has them as dates. */
function reviveTimes(subscriber: SubscriberRow): void {
  subscriber.created_at = new Date(subscriber.created_at);
  subscriber.updated_at = new Date(subscriber.updated_at);
  subscriber.last_online_at &&= new Date(subscriber.last_online_at);
}

export type FeedFilters = { read?: boolean; seen?: boolean; payload?: Record<string, unknown> };

/** The feed: in-app messages of one subscriber, newest first, snoozed ones left out until they are due. */
export async function listFeed(
  db: Db,
  environmentId: string,
  subscriberId: string,
  filters: FeedFilters,
  page: Page,
  now: Date,
): Promise<MessagePage> {
  const conditions = [
    sql`f.subscriber_id = ${subscriberId}`,
    sql`f.environment_id = ${environmentId}`,
    sql`f.channel = 'in_app'`,
    sql`f.status = 'sent'`,
    sql`(f.snoozed_until is null or f.snoozed_until <= ${now})`,
  ];
  if (filters.read !== undefined) conditions.push(filters.read ? sql`f.read_at is not null` : sql`f.read_at is null`);
  if (filters.seen !== undefined) conditions.push(filters.seen ? sql`f.seen_at is not null` : sql`f.seen_at is null`);
  if (filters.payload) {
    // Containment looks for list items anywhere in a list; leaves inside lists have to be equal at their own place.
    const exact = listLeaves(filters.payload).map(
      ([path, value]) => sql`and p.payload #> ${path}::text[] = ${JSON.stringify(value)}::jsonb`,
    );
    conditions.push(sql`exists (select 1 from events p where p.id = f.event_id
      and p.payload @> ${JSON.stringify(filters.payload)}::jsonb ${sql.join(exact, sql` `)})`);
  }
  const from = sql`from messages f where ${sql.join(conditions, sql` and `)}`;
  return readPage(db, from, page);
}

/** Leaves that containment alone does not pin down: those inside lists, and empty lists and objects. */
function listLeaves(value: unknown, path: string[] = [], isInList = false): [string[], unknown][] {
  const isContainer = typeof value === "object" && value !== null;
  const members = isContainer ? Object.entries(value) : [];
  if (members.length > 0) {
    return members.flatMap(([name, member]) => listLeaves(member, [...path, name], isInList || Array.isArray(value)));
  }
  return path.length > 0 && (isInList || isContainer) ? [[path, value]] : [];
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
    conditions.push(sql`f.event_id in (select id from events
      where environment_id = ${environmentId} and transaction_id = any(${filters.transactionIds}))`);
  }
  if (filters.contextKeys) conditions.push(sql`f.context_keys = ${filters.contextKeys}::text[]`);
  const from = sql`from messages f where ${sql.join(conditions, sql` and `)}`;
  return readPage(db, from, page);
}

/** Listed as the others are, in the order of their ids; those of another subscriber are left out. */
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

/** Messages as webhooks are told of them. */
export const findMessagesToReport = (db: Db, ids: string[]): Promise<ListedMessage[]> =>
  readListed(db, sql`select * from messages where id = any(${ids}::uuid[])`, withoutLarge);

/** Answers the message as it was. */
export async function deleteMessage(db: Db, environmentId: string, id: string): Promise<ListedMessage[]> {
  if (!isUuid(id)) return [];
  const gone = sql`delete from messages m where m.environment_id = ${environmentId} and m.id = ${id} returning m.*`;
  return readListed(db, gone, withoutLarge);
}

/** Deletes up to `limit` messages and answers them as they were. */
export const deleteMessagesOfTransaction = (
  db: Db,
  environmentId: string,
  transactionId: string,
  channel: string | undefined,
  limit: number,
): Promise<ListedMessage[]> =>
  readListed(
    db,
    sql`delete from messages m where m.environment_id = ${environmentId} and m.id in (
      select f.id from messages f join events e on e.id = f.event_id
      where e.environment_id = ${environmentId} and e.transaction_id = ${transactionId}
        and f.environment_id = ${environmentId} ${channel === undefined ? sql`` : sql`and f.channel = ${channel}`}
      limit ${limit}) returning m.*`,
    withoutLarge,
  );
