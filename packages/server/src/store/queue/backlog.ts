// The age of the events that wait in the queue, for the admission of more (http/admission.ts).
import { sql } from "kysely";
import { highestLow } from "../../lib/load/fair-queue.ts";
import type { Db } from "../db.ts";
import { schema } from "./boss.ts";

/** Tasks of each that one look reads at most; in a longer backlog the oldest tasks come first. */
const maxTasks = 5_000;

/** How long the oldest event has been waiting, in ms; `low`: of those with low priority, which wait by design. */
export type BacklogAges = { others: number; low: number };

/** For each environment with events that could be worked on now. */
export async function findBacklogAges(db: Db): Promise<Map<string, BacklogAges>> {
  const waiting = (lane: "low" | "others") => sql`
    select singleton_key as environment_id, created_on, ${sql.lit(lane)} as lane from ${sql.table(`${schema}.job_common`)}
    where name = 'trigger' and state < 'active' and start_after <= clock_timestamp() and singleton_key is not null
      and priority ${lane === "low" ? sql`<=` : sql`>`} ${highestLow}
    order by created_on limit ${maxTasks}`;
  const { rows } = await sql<BacklogAges & { environment_id: string }>`
    select environment_id,
      coalesce(extract(epoch from clock_timestamp() - min(created_on) filter (where lane = 'others')), 0)::float8 * 1000
        as others,
      coalesce(extract(epoch from clock_timestamp() - min(created_on) filter (where lane = 'low')), 0)::float8 * 1000
        as low
    from ((${waiting("others")}) union all (${waiting("low")})) as waiting
    group by environment_id`.execute(db);
  return new Map(rows.map(({ environment_id, others, low }) => [environment_id, { others, low }]));
}
