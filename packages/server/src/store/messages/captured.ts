// Messages that the built-in capture providers received.
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";
export type CapturedRow = Selectable<Tables["captured_messages"]>;

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

/** Deletes the oldest `limit` that match, and answers whether any are left. */
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
