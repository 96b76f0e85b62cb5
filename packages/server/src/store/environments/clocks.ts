// Test clocks: where each stands, where it is going, and the tasks that wait for it. Whoever does something "now" holds
// the clock until it commits; whoever moves it waits for them. So nothing can fall between two moments.
import { sql } from "kysely";
import { insertRows } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { TaskKind } from "../queue/queue.ts";

/** Of these environments, those on a test clock, and where it stands. None of them moves until the transaction ends. */
export async function holdTestClocks(db: Db, environmentIds: string[]): Promise<Map<string, Date>> {
  if (environmentIds.length === 0) return new Map();
  // Sorted, so that two batches cannot wait for each other; environments in real time are not locked.
  const { rows } = await sql<{ id: string; test_clock: Date }>`
    select id, test_clock from environments
    where id = any(${environmentIds}::uuid[]) and test_clock is not null order by id for share`.execute(db);
  return new Map(rows.map((row) => [row.id, row.test_clock]));
}

/** `now` is null in real time; `target` is null unless the clock is on its way. */
export type ClockState = { now: Date | null; target: Date | null };

const state = sql`test_clock as now, test_clock_target as target`;

export async function findClock(db: Db, environmentId: string): Promise<ClockState | undefined> {
  const { rows } = await sql<ClockState>`select ${state} from environments where id = ${environmentId}`.execute(db);
  return rows[0];
}

/** Waits for everyone who holds the clock. Undefined when the environment was deleted. */
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

/** Tasks of the earliest moment that has any, in the order in which they were made. */
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

/** Takes up to `limit` tasks out, whenever they are due. */
export async function takeClockTasks(db: Db, environmentId: string, limit: number): Promise<ClockTask[]> {
  const { rows } = await sql<ClockTask>`
    delete from clock_tasks where id in (
      select id from clock_tasks where environment_id = ${environmentId} order by due_at, id limit ${limit})
    returning *`.execute(db);
  return rows;
}
