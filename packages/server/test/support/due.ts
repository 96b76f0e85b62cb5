// Tests that change when a task is due, past the queue, announce it as the queue would.
import { sql } from "kysely";
import type { Db } from "../../src/store/db.ts";
import { dueChannel } from "../../src/store/queue/due.ts";

/** Makes every process look for due tasks now. */
export const announceDueTasks = (db: Db) => sql`select pg_notify(${dueChannel}, '0')`.execute(db);
