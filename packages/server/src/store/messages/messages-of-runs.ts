// The messages of runs. Messages have no index on their notification: they are found by the index on their subscriber,
// from the time on at which the run began.
import { sql } from "kysely";
import { firstIdAt, timeOfId } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { RowKey } from "../keys.ts";
import { clockSkewMs } from "./message-marks.ts";

export type RunRef = { id: string; subscriber_id: string };

/**
 * The keys of the messages of these runs. The environment is a condition outside of `offset 0`: inside, it would let
 * the planner read the environment's messages for each run. Statements about the messages find them by key
 * (store/keys.ts), for the same reason.
 */
export async function findMessageKeys(db: Db, environmentId: string, runs: RunRef[]): Promise<RowKey[]> {
  if (runs.length === 0) return [];
  const given = runs.map(({ id, subscriber_id }) => ({
    id,
    subscriber_id,
    from_id: firstIdAt(new Date(timeOfId(id) - clockSkewMs)),
  }));
  const { rows } = await sql<RowKey>`
    select f.environment_id, f.id
    from ${rowsOf("r", { id: "uuid", subscriber_id: "uuid", from_id: "uuid" }, given)} cross join lateral (
      select t.id, t.environment_id, t.notification_id from messages t
      where t.subscriber_id = r.subscriber_id and t.id >= r.from_id offset 0) as f
    where f.environment_id = ${environmentId} and f.notification_id = r.id`.execute(db);
  return rows;
}
