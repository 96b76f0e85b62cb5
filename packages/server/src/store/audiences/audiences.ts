// Audiences: rows and lists. Their people: audience-people.ts and audience-members.ts.
import { type Selectable, sql } from "kysely";
import type { Db } from "../db.ts";
import { type CursorPage, type CursorRequest, cursorPage } from "../paging.ts";
import type { Tables } from "../tables.ts";

export type AudienceRow = Selectable<Tables["audiences"]>;

export async function findAudiencesByKeys(db: Db, environmentId: string, keys: string[]): Promise<AudienceRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<AudienceRow>`
    select * from audiences where environment_id = ${environmentId} and audience_id = any(${keys})`.execute(db);
  return rows;
}

/** The ids of all audiences; an environment has at most 500. */
export async function listAudienceIds(db: Db, environmentId: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ audience_id: string }>`
    select audience_id from audiences where environment_id = ${environmentId}`.execute(db);
  return new Set(rows.map((row) => row.audience_id));
}

/** The audience stays until the transaction ends. */
export async function holdAudience(db: Db, environmentId: string, key: string): Promise<AudienceRow | undefined> {
  const { rows } = await sql<AudienceRow>`
    select * from audiences where environment_id = ${environmentId} and audience_id = ${key} for key share`.execute(db);
  return rows[0];
}

export async function insertAudience(db: Db, row: AudienceRow): Promise<void> {
  await db
    .insertInto("audiences")
    .values({ ...row, rule: row.rule && JSON.stringify(row.rule) })
    .execute();
}

export async function updateAudience(db: Db, row: AudienceRow): Promise<void> {
  const { environment_id, id, name, description, rule, updated_at } = row;
  await sql`
    update audiences set name = ${name}, description = ${description}, rule = ${rule && JSON.stringify(rule)}::jsonb,
      updated_at = ${updated_at}
    where environment_id = ${environment_id} and id = ${id}`.execute(db);
}

/** `search`: part of the name or id, ignoring case. */
export const listAudiences = (
  db: Db,
  environmentId: string,
  search: string | undefined,
  request: CursorRequest,
): Promise<CursorPage<AudienceRow>> => {
  const part = sql`lower(${search})`;
  const matches = search
    ? sql`and (position(${part} in lower(name)) > 0 or position(${part} in lower(audience_id)) > 0)`
    : sql``;
  return cursorPage<AudienceRow>(
    db,
    {
      columns: sql`audiences.*`,
      from: sql`from audiences where environment_id = ${environmentId} ${matches}`,
      sort: sql`created_at`,
      id: sql`id`,
    },
    request,
  );
};
