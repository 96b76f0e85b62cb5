// Test clocks: their time, the time they are advancing to, and the tasks that wait for them. A transaction that uses
// the time of a clock locks it in share mode until it commits, and moving the clock waits for that: no task can be
// scheduled for a time that the clock has already passed.
import { sql } from "kysely";
import { insertRows } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { TaskKind } from "../queue/queue.ts";
/** `now` is null in real time; `target` is null unless the clock is advancing. */
export type ClockState = { now: Date | null; target: Date | null };

const state = sql`test_clock as now, test_clock_target as target`;

export async function findClock(db: Db, environmentId: string): Promise<ClockState | undefined> {
  const { rows } = await sql<ClockState>`select ${state} from environments where id = ${environmentId}`.execute(db);
  return rows[0];
}

/** Waits for all transactions that use the clock. Undefined when the environment was deleted. */
export async function lockClock(db: Db, environmentId: string): Promise<ClockState | undefined> {
  const { rows } = await sql<ClockState>`
    select ${state} from environments where id = ${environmentId} and deleted_at is null
    for no key update`.execute(db);
  return rows[0];
}

export async function setClock(db: Db, environmentId: string, { now, target }: ClockState): Promise<void> {
  await sql`
    update environments set test_clock = ${now}, test_clock_target = ${target}
    where id = ${environmentId}`.execute(db);
}

export type ClockTask = { id: string; environment_id: string; due_at: Date; kind: TaskKind; data: object };

const columns = { id: "uuid", environment_id: "uuid", due_at: "timestamptz", kind: "text", data: "jsonb" };

export const insertClockTasks = (db: Db, rows: ClockTask[]): Promise<void> =>
  insertRows(db, "clock_tasks", columns, rows);

/** Tasks of the earliest due time, in the order in which they were created. */
export async function findDueTasks(db: Db, environmentId: string, until: Date, limit: number): Promise<ClockTask[]> {
  const { rows } = await sql<ClockTask>`
    select * from clock_tasks where environment_id = ${environmentId} and due_at = (
      select min(due_at) from clock_tasks where environment_id = ${environmentId} and due_at <= ${until})
    order by id limit ${limit}`.execute(db);
  return rows;
}

export async function deleteClockTasks(db: Db, environmentId: string, ids: string[]): Promise<void> {
  await sql`delete from clock_tasks where environment_id = ${environmentId} and id = any(${ids}::uuid[])`.execute(db);
}

/** Deletes and returns up to `limit` tasks, whenever they are due. */
export async function takeClockTasks(db: Db, environmentId: string, limit: number): Promise<ClockTask[]> {
  const { rows } = await sql<ClockTask>`
    delete from clock_tasks where id in (
      select id from clock_tasks where environment_id = ${environmentId} order by due_at, id limit ${limit})
    returning *`.execute(db);
  return rows;
}
