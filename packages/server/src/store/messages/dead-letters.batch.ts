// Dead letters of failed deliveries.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { DeadLetterRow } from "./dead-letters.ts";
export type NewDeadLetter = Pick<
  DeadLetterRow,
  | "id"
  | "environment_id"
  | "message_id"
  | "step_id"
  | "provider_id"
  | "integration_id"
  | "error_class"
  | "error_id"
  | "error_text"
  | "attempts"
  | "created_at"
>;

const newColumns = {
  id: "uuid",
  environment_id: "uuid",
  message_id: "uuid",
  step_id: "text",
  provider_id: "text",
  integration_id: "uuid",
  error_class: "text",
  error_id: "text",
  error_text: "text",
  attempts: "int",
  created_at: "timestamptz",
};

/** The other columns are read from the message. */
export async function insertDeadLetters(db: Db, letters: NewDeadLetter[]): Promise<void> {
  if (letters.length === 0) return;
  await sql`
    insert into dead_letters (id, environment_id, message_id, notification_id, job_id, transaction_id, subscriber_id,
      workflow_id, step_id, channel, provider_id, integration_id, error_class, error_id, error_text, attempts, status,
      created_at)
    select r.id, m.environment_id, m.id, m.notification_id, m.job_id, e.transaction_id,
      coalesce(s.subscriber_id, m.subscriber_id::text), m.workflow_id, r.step_id, m.channel, r.provider_id,
      r.integration_id, r.error_class, r.error_id, r.error_text, r.attempts, 'open', r.created_at
    from ${rowsOf("r", newColumns, letters)} 
    join messages m on m.environment_id = r.environment_id and m.id = r.message_id
    join events e on e.environment_id = m.environment_id and e.id = m.event_id
    left join subscribers s on s.id = m.subscriber_id`.execute(db);
}
