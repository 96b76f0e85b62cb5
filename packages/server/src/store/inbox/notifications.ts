// In-app messages as an inbox shows them, and snoozing: a snoozed message is hidden until a time, then shown as unread.
import type { Severity } from "@tidings/contract";
import { sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import type { StoredMessage } from "../messages/messages.ts";
import type { StoredDetail } from "../tables.ts";
import type { WorkflowRefRow } from "../workflows/workflow-refs.ts";
export type InboxItem = StoredMessage & {
  transaction_id: string;
  severity: Severity;
  /** Null when the workflow was purged. */
  workflow: WorkflowRefRow | null;
};

/** Messages that an inbox can show: in-app and stored. */
const inInbox = (environmentId: string, subscriberId: string, id: string) => sql`
  m.environment_id = ${environmentId} and m.subscriber_id = ${subscriberId} and m.id = ${id}
    and m.channel = 'in_app' and m.status = 'sent'`;

export async function findInboxItem(
  db: Db,
  environmentId: string,
  subscriberId: string,
  id: string,
): Promise<InboxItem | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<InboxItem>`
    select m.*, e.transaction_id, n.severity, to_jsonb(w) as workflow
    from messages m
    join events e on e.environment_id = m.environment_id and e.id = m.event_id
    join notifications n on n.environment_id = m.environment_id and n.id = m.notification_id
    left join (select id, workflow_id, name, tags, severity, preferences_user, preferences_default from workflows) w
      on w.id = m.workflow_id
    where ${inInbox(environmentId, subscriberId, id)}`.execute(db);
  return rows[0];
}

/** `until` null ends the snoozing. Answers whether something changed; the detail is added to the job. */
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
      where ${inInbox(environmentId, subscriberId, id)} and m.snoozed_until is distinct from ${until}::timestamptz
      returning m.notification_id, m.job_id)
    update jobs j set details = j.details || ${JSON.stringify([detail])}::jsonb, updated_at = ${now}
    from changed where j.environment_id = ${environmentId} and j.notification_id = changed.notification_id
      and j.id = changed.job_id returning 1`.execute(db);
  return rows.length > 0;
}
