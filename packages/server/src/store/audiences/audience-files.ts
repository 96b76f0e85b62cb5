// Audiences as files and publishing read and write them: all of an environment in one statement.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { AudienceRow } from "./audiences.ts";

/** Without what belongs to one environment. */
export type AudienceContent = Pick<AudienceRow, "id" | "audience_id" | "name" | "description" | "rule">;

/** Fixed ones too, by their ids, at most `audiencesPerEnvironment`. Locked when the caller is about to change them. */
export const listAllAudiences = (
  db: Db,
  environmentId: string,
  options: { lock?: boolean } = {},
): Promise<AudienceRow[]> =>
  db
    .selectFrom("audiences")
    .where("environment_id", "=", environmentId)
    .orderBy("audience_id")
    .selectAll()
    .$if(options.lock ?? false, (query) => query.forUpdate())
    .execute();

const columns = { id: "uuid", audience_id: "text", name: "text", description: "text", rule: "jsonb" };

/** Inserts audiences, or replaces those with the same internal id. */
export async function putAudiences(
  db: Db,
  environmentId: string,
  { rows, now }: { rows: AudienceContent[]; now: Date },
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into audiences (environment_id, id, audience_id, name, description, rule, created_at, updated_at)
    select ${environmentId}, id, audience_id, name, description, rule, ${now}, ${now}
    from ${rowsOf("r", columns, rows)}
    on conflict (environment_id, id) do update set name = excluded.name, description = excluded.description,
      rule = excluded.rule, updated_at = excluded.updated_at`.execute(db);
}

export async function deleteAudiences(db: Db, environmentId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from audiences where environment_id = ${environmentId} and id = any(${ids}::uuid[])`.execute(db);
}

/** The ids of audiences that broadcasts use which are not finished, drafts too. */
export async function listBroadcastAudiences(db: Db, environmentId: string): Promise<string[]> {
  const { rows } = await sql<{ audience_id: string }>`
    select distinct a.audience_id from broadcasts b, audiences a
    where b.environment_id = ${environmentId} and b.status not in ('completed', 'stopped', 'failed')
      and a.environment_id = ${environmentId}
      and (b.audience->'include' ? a.audience_id or b.audience->'exclude' ? a.audience_id)`.execute(db);
  return rows.map((row) => row.audience_id);
}
