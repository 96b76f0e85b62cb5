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
