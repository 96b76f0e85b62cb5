// The age of the events that wait in the queue, for the admission of more (http/admission.ts).
import { sql } from "kysely";
import type { Db } from "../db.ts";
import { schema } from "./boss.ts";

/** Tasks that one look reads at most; in a longer backlog the oldest tasks come first. */
const maxTasks = 5_000;

/** For each environment with events that could be worked on now, how long the oldest has been waiting, in ms. */
export async function findBacklogAges(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ environment_id: string; age_ms: number }>`
    select environment_id, extract(epoch from clock_timestamp() - min(created_on))::float8 * 1000 as age_ms
    from (
      select singleton_key as environment_id, created_on from ${sql.table(`${schema}.job_common`)}
      where name = 'trigger' and state < 'active' and start_after <= clock_timestamp() and singleton_key is not null
      order by created_on limit ${maxTasks}
    ) waiting
    group by environment_id`.execute(db);
  return new Map(rows.map((row) => [row.environment_id, row.age_ms]));
}
