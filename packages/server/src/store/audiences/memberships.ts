// Which of some people are in which audiences.
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db.ts";

/** `condition`: over `subscribers s`. */
type AudienceTest = { audienceId: string; condition: RawBuilder<boolean> };

/** The audiences of each person, by internal id; people in none are left out. One statement. */
export async function selectMemberships(
  db: Db,
  environmentId: string,
  subscriberRowIds: string[],
  tests: AudienceTest[],
): Promise<Map<string, string[]>> {
  const found = tests.map(({ audienceId, condition }) => sql`case when ${condition} then ${audienceId}::text end`);
  const { rows } = await sql<{ id: string; audience_ids: string[] }>`
    select s.id, array_remove(array[${sql.join(found)}], null) as audience_ids
    from subscribers s where s.environment_id = ${environmentId} and s.id = any(${subscriberRowIds}::uuid[])`.execute(
    db,
  );
  return new Map(rows.filter((row) => row.audience_ids.length > 0).map((row) => [row.id, row.audience_ids]));
}
