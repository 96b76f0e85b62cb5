// What files put in place last in an environment, by fingerprint.
import { type Selectable, sql } from "kysely";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

type FileApplyRow = Selectable<Tables["file_applies"]>;

export const findFileApply = (db: Db, environmentId: string): Promise<FileApplyRow | undefined> =>
  db.selectFrom("file_applies").where("environment_id", "=", environmentId).selectAll().executeTakeFirst();

/** Other resources keep their fingerprints: several repositories may share an environment. */
export async function recordFileApply(
  db: Db,
  environmentId: string,
  { fingerprints, removed, now }: { fingerprints: Record<string, string>; removed: string[]; now: Date },
): Promise<void> {
  await sql`
    insert into file_applies (environment_id, fingerprints, applied_at)
    values (${environmentId}, ${JSON.stringify(fingerprints)}::jsonb, ${now})
    on conflict (environment_id) do update set
      fingerprints = (file_applies.fingerprints - ${removed}::text[]) || excluded.fingerprints,
      applied_at = excluded.applied_at`.execute(db);
}
