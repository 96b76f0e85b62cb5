// The messages of runs. Messages have no index on their notification: they are found by the index on their subscriber,
// from the time on at which the run began.
import { type RawBuilder, sql } from "kysely";
import { firstIdAt, timeOfId } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import { clockSkewMs } from "./message-marks.ts";

export type RunRef = { id: string; subscriber_id: string };

/** The statement that selects the ids of the messages of these runs. */
export function messagesOfRuns(environmentId: string, runs: RunRef[]): RawBuilder<unknown> {
  const given = runs.map(({ id, subscriber_id }) => ({
    id,
    subscriber_id,
    from_id: firstIdAt(new Date(timeOfId(id) - clockSkewMs)),
  }));
  return sql`
    select f.id from ${rowsOf("r", { id: "uuid", subscriber_id: "uuid", from_id: "uuid" }, given)} cross join lateral (
      select t.id from messages t where t.subscriber_id = r.subscriber_id and t.id >= r.from_id
        and t.environment_id = ${environmentId} and t.notification_id = r.id offset 0) as f`;
}
