// Messages: what was made for one person on one channel. The in-app feed is a view of them.
import { type RawBuilder, type Selectable, sql } from "kysely";
import { isUuid } from "../lib/ids.ts";
import { insertRows, rowsOf } from "./bulk.ts";
import type { Db } from "./db.ts";
import { cappedCount } from "./paging.ts";
import type { SubscriberRow } from "./subscribers.ts";
import type { Tables } from "./tables.ts";

export type MessageRow = Selectable<Tables["messages"]>;

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
  email: "text",
  outgoing: "jsonb",
  context_keys: "text[]",
  delivered_at: "timestamptz[]",
  created_at: "timestamptz",
  updated_at: "timestamptz",
};

export type NewMessage = Omit<
  MessageRow,
  "seen_at" | "read_at" | "archived_at" | "snoozed_until" | "provider_message_id"
>;

export const insertMessages = (db: Db, rows: NewMessage[]): Promise<void> => insertRows(db, "messages", columns, rows);

/** Messages that still wait to be handed to a provider. */
export async function findPendingMessages(db: Db, ids: string[]): Promise<MessageRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<MessageRow>`
    select * from messages where id = any(${ids}) and status = 'pending'`.execute(db);
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
};

/**
 * Answers the messages that were written. One that was deleted, or withdrawn because its event was canceled, does not
 * become pending again.
 */
export async function recordOutcomes(db: Db, outcomes: MessageOutcome[], now: Date): Promise<Set<string>> {
  if (outcomes.length === 0) return new Set();
  const shape = {
    id: "uuid",
    status: "text",
    error_id: "text",
    error_text: "text",
    integration_id: "uuid",
    provider_id: "text",
    provider_message_id: "text",
  };
  const { rows } = await sql<{ id: string }>`
    update messages m set status = r.status, error_id = r.error_id, error_text = r.error_text,
      integration_id = r.integration_id, provider_id = r.provider_id, provider_message_id = r.provider_message_id,
      outgoing = case when r.status = 'pending' then m.outgoing end, updated_at = ${now}
    from ${rowsOf("r", shape, outcomes)}
    where m.id = r.id and (r.status <> 'pending' or m.status = 'pending') returning m.id`.execute(db);
  return new Set(rows.map((row) => row.id));
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
  await sql`
    update messages set status = 'warning', error_id = null, error_text = ${`Canceled: ${reason}`}, outgoing = null,
      updated_at = ${now}
    where environment_id = ${environmentId} and status = 'pending' and ${condition}`.execute(db);
}

/** What a listed message carries beside its own row. */
export type ListedMessage = MessageRow & {
  transaction_id: string;
  payload: Record<string, unknown>;
  overrides: Record<string, unknown> | null;
  workflow_identifier: string | null;
  tags: string[] | null;
  subscriber: SubscriberRow | null;
};

const select = sql`
  select m.*, e.transaction_id, e.payload, e.overrides, w.workflow_id as workflow_identifier, w.tags,
         to_jsonb(s) as subscriber
  from page m
  join events e on e.id = m.event_id
  left join workflows w on w.id = m.workflow_id
  left join subscribers s on s.id = m.subscriber_id
  order by m.id desc`;

type Page = { offset: number; limit: number };
type MessagePage = { rows: ListedMessage[]; totalCount: number };

/** One row more than asked comes back, so that the caller knows whether there are more. */
async function readRows(db: Db, from: RawBuilder<unknown>, page: Page): Promise<ListedMessage[]> {
  const { rows } = await sql<ListedMessage>`
    with page as (select f.* ${from} order by f.id desc limit ${page.limit + 1} offset ${page.offset}) ${select}
  `.execute(db);
  for (const { subscriber } of rows) if (subscriber) reviveTimes(subscriber);
  return rows;
}

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

export type DeletedMessage = Pick<MessageRow, "id" | "job_id" | "notification_id" | "status">;

const deleted = sql`returning m.id, m.job_id, m.notification_id, m.status`;

export async function deleteMessage(db: Db, environmentId: string, id: string): Promise<DeletedMessage[]> {
  if (!isUuid(id)) return [];
  const { rows } = await sql<DeletedMessage>`
    delete from messages m where m.environment_id = ${environmentId} and m.id = ${id} ${deleted}`.execute(db);
  return rows;
}

export async function deleteMessagesOfTransaction(
  db: Db,
  environmentId: string,
  transactionId: string,
  channel: string | undefined,
): Promise<DeletedMessage[]> {
  const { rows } = await sql<DeletedMessage>`
    delete from messages m using events e
    where e.environment_id = ${environmentId} and e.transaction_id = ${transactionId}
      and m.environment_id = ${environmentId} and m.event_id = e.id
      ${channel === undefined ? sql`` : sql`and m.channel = ${channel}`} ${deleted}`.execute(db);
  return rows;
}
