// Tasks of several parts: their parts are finished in different transactions, and the task with the last of them. What
// is left to do is in the data of the task itself, so a task that goes to another worker has only its unfinished parts.
import { sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { schema } from "./boss.ts";
import { requireAllClaims, type Task, type TaskKind } from "./claims.ts";

/** One part of a task, by its id in the list of the task. */
export type TaskPart = { task: Task<unknown>; part: string };

type Removal = { id: string; attempt: number; done: string[] };

/**
 * Returns the tasks that have no part left. `list`: the name of the list in their data. A part that is no longer in it
 * counts as a lost claim: its result was committed, although the connection was lost before the response came.
 */
export async function removeParts(db: Db, kind: TaskKind, list: string, parts: TaskPart[]): Promise<Task<unknown>[]> {
  const whole: Task<unknown>[] = [];
  const divided: Task<unknown>[] = [];
  const removals: Removal[] = [];
  // By claim: a process that lost a task while it hung, and fetched it again, may bring results of both claims.
  for (const own of Map.groupBy(parts, ({ task: { id, attempt } }) => `${id} ${attempt}`).values()) {
    const { task } = own[0]!;
    const done = own.map(({ part }) => part);
    // Most tasks are finished at once, and their data need not be written.
    if (done.length === partsIn(task, list)) whole.push(task);
    else {
      divided.push(task);
      removals.push({ id: task.id, attempt: task.attempt, done });
    }
  }
  if (divided.length === 0) return whole;
  // Locked in the order of their ids: two transactions with parts of the same tasks would deadlock otherwise.
  const { rows } = await sql<{ id: string; isEmpty: boolean }>`
    with held as materialized (
      select id from ${sql.table(`${schema}.job_common`)}
      where name = ${kind} and id = any(${removals.map(({ id }) => id)}::uuid[]) order by id for update)
    update ${sql.table(`${schema}.job_common`)} j
    set data = jsonb_set(j.data, array[${list}], coalesce((
      select jsonb_agg(part) from jsonb_array_elements_text(j.data -> ${list}) part where part <> all(r.done)), '[]'))
    from ${rowsOf("r", { id: "uuid", attempt: "int", done: "text[]" }, removals)}
    join held on held.id = r.id
    where j.name = ${kind} and j.id = r.id and j.state = 'active' and j.retry_count = r.attempt
      and j.data -> ${list} ?& r.done
    returning j.id, j.data -> ${list} = '[]' as "isEmpty"`.execute(db);
  requireAllClaims(kind, divided, rows.length);
  const empty = new Set(rows.flatMap(({ id, isEmpty }) => (isEmpty ? id : [])));
  return [...whole, ...divided.filter(({ id }) => empty.has(id))];
}

const partsIn = ({ data }: Task<unknown>, list: string): number => (data as Record<string, string[]>)[list]!.length;
