// The history of publishes into an environment. Old entries are deleted by store/installation/purges.ts.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { PublishedChange, Tables } from "../tables.ts";

export type PublishRow = Selectable<Tables["publishes"]>;

/** A publish without its contents: of each resource its name and what was done with it. */
export type PublishHeadRow = Omit<PublishRow, "resources"> & {
  heads: Pick<PublishedChange, "name" | "action">[];
};

export async function insertPublish(db: Db, row: PublishRow): Promise<void> {
  await db
    .insertInto("publishes")
    .values({ ...row, resources: JSON.stringify(row.resources) })
    .execute();
}

const head = sql`p.id, p.environment_id, p.kind, p.source_id, p.source_name, p.created_at, p.created_by, p.created_by_name,
  p.restores, p.restored_at,
  (select coalesce(json_agg(json_build_object('name', r->>'name', 'action', r->>'action')), '[]')
    from jsonb_array_elements(p.resources) as r) as heads`;

export function listPublishes(
  db: Db,
  environmentId: string,
  request: CursorRequest,
): Promise<CursorPage<PublishHeadRow>> {
  const from = sql`from publishes p where p.environment_id = ${environmentId}`;
  return cursorPage(db, { columns: head, from, sort: sql`p.created_at`, id: sql`p.id` }, request);
}

export async function findPublish(db: Db, environmentId: string, id: string): Promise<PublishRow | undefined> {
  if (!isUuid(id)) return undefined;
  return db
    .selectFrom("publishes")
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .selectAll()
    .executeTakeFirst();
}

export async function markRestored(db: Db, environmentId: string, id: string, now: Date): Promise<void> {
  await db
    .updateTable("publishes")
    .set({ restored_at: now })
    .where("environment_id", "=", environmentId)
    .where("id", "=", id)
    .execute();
}
