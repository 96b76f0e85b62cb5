// What the built-in capture providers took in.
import { type RawBuilder, type Selectable, sql } from "kysely";
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
      i.provider_id, i.identifier, ${JSON.stringify(input.content)}::jsonb, coalesce(v.test_clock, ${input.now})
    from messages m
    join environments v on v.id = m.environment_id
    join events e on e.id = m.event_id
    join integrations i on i.id = m.integration_id
    left join subscribers s on s.id = m.subscriber_id
    where m.id = ${input.messageId}
    on conflict (message_id) do nothing`.execute(db);
}

export type CapturedFilters = { channel?: string; transactionId?: string; subscriberId?: string };

function matching(environmentId: string, filters: CapturedFilters): RawBuilder<unknown> {
  const conditions = [sql`environment_id = ${environmentId}`];
  if (filters.channel !== undefined) conditions.push(sql`channel = ${filters.channel}`);
  if (filters.transactionId !== undefined) conditions.push(sql`transaction_id = ${filters.transactionId}`);
  if (filters.subscriberId !== undefined) conditions.push(sql`subscriber_id = ${filters.subscriberId}`);
  return sql`from captured_messages where ${sql.join(conditions, sql` and `)}`;
}

export function listCaptured(
  db: Db,
  environmentId: string,
  filters: CapturedFilters,
  request: CursorRequest,
): Promise<CursorPage<CapturedRow>> {
  const from = matching(environmentId, filters);
  return cursorPage<CapturedRow>(db, { columns: sql`*`, from, sort: sql`created_at`, id: sql`id` }, request);
}

/** Deletes the oldest `limit` of them, and tells whether that left any. */
export async function deleteCaptured(
  db: Db,
  environmentId: string,
  filters: CapturedFilters,
  limit: number,
): Promise<{ deleted: number; hasMore: boolean }> {
  const { rows } = await sql<{ deleted: number; has_more: boolean }>`
    with found as (select id ${matching(environmentId, filters)} order by created_at, id limit ${limit + 1}),
      gone as (
        delete from captured_messages where environment_id = ${environmentId}
          and id in (select id from found limit ${limit}) returning id)
    select (select count(*)::int from gone) as deleted, (select count(*) > ${limit} from found) as has_more`.execute(
    db,
  );
  return { deleted: rows[0]!.deleted, hasMore: rows[0]!.has_more };
}
