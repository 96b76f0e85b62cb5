// Messages that the built-in capture providers received.
import { type RawBuilder, type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";
export type CapturedRow = Selectable<Tables["captured_messages"]>;

export type CapturedFilters = { channel?: string; transactionId?: string; subscriberId?: string };

/** `summary`: without the HTML and the headers. `search` examines the newest `searched` that the filters name. */
export type CapturedRequest = CursorRequest & { content: "full" | "summary"; search?: string; searched: number };

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
  { content, search, searched, ...request }: CapturedRequest,
): Promise<CursorPage<CapturedRow>> {
  const found = matching(environmentId, filters);
  const from =
    search === undefined
      ? found
      : sql`from (select * ${found} order by created_at desc, id desc limit ${searched}) as newest
          where ${containing(search)}`;
  const columns = content === "full" ? sql`*` : sql`*, content - '{html,headers}'::text[] as content`;
  return cursorPage<CapturedRow>(db, { columns, from, sort: sql`created_at`, id: sql`id` }, request);
}

/** Addresses of chat and push messages are encrypted: they cannot be searched. */
function containing(search: string): RawBuilder<unknown> {
  const pattern = `%${search.replace(/[\\%_]/g, "\\$&")}%`;
  return sql`(content->>'subject' ilike ${pattern} or content->>'text' ilike ${pattern} or subscriber_id ilike ${pattern}
    or transaction_id ilike ${pattern} or channel in ('email', 'sms') and content->>'to' ilike ${pattern})`;
}

export async function findCaptured(db: Db, environmentId: string, id: string): Promise<CapturedRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<CapturedRow>`
    select * from captured_messages where id = ${id} and environment_id = ${environmentId}`.execute(db);
  return rows[0];
}

/** Returns whether it existed. */
export async function deleteCapturedOne(db: Db, environmentId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { rows } = await sql`
    delete from captured_messages where id = ${id} and environment_id = ${environmentId} returning 1`.execute(db);
  return rows.length > 0;
}

/** Deletes the oldest `limit` that match, and returns whether any are left. */
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
