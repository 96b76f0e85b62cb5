// Tasks of the pipeline that were taken out of the queue because they failed every time. See pipeline/set-aside.ts.
import { type Selectable, sql } from "kysely";
import { isUuid } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { cappedCount } from "../paging.ts";
import type { TaskKind } from "../queue/queue.ts";
import type { Tables } from "../tables.ts";

export type FailedTaskRow = Selectable<Tables["failed_tasks"]> & { kind: TaskKind };
export type NewFailedTask = Omit<FailedTaskRow, "status" | "replayed_at">;

export async function insertFailedTask(db: Db, environmentId: string, task: NewFailedTask): Promise<void> {
  const { id, kind, data, error, attempts, created_at } = task;
  await sql`
    insert into failed_tasks (id, environment_id, kind, data, error, attempts, status, created_at)
    values (${id}, ${environmentId}, ${kind}, ${JSON.stringify(data)}::jsonb, ${error}, ${attempts}, 'open',
      ${created_at})`.execute(db);
}

/** Which table the id in the task of a kind belongs to. */
const owners: Partial<Record<TaskKind, { table: string; idOf: (data: Record<string, unknown>) => unknown }>> = {
  trigger: { table: "events", idOf: ({ eventIds }) => (eventIds as string[])[0] },
  fanout: { table: "events", idOf: ({ eventId }) => eventId },
  wake: { table: "notifications", idOf: ({ notificationIds }) => (notificationIds as string[])[0] },
  deliver: { table: "messages", idOf: ({ messageId }) => messageId },
  unsnooze: { table: "messages", idOf: ({ messageId }) => messageId },
  webhook: { table: "webhook_deliveries", idOf: ({ deliveryId }) => deliveryId },
};

/** Undefined when what the task names is gone, or when its kind belongs to no environment. */
export async function findTaskEnvironment(db: Db, kind: TaskKind, data: object): Promise<string | undefined> {
  const owner = owners[kind];
  const id = owner?.idOf(data as Record<string, unknown>);
  if (!owner || typeof id !== "string" || !isUuid(id)) return undefined;
  const { rows } = await sql<{ environment_id: string }>`
    select t.environment_id from ${sql.table(owner.table)} t join environments e on e.id = t.environment_id
    where t.id = ${id}`.execute(db);
  return rows[0]?.environment_id;
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

/** Held until the transaction ends: a second replay waits for the first and finds the task replayed. */
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

/** At most `limit`; answers how many. */
export async function purgeFailedTasks(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from failed_tasks where id in (
      select id from failed_tasks where created_at < ${before} order by created_at limit ${limit}) returning 1`.execute(
    db,
  );
  return rows.length;
}
