// What the retention of the whole installation needs to know, and the record of its runs.
import { type Selectable, sql } from "kysely";
import type { Db } from "../db.ts";
import { schema } from "../queue/boss.ts";
import type { RetentionOverrides, Tables } from "../tables.ts";

export type RetentionEnvironment = { id: string; is_dev: boolean; retention: RetentionOverrides };

/** The next environments by id; deleted ones until they are purged. */
export async function listRetentionEnvironments(db: Db, after: string, limit: number): Promise<RetentionEnvironment[]> {
  const { rows } = await sql<RetentionEnvironment>`
    select id, type = 'dev' as is_dev, retention from environments where id > ${after} order by id limit ${limit}`.execute(
    db,
  );
  return rows;
}

/**
 * By environment: the first event whose recipients are still to be notified, because its task waits in the queue, or
 * failed and can be replayed. Broadcasts are left out: they may wait for months, and only their own events stay
 * (hasWaitingPeople of needed-rows.ts). No other task of these kinds is due in more than an hour; one of a broadcast
 * that was stopped and deleted is.
 */
export async function findOpenEvents(db: Db): Promise<Map<string, string>> {
  const { rows } = await sql<{ environment_id: string; event_id: string }>`
    select environment_id, min(event_id) as event_id
    from (
      select t.environment_id, t.event_id from (
        select singleton_key as environment_id, coalesce(data->>'eventId', data->'eventIds'->>0) as event_id
        from ${sql.table(`${schema}.job_common`)}
        where name in ('trigger', 'fanout') and state <= 'active' and singleton_key is not null
          and start_after < now() + interval '1 hour') as t
      where not exists (select 1 from broadcasts b
        where b.environment_id::text = t.environment_id and b.event_id::text = t.event_id)
      union all
      select environment_id::text, coalesce(data->>'eventId', data->'eventIds'->>0)
      from failed_tasks where kind in ('trigger', 'fanout') and status = 'open'
    ) as waiting
    group by environment_id`.execute(db);
  return new Map(rows.flatMap((row) => (row.event_id ? [[row.environment_id, row.event_id] as const] : [])));
}

export type RetentionRunRow = Selectable<Tables["retention_runs"]>;

export async function insertRetentionRun(db: Db, id: string, now: Date): Promise<void> {
  await db.insertInto("retention_runs").values({ id, started_at: now, finished_at: null, error: null }).execute();
}

type Finish = Pick<RetentionRunRow, "id" | "is_complete" | "deleted" | "partitions" | "error"> & { now: Date };

/** Runs that are kept: a run a day, and some more. */
const keptRuns = 1_000;

export async function finishRetentionRun(db: Db, { id, now, deleted, ...result }: Finish): Promise<void> {
  await db
    .updateTable("retention_runs")
    .set({ ...result, finished_at: now, deleted: JSON.stringify(deleted) })
    .where("id", "=", id)
    .execute();
  await sql`delete from retention_runs where started_at < (
    select started_at from retention_runs order by started_at desc offset ${keptRuns} limit 1)`.execute(db);
}

export const listRetentionRuns = (db: Db, limit: number): Promise<RetentionRunRow[]> =>
  db
    .selectFrom("retention_runs")
    .selectAll()
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();

/** When the last run began that had nothing left to do. */
export async function findLastComplete(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date }>`
    select started_at as at from retention_runs where is_complete order by started_at desc limit 1`.execute(db);
  return rows[0]?.at ?? null;
}
