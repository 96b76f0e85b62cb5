// Tasks that were removed from the queue after failing repeatedly. See pipeline/set-aside.ts.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { cappedCount } from "../paging.ts";
import type { TaskKind } from "../queue/queue.ts";
import type { Tables } from "../tables.ts";
export type FailedTaskRow = Selectable<Tables["failed_tasks"]> & { kind: TaskKind };
export type NewFailedTask = Omit<FailedTaskRow, "status" | "replayed_at">;

const columns = {
  id: "uuid",
  environment_id: "uuid",
  kind: "text",
  data: "jsonb",
  error: "text",
  attempts: "int",
  created_at: "timestamptz",
};

export const insertFailedTask = (db: Db, environmentId: string, task: NewFailedTask): Promise<void> =>
  insertFailedTasks(db, [{ ...task, environment_id: environmentId }]);

/** One that exists stays unchanged. */
export async function insertFailedTasks(db: Db, tasks: NewFailedTask[]): Promise<void> {
  if (tasks.length === 0) return;
  await sql`
    insert into failed_tasks (id, environment_id, kind, data, error, attempts, status, created_at)
    select id, environment_id, kind, data, error, attempts, 'open', created_at from ${rowsOf("r", columns, tasks)}
    on conflict do nothing`.execute(db);
}

/** Newest first. One row more than asked comes back, so that the caller knows whether there are more. */
export async function listFailedTasks(
  db: Db,
  environmentId: string,
  status: FailedTaskRow["status"] | undefined,
  page: { offset: number; limit: number },
): Promise<{ rows: FailedTaskRow[]; totalCount: number }> {
  const from = sql`from failed_tasks f where f.environment_id = ${environmentId}
    ${status === undefined ? sql`` : sql`and f.status = ${status}`}`;
  const { rows } = await sql<FailedTaskRow>`
    select f.* ${from} order by f.id desc limit ${page.limit + 1} offset ${page.offset}`.execute(db);
  return { rows, totalCount: await cappedCount(db, from) };
}

/** Locked until the transaction ends: a second replay waits for the first and finds the task replayed. */
export async function lockFailedTask(db: Db, environmentId: string, id: string): Promise<FailedTaskRow | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<FailedTaskRow>`
    select * from failed_tasks where environment_id = ${environmentId} and id = ${id} for update`.execute(db);
  return rows[0];
}

export async function markTaskReplayed(db: Db, environmentId: string, id: string, now: Date): Promise<void> {
  await sql`
    update failed_tasks set status = 'replayed', replayed_at = ${now}
    where environment_id = ${environmentId} and id = ${id}`.execute(db);
}
