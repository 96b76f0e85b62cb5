// What the built-in capture providers took in.
import { type RawBuilder, type Selectable, sql } from "kysely";
import { firstIdAt } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";

export type CapturedRow = Selectable<Tables["captured_messages"]>;

/**
 * Everything but the content is known from the message and from the attempt it is captured in: the message may have been
 * meant for another integration. A repeat of the same message is captured once.
 */
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
    join lateral (select integration_id from attempts where message_id = m.id order by id desc limit 1) a on true
    join integrations i on i.id = a.integration_id
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

/** By the time in their ids, which is real: a test clock may stand anywhere. At most `limit`; answers how many. */
export async function purgeCaptured(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from captured_messages where id in (
      select id from captured_messages where id < ${firstIdAt(before)} order by id limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}

/** Of each environment the newest `kept` stay. At most `limit` go at once; answers how many. */
export async function purgeCapturedBeyond(db: Db, kept: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with newest_to_go as (
      select c.* from environments e cross join lateral (
        select environment_id, created_at, id from captured_messages where environment_id = e.id
        order by created_at desc, id desc offset ${kept} limit 1) c)
    delete from captured_messages where id in (
      select c.id from newest_to_go n join captured_messages c on c.environment_id = n.environment_id
        and (c.created_at, c.id) <= (n.created_at, n.id)
      limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}
