// Finished jobs get their own rows when one of them is sent again.
import { sql } from "kysely";
import { runInserts } from "../bulk.ts";
import type { Db } from "../db.ts";
import { unpackJobs } from "./finished-jobs.ts";
import { jobInsert } from "./jobs.batch.ts";
import type { NotificationRow } from "./notifications.ts";

/** The notification must be locked. */
export async function unpackFinishedJobs(db: Db, notification: NotificationRow): Promise<void> {
  const { environment_id, id } = notification;
  await runInserts(db, [jobInsert(unpackJobs(notification))]);
  await sql`update notifications set finished_jobs = null, later_details = null
    where environment_id = ${environment_id} and id = ${id}`.execute(db);
}
