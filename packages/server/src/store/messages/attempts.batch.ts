// Attempts: one row per call to a provider, inserted before the call and completed after it. A row that was never
// completed is a call with an unknown outcome: it is marked as unknown when the task of its message is worked on again.
import type { JobStatus } from "@tidings/contract";
import { type RawBuilder, sql } from "kysely";
import { insertRows, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { hasKeyOf, type RowKey, rowsByKey } from "../keys.ts";
import type { StoredMessage } from "./messages.ts";

export type NewAttempt = {
  id: string;
  environment_id: string;
  message_id: string;
  integration_id: string;
  number: number;
  round: number;
  started_at: Date;
};

const columns = {
  id: "uuid",
  environment_id: "uuid",
  message_id: "uuid",
  integration_id: "uuid",
  number: "smallint",
  round: "smallint",
  started_at: "timestamptz",
};

export const insertAttempts = (db: Db, rows: NewAttempt[]): Promise<void> => insertRows(db, "attempts", columns, rows);

export type AttemptResult = RowKey & {
  message_id: string;
  finished_at: Date;
  outcome: string;
  reason: string | null;
  provider_message_id: string | null;
};

export async function finishAttempts(db: Db, results: AttemptResult[]): Promise<void> {
  if (results.length === 0) return;
  const shape = {
    environment_id: "uuid",
    message_id: "uuid",
    id: "uuid",
    finished_at: "timestamptz",
    outcome: "text",
    reason: "text",
    provider_message_id: "text",
  };
  await sql`
    update attempts a set finished_at = r.finished_at, outcome = r.outcome, reason = r.reason,
      provider_message_id = r.provider_message_id
    from ${rowsOf("r", shape, results)}
    where ${hasKeyOf("a", "message_id", results)} and a.id = r.id`.execute(db);
}

/** Attempts of these messages that have no result yet. */
export async function findOpenAttempts(db: Db, environmentId: string, messages: RowKey[]): Promise<{ id: string }[]> {
  if (messages.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select id from attempts where environment_id = ${environmentId}
      and message_id = any(${messages.map(({ id }) => id)}::uuid[]) and finished_at is null limit 1`.execute(db);
  return rows;
}

export type AttemptSummary = {
  message_id: string;
  integration_id: string;
  attempts: number;
  /** Start of the last attempt with an unknown outcome. */
  unknown_at: Date | null;
};

/**
 * How often each message was tried with each integration in its present round. Attempts that were never completed are
 * marked as unknown.
 */
export async function summarizeAttempts(db: Db, messages: TriedMessage[], now: Date): Promise<AttemptSummary[]> {
  if (messages.length === 0) return [];
  const keys = messages.map(({ environment_id, id }) => ({ environment_id, message_id: id }));
  let found = await countAttempts(db, keys);
  // Most messages have no attempt yet, and most attempts were completed.
  if (found.some(({ is_open }) => is_open)) {
    await endLostAttempts(db, messages, now);
    found = await countAttempts(db, keys);
  }
  const rounds = new Map(messages.map(({ id, round }) => [id, round]));
  return found.filter(({ message_id, round }) => round === rounds.get(message_id));
}

/**
 * Marks the attempts of these messages that were never completed as unknown. Only the holder of the task of a message
 * may do that: whoever made the call can no longer write its result.
 */
export async function endLostAttempts(db: Db, messages: RowKey[], now: Date): Promise<void> {
  if (messages.length === 0) return;
  const keys = messages.map(({ environment_id, id }) => ({ environment_id, message_id: id }));
  await sql`
    update attempts a set outcome = 'unknown', finished_at = ${now}, reason = 'the process ended during the call'
    from ${rowsOf("r", { environment_id: "uuid", message_id: "uuid" }, keys)}
    where ${hasKeyOf("a", "message_id", keys)} and a.outcome is null`.execute(db);
}

type TriedMessage = Pick<StoredMessage, "environment_id" | "id" | "round">;
type RoundSummary = AttemptSummary & { round: number; is_open: boolean };

async function countAttempts(db: Db, keys: { environment_id: string; message_id: string }[]): Promise<RoundSummary[]> {
  const { rows } = await sql<RoundSummary>`
    select a.message_id, a.integration_id, a.round, count(*) as attempts,
      max(a.started_at) filter (where a.outcome = 'unknown') as unknown_at, bool_or(a.outcome is null) as is_open
    from ${rowsByKey("attempts", "a", "message_id", keys)} group by 1, 2, 3`.execute(db);
  return rows;
}

/** The job, run and owner of a message that is about to be sent. */
export type DeliveryState = {
  message_id: string;
  job_status: JobStatus;
  step_index: number;
  workflow_version_id: string;
  /** Identifiers given by the caller; null when the record was deleted. */
  workflow: string | null;
  subscriber: string | null;
  transaction_id: string | null;
  trace_context: string | null;
  /** Why the message must no longer be sent; null when it may be. */
  stopped: string | null;
};

type OwnedMessage = Pick<
  StoredMessage,
  "id" | "environment_id" | "notification_id" | "job_id" | "event_id" | "workflow_id" | "subscriber_id"
>;

/** A message is not sent when its job was canceled, or when its workflow or subscriber was deleted. */
export async function findDeliveryStates(db: Db, messages: OwnedMessage[]): Promise<DeliveryState[]> {
  if (messages.length === 0) return [];
  const all = (column: keyof OwnedMessage) => messages.map((message) => message[column]);
  // From the first and the last id the planner sees which months it can leave out (store/keys.ts).
  const within = (column: RawBuilder<unknown>, ids: string[]) => {
    const sorted = ids.toSorted();
    return sql`${column} between ${sorted[0]}::uuid and ${sorted.at(-1)}::uuid`;
  };
  const { rows } = await sql<DeliveryState>`
    select m.id as message_id, j.status as job_status, j.step_index, n.workflow_version_id,
      w.workflow_id as workflow, s.subscriber_id as subscriber, e.transaction_id, e.trace_context,
      case when w.deleted_at is not null then 'the workflow was deleted'
           when s.id is null then 'the subscriber was deleted'
           when j.status = 'canceled' then 'the step was canceled' end as stopped
    from unnest(${all("id")}::uuid[], ${all("environment_id")}::uuid[], ${all("notification_id")}::uuid[],
      ${all("job_id")}::uuid[], ${all("event_id")}::uuid[], ${all("workflow_id")}::uuid[], ${all("subscriber_id")}::uuid[])
      as m(id, environment_id, notification_id, job_id, event_id, workflow_id, subscriber_id)
    cross join lateral (select status, step_index from jobs t
      where t.environment_id = m.environment_id and t.notification_id = m.notification_id and t.id = m.job_id
        and ${within(sql`t.notification_id`, all("notification_id"))} offset 0) j
    cross join lateral (select workflow_version_id from notifications t
      where t.environment_id = m.environment_id and t.id = m.notification_id
        and ${within(sql`t.id`, all("notification_id"))} offset 0) n
    left join workflows w on w.id = m.workflow_id left join subscribers s on s.id = m.subscriber_id
    left join lateral (select transaction_id, trace_context from events t
      where t.environment_id = m.environment_id and t.id = m.event_id
        and ${within(sql`t.id`, all("event_id"))} offset 0) e on true`.execute(db);
  return rows;
}
