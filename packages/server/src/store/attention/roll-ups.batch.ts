// The items of roll-ups: jobs that were held, with the content of their message as output.
import { sql } from "kysely";
import type { JsonObject } from "../../lib/json.ts";
import type { Db } from "../db.ts";

export type HeldItem = {
  roll_up: string;
  environment_id: string;
  notification_id: string;
  job_id: string;
  workflow_id: string;
  context_keys: string[];
  output: JsonObject;
};

/** The items of these roll-ups, oldest first, at most `limit` of each, without those that were taken back. */
export async function findHeldItems(db: Db, rollUps: string[], limit: number): Promise<HeldItem[]> {
  if (rollUps.length === 0) return [];
  const { rows } = await sql<HeldItem>`
    select r.id as roll_up, held.* from unnest(${rollUps}::uuid[]) as r(id) cross join lateral (
      select j.environment_id, j.notification_id, j.id as job_id, n.workflow_id, n.context_keys, j.output
      from jobs j join notifications n on n.environment_id = j.environment_id and n.id = j.notification_id
      where j.merged_into = r.id and j.status = 'skipped' and j.output is not null
      order by j.notification_id, j.id limit ${limit}) as held`.execute(db);
  return rows;
}
