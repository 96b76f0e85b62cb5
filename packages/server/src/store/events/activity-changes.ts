// Events of an environment in which something has just happened: they were accepted, or one of their messages was
// created.
import { sql } from "kysely";
import type { Db } from "../db.ts";

/** With ids from `from` on, newest first, at most `limit` of each kind. Both are ranges of the key of their table. */
export async function findRecentEventIds(
  db: Db,
  environmentId: string,
  from: string,
  { limit, messages }: { limit: number; messages: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    (select id from events where environment_id = ${environmentId} and id >= ${from} order by id desc limit ${limit})
    union
    (select event_id from (
      select event_id from messages where environment_id = ${environmentId} and id >= ${from}
      order by id desc limit ${messages}) as m group by event_id limit ${limit})
    order by 1 desc`.execute(db);
  return rows.map((row) => row.id);
}
