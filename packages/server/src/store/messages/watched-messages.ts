// The messages that a wait watches, locked while the wait begins.
import { sql } from "kysely";
import { firstIdAt, timeOfId } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { clockSkewMs } from "./message-marks.ts";
import type { MessageRow } from "./messages.ts";

export type WatchedJob = { environment_id: string; subscriber_id: string; job_id: string };
export type WatchedMessage = Pick<MessageRow, "job_id" | "seen_at" | "read_at" | "last_seen_at" | "last_read_at">;

/** A step may have several messages, to chats and devices. */
export async function holdMessagesOfJobs(db: Db, jobs: WatchedJob[]): Promise<WatchedMessage[]> {
  if (jobs.length === 0) return [];
  // A message is newer than its notification, whose time is in the id of the job.
  const given = jobs.map((job) => ({ ...job, from_id: firstIdAt(new Date(timeOfId(job.job_id) - clockSkewMs)) }));
  const columns = { environment_id: "uuid", subscriber_id: "uuid", job_id: "uuid", from_id: "uuid" };
  const { rows } = await sql<WatchedMessage>`
    select m.* from ${rowsOf("r", columns, given)} cross join lateral (
      select f.job_id, f.seen_at, f.read_at, f.last_seen_at, f.last_read_at from messages f
      where f.subscriber_id = r.subscriber_id and f.id >= r.from_id and f.job_id = r.job_id
        and f.environment_id = r.environment_id
      order by f.id limit 100 for update) as m`.execute(db);
  return rows;
}
