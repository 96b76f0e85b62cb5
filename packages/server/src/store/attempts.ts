// Attempts: one row per call to a provider, written before the call and completed after it. A row that was never
// completed is a call whose outcome nobody knows: it is marked so when its message is taken up again, never hidden.
import { sql } from "kysely";
import { insertRows, rowsOf } from "./bulk.ts";
import type { Db } from "./db.ts";

export type NewAttempt = {
  id: string;
  environment_id: string;
  message_id: string;
  integration_id: string;
  number: number;
  started_at: Date;
};

const columns = {
  id: "uuid",
  environment_id: "uuid",
  message_id: "uuid",
  integration_id: "uuid",
  number: "smallint",
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

export type AttemptSummary = { message_id: string; integration_id: string; attempts: number };

/** How often each message was tried with each integration. Calls that were cut off are marked as unknown on the way. */
export async function summarizeAttempts(db: Db, messageIds: string[], now: Date): Promise<AttemptSummary[]> {
  await sql`
    update attempts set outcome = 'unknown', finished_at = ${now}, reason = 'the process ended during the call'
    where message_id = any(${messageIds}) and outcome is null`.execute(db);
  const { rows } = await sql<AttemptSummary>`
    select message_id, integration_id, count(*) as attempts from attempts
    where message_id = any(${messageIds}) group by message_id, integration_id`.execute(db);
  return rows;
}

export type Stopped = { message_id: string; job_status: string; reason: string };

/** Of these messages, those nobody wants any more: their job was canceled, or their workflow or subscriber is gone. */
export async function findStopped(db: Db, messageIds: string[]): Promise<Stopped[]> {
  const { rows } = await sql<Stopped>`
    select m.id as message_id, j.status as job_status,
      case when w.deleted_at is not null then 'the workflow was deleted'
           when s.id is null then 'the subscriber was deleted' else 'the step was canceled' end as reason
    from messages m join jobs j on j.id = m.job_id
    left join workflows w on w.id = m.workflow_id left join subscribers s on s.id = m.subscriber_id
    where m.id = any(${messageIds}) and (j.status = 'canceled' or w.deleted_at is not null or s.id is null)`.execute(
    db,
  );
  return rows;
}
