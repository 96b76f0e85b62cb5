// In-app messages as an inbox shows them, and their snoozing: hidden until a time, then back as if new.
import { sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { StoredDetail } from "../tables.ts";
import type { WorkflowRefRow } from "../workflows/workflow-refs.ts";
import { unseen } from "./message-marks.ts";
import type { StoredMessage } from "./messages.ts";

export type InboxItem = StoredMessage & {
  transaction_id: string;
  severity: string;
  /** Null when the workflow is gone for good. */
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
    join events e on e.id = m.event_id
    join notifications n on n.id = m.notification_id
    left join (select id, workflow_id, name, tags, severity, preferences_user, preferences_default from workflows) w
      on w.id = m.workflow_id
    where ${inInbox(environmentId, subscriberId, id)}`.execute(db);
  return rows[0];
}

/** With null, the message comes back as it is. Answers whether something changed; the reason goes to its job. */
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
      returning m.job_id)
    update jobs j set details = j.details || ${JSON.stringify([detail])}::jsonb, updated_at = ${now}
    from changed where j.id = changed.job_id returning 1`.execute(db);
  return rows.length > 0;
}

export type SnoozedMessage = { id: string; environment_id: string; snoozed_until: Date };

/** Of these messages, those that are snoozed. Nobody changes them until the transaction ends. */
export async function lockSnoozed(db: Db, ids: string[]): Promise<SnoozedMessage[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SnoozedMessage>`
    select id, environment_id, snoozed_until from messages
    where id = any(${ids}::uuid[]) and snoozed_until is not null order by id for update`.execute(db);
  return rows;
}

export type Redelivery = { id: string; at: Date; detail: StoredDetail };

/** Back as if new: unread, unseen, delivered once more. */
export async function redeliver(db: Db, messages: Redelivery[]): Promise<void> {
  if (messages.length === 0) return;
  await sql`
    with back as (
      update messages m set snoozed_until = null, ${unseen}, updated_at = r.at,
        delivered_at = array_append(m.delivered_at, r.at)
      from ${rowsOf("r", { id: "uuid", at: "timestamptz", detail: "jsonb" }, messages)} where m.id = r.id
      returning m.job_id, r.detail, r.at)
    update jobs j set details = j.details || back.detail, updated_at = back.at
    from back where j.id = back.job_id`.execute(db);
}
