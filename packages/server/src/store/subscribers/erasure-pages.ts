// The people of events to audiences, as an erasure changes them.
import { sql } from "kysely";
import type { Db } from "../db.ts";

/** The key of a page, as texts. */
type PageKey = { event_id: string; page: string };

/**
 * Replaces the internal ids of a person by that of the shell, so that counts stay right. Reads up to `limit` pages
 * behind `after`; `last` is null when there are no more.
 */
export async function replaceInPages(
  db: Db,
  environmentId: string,
  { ids, shell }: { ids: string[]; shell: string },
  { after, limit }: { after: PageKey | null; limit: number },
): Promise<{ last: PageKey | null; read: number; changed: number }> {
  const behind = after ? sql`and (event_id, page) > (${after.event_id}::uuid, ${after.page}::integer)` : sql``;
  const { rows } = await sql<PageKey & { changed: number }>`
    with read as (
      select event_id, page from event_pages where environment_id = ${environmentId} ${behind}
      order by event_id, page limit ${limit}),
    changed as (
      update event_pages p set subscriber_ids = array(
        select case when s.id = any(${ids}::uuid[]) then ${shell}::uuid else s.id end
        from unnest(p.subscriber_ids) with ordinality as s(id, place) order by s.place)
      from read r where p.environment_id = ${environmentId} and p.event_id = r.event_id and p.page = r.page
        and p.subscriber_ids && ${ids}::uuid[]
      returning 1)
    select event_id, page::text, (select count(*)::int from changed) as changed
    from read order by event_id, read.page`.execute(db);
  const { event_id, page } = rows.at(-1) ?? {};
  const isLast = rows.length < limit || event_id === undefined || page === undefined;
  return { last: isLast ? null : { event_id, page }, read: rows.length, changed: rows[0]?.changed ?? 0 };
}
