// Attempts: one row per call to a provider, written before the call and completed after it. A row that was never
// completed is a call whose outcome nobody knows: it is marked so when its message is taken up again, never hidden.
import { type Selectable, sql } from "kysely";
import { insertRows, rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

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

export type AttemptResult = {
  id: string;
  finished_at: Date;
  outcome: string;
  reason: string | null;
  provider_message_id: string | null;
};

export async function finishAttempts(db: Db, results: AttemptResult[]): Promise<void> {
  if (results.length === 0) return;
  const shape = {
    id: "uuid",
    finished_at: "timestamptz",
    outcome: "text",
    reason: "text",
    provider_message_id: "text",
  };
  await sql`
    update attempts a set finished_at = r.finished_at, outcome = r.outcome, reason = r.reason,
      provider_message_id = r.provider_message_id
    from ${rowsOf("r", shape, results)} where a.id = r.id`.execute(db);
}

export type AttemptSummary = {
  message_id: string;
  integration_id: string;
  attempts: number;
  /** When the last one began whose outcome nobody knows. */
  unknown_at: Date | null;
};

/**
 * How often each message was tried with each integration in its present round. Calls that were cut off are marked as
 * unknown on the way.
 */
export async function summarizeAttempts(db: Db, messageIds: string[], now: Date): Promise<AttemptSummary[]> {
  if (messageIds.length === 0) return [];
  await sql`
    update attempts set outcome = 'unknown', finished_at = ${now}, reason = 'the process ended during the call'
    where message_id = any(${messageIds}) and outcome is null`.execute(db);
  const { rows } = await sql<AttemptSummary>`
    select a.message_id, a.integration_id, count(*) as attempts,
      max(a.started_at) filter (where a.outcome = 'unknown') as unknown_at
    from attempts a join messages m on m.id = a.message_id and m.round = a.round
    where a.message_id = any(${messageIds}) and m.id = any(${messageIds})
    group by a.message_id, a.integration_id`.execute(db);
  return rows;
}

/** Where a message stands in its run. */
export type Standing = {
  message_id: string;
  job_status: string;
  step_index: number;
  workflow_version_id: string;
  /** Their identifiers, as the caller knows them; null where the record is gone. */
  workflow: string | null;
  subscriber: string | null;
  transaction_id: string | null;
  /** Why nobody wants the message any more; null when somebody does. */
  stopped: string | null;
};

/** A message is unwanted when its job was canceled, or when its workflow or subscriber is gone. */
export async function findStandings(db: Db, messageIds: string[]): Promise<Standing[]> {
  if (messageIds.length === 0) return [];
  const { rows } = await sql<Standing>`
    select m.id as message_id, j.status as job_status, j.step_index, n.workflow_version_id,
      w.workflow_id as workflow, s.subscriber_id as subscriber, e.transaction_id,
      case when w.deleted_at is not null then 'the workflow was deleted'
           when s.id is null then 'the subscriber was deleted'
           when j.status = 'canceled' then 'the step was canceled' end as stopped
    from messages m join jobs j on j.id = m.job_id join notifications n on n.id = m.notification_id
    left join workflows w on w.id = m.workflow_id left join subscribers s on s.id = m.subscriber_id
    left join events e on e.id = m.event_id
    where m.id = any(${messageIds})`.execute(db);
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
