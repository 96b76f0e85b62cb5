// Messages on their way to a provider: inserted by runs, locked for delivery, and updated with the outcome.
import { sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import { type Insert, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { retractedErrorId } from "../events/event-cancel.ts";
import { hasKeyOf, type JobKey, jobsByKey, type RowKey, rowsByKey } from "../keys.ts";
import type { StoredMessageStatus } from "../tables.ts";
import {
  type ListedMessage,
  listedMessages,
  recipientsThrough,
  reportedParts,
  type StoredMessage,
  withSubscriberDates,
} from "./messages.ts";

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
  expires_at: "timestamptz",
  severity: "text",
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
  | "delivered_at"
>;

export const messageInsert = (rows: NewMessage[]): Insert => ({ table: "messages", columns, rows });

const expiryColumns = { environment_id: "uuid", expires_at: "timestamptz", message_id: "uuid" };

/** When these messages expire, for housekeeping; most messages do not. */
export const expiryInsert = (messages: NewMessage[]): Insert => ({
  table: "message_expiries",
  columns: expiryColumns,
  rows: messages
    .filter((message) => message.expires_at !== null)
    .map(({ environment_id, expires_at, id }) => ({ environment_id, expires_at, message_id: id })),
});

/**
 * Messages that were not handed to a provider yet, locked until the transaction ends: withdrawing or confirming one
 * waits for this transaction.
 */
export async function holdPendingMessages(db: Db, keys: RowKey[]): Promise<StoredMessage[]> {
  if (keys.length === 0) return [];
  const pending = rowsByKey("messages", "m", "id", keys, {
    where: sql`t.status = 'pending'`,
    lock: "for no key update",
  });
  const { rows } = await sql<StoredMessage>`select m.* from ${pending} order by m.id`.execute(db);
  return rows;
}

/** Chat and push messages that their provider has, with what it was given. */
export async function findSentMessages(db: Db, keys: RowKey[]): Promise<StoredMessage[]> {
  if (keys.length === 0) return [];
  const sent = rowsByKey("messages", "m", "id", keys, { where: sql`t.status = 'sent' and t.outgoing is not null` });
  const { rows } = await sql<StoredMessage>`select m.* from ${sent}`.execute(db);
  return rows;
}

export type WrittenOutcome = { is_retracted: boolean };

export type MessageOutcome = RowKey & {
  status: StoredMessageStatus;
  error_id: string | null;
  error_text: string | null;
  integration_id: string;
  provider_id: string;
  provider_message_id: string | null;
  updated_at: Date;
};

/**
 * Returns the messages that were updated. A message that was deleted, withdrawn or confirmed meanwhile is final: only
 * the outcome "sent" overwrites it. A failed message keeps its outgoing content, so that it can be replayed; chat and
 * push messages that were sent keep it, so that they can be retracted. `is_retracted`: it was retracted during the
 * call; read from the row itself, because the transaction that did so may have ended a moment ago.
 */
export async function recordOutcomes(db: Db, outcomes: MessageOutcome[]): Promise<Map<string, WrittenOutcome>> {
  if (outcomes.length === 0) return new Map();
  const shape = {
    environment_id: "uuid",
    id: "uuid",
    status: "text",
    error_id: "text",
    error_text: "text",
    integration_id: "uuid",
    provider_id: "text",
    provider_message_id: "text",
    updated_at: "timestamptz",
  };
  const { rows } = await sql<WrittenOutcome & { id: string }>`
    update messages m set status = r.status, error_text = r.error_text,
      error_id = case when m.error_id = ${retractedErrorId} then m.error_id else r.error_id end,
      integration_id = r.integration_id, provider_id = r.provider_id, provider_message_id = r.provider_message_id,
      recipients = case when r.status = 'sent' then ${recipientsThrough(sql`r.provider_id`)} end,
      outgoing = case when r.status in ('pending', 'error') or (r.status = 'sent' and m.channel in ('chat', 'push'))
        then m.outgoing end, updated_at = r.updated_at
    from ${rowsOf("r", shape, byId(outcomes))}
    where ${hasKeyOf("m", "id", outcomes)} and (m.status = 'pending' or r.status = 'sent')
    returning m.id, m.error_id is not distinct from ${retractedErrorId} as is_retracted`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Messages are locked in the order of their ids, so that two transactions cannot deadlock. */
const byId = <Row extends { id: string }>(rows: Row[]): Row[] => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** One of several messages of a chat or push job. */
export type Sibling = Pick<StoredMessage, "id" | "job_id" | "status" | "provider_id" | "error_text">;

/** All messages of chat and push jobs; of a job that was sent again, those of the last time. */
export async function findSiblings(db: Db, jobs: JobKey[]): Promise<Sibling[]> {
  if (jobs.length === 0) return [];
  const { rows } = await sql<Sibling>`
    with resent as materialized (
      select j.id as job_id, (select max(d->'r'->>'messageId') from jsonb_array_elements(j.details) d
        where d->>'d' = 'resent')::uuid as first_id
      from ${jobsByKey(jobs)} where j.details @> '[{"d": "resent"}]')
    select m.id, m.job_id, m.status, m.provider_id, m.error_text from messages m
    where m.job_id = any(${jobs.map((job) => job.job_id)}) and m.channel in ('chat', 'push')
      and not exists (select 1 from resent r where r.job_id = m.job_id and m.id < r.first_id) order by m.id`.execute(
    db,
  );
  return rows;
}

/** Messages as webhook events contain them. */
export async function findMessagesToReport(db: Db, keys: RowKey[]): Promise<ListedMessage[]> {
  const page = sql`select m.* from ${rowsByKey("messages", "m", "id", keys)}`;
  const { rows } = await listedMessages(page, reportedParts).execute(db);
  return rows.map(withSubscriberDates);
}

/**
 * All columns but the content are read from the message and its last attempt, because failover may have changed the
 * integration. A retry of the same message is captured once. A provider names the message by its id alone, so all
 * environments are looked through: there are at most a few hundred, and this is the development mailbox.
 */
export async function insertCaptured(
  db: Db,
  input: { id: string; messageId: string; content: JsonObject; now: Date },
): Promise<void> {
  await sql`
    insert into captured_messages (id, environment_id, message_id, event_id, subscriber_id, transaction_id, channel,
      provider_id, integration_identifier, content, created_at)
    select ${input.id}, m.environment_id, m.id, m.event_id, coalesce(s.subscriber_id, ''), e.transaction_id, m.channel,
      i.provider_id, i.identifier, ${JSON.stringify(input.content)}::jsonb, coalesce(v.test_clock, ${input.now})
    from environments v
    cross join lateral (select * from messages where environment_id = v.id and id = ${input.messageId} limit 1) m
    join events e on e.environment_id = m.environment_id and e.id = m.event_id
    join lateral (select integration_id from attempts where environment_id = m.environment_id and message_id = m.id
      order by id desc limit 1) a on true
    join integrations i on i.id = a.integration_id
    left join subscribers s on s.id = m.subscriber_id
    on conflict (message_id) do nothing`.execute(db);
}
