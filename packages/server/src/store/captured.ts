// What the built-in capture providers took in.
import { type Selectable, sql } from "kysely";
import type { Db } from "./db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "./paging.ts";
import type { Tables } from "./tables.ts";

export type CapturedRow = Selectable<Tables["captured_messages"]>;

/** Everything but the content is known from the message itself. A repeat of the same message is captured once. */
export async function insertCaptured(
  db: Db,
  input: { id: string; messageId: string; content: Record<string, unknown>; now: Date },
): Promise<void> {
  await sql`
    insert into captured_messages (id, environment_id, message_id, event_id, subscriber_id, transaction_id, channel,
      provider_id, integration_identifier, content, created_at)
    select ${input.id}, m.environment_id, m.id, m.event_id, coalesce(s.subscriber_id, ''), e.transaction_id, m.channel,
      i.provider_id, i.identifier, ${JSON.stringify(input.content)}::jsonb, ${input.now}
    from messages m
    join events e on e.id = m.event_id
    join integrations i on i.id = m.integration_id
    left join subscribers s on s.id = m.subscriber_id
    where m.id = ${input.messageId}
    on conflict (message_id) do nothing`.execute(db);
}

export type CapturedFilters = { channel?: string; transactionId?: string; subscriberId?: string };

export function listCaptured(
  db: Db,
  environmentId: string,
  filters: CapturedFilters,
  request: CursorRequest,
): Promise<CursorPage<CapturedRow>> {
  const conditions = [sql`environment_id = ${environmentId}`];
  if (filters.channel) conditions.push(sql`channel = ${filters.channel}`);
  if (filters.transactionId) conditions.push(sql`transaction_id = ${filters.transactionId}`);
  if (filters.subscriberId) conditions.push(sql`subscriber_id = ${filters.subscriberId}`);
  const from = sql`from captured_messages where ${sql.join(conditions, sql` and `)}`;
  return cursorPage<CapturedRow>(db, { columns: sql`*`, from, sort: sql`created_at`, id: sql`id` }, request);
}
