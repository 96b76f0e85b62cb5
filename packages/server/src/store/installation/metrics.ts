// Figures of the whole installation for the metrics, without names of environments or subscribers.
import { sql } from "kysely";
import type { Db } from "../db.ts";
import { schema } from "../queue/boss.ts";
import { monthsAround, partitionedTables } from "./partitions.ts";

export type OpenFaults = {
  dead_letters: number;
  failed_tasks: number;
  failing_webhooks: number;
  disabled_webhooks: number;
};

/** `limit`: how far dead letters and tasks are counted. `failures`: from which a webhook counts as failing. */
export async function countOpenFaults(db: Db, { limit, failures }: { limit: number; failures: number }) {
  const { rows } = await sql<OpenFaults>`select
    (select count(*) from (select 1 from dead_letters where status = 'open' limit ${limit}) as f) as dead_letters,
    (select count(*) from (select 1 from failed_tasks where status = 'open' limit ${limit}) as f) as failed_tasks,
    count(*) filter (where active and failures >= ${failures}) as failing_webhooks,
    count(*) filter (where disabled_at is not null) as disabled_webhooks
    from webhooks where deleted_at is null`.execute(db);
  return rows[0]!;
}

export type SourceFigures = { id: string; waiting: number; lag_seconds: number; is_failing: boolean };

/** Sources that are not paused, at most `limit`: first those that fail, then those with the oldest rows. */
export async function readSources(db: Db, now: Date, limit: number): Promise<SourceFigures[]> {
  const { rows } = await sql<SourceFigures>`
    select s.id, s.waiting, s.failing_since is not null as is_failing,
      greatest(0, extract(epoch from ${now}::timestamptz - coalesce(s.oldest_at, ${now})))::float8 as lag_seconds
    from sources s join environments e on e.id = s.environment_id
    where not s.paused and e.deleted_at is null
    order by is_failing desc, lag_seconds desc, s.id limit ${limit}`.execute(db);
  return rows;
}

export async function readDatabaseBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database()) as bytes`.execute(db);
  return rows[0]!.bytes;
}

/**
 * When each chore was last completed: then its next task was created. A chore that fails keeps its task, and the time
 * of its creation.
 */
export async function findChoreSuccesses(db: Db): Promise<{ chore: string; at: Date }[]> {
  const { rows } = await sql<{ chore: string; at: Date }>`
    select data->>'name' as chore, max(created_on) as at from ${sql.table(`${schema}.job_common`)}
    where name = 'housekeeping' and (state <= 'active') is true group by 1`.execute(db);
  return rows;
}

/** Looked for so many months ahead. */
const maxMonths = 12;

/** Months after this one for which every partitioned table has its partition; -1 when this month lacks one. */
export async function countMonthsAhead(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      join pg_class p on p.oid = i.inhparent
    where p.relname in (${sql.join(partitionedTables)})`.execute(db);
  const existing = new Set(rows.map(({ name }) => name));
  // The first one is last month.
  const months = monthsAround(now, maxMonths).slice(1);
  const isComplete = (month: string) => partitionedTables.every((table) => existing.has(`${table}_${month}`));
  const missing = months.findIndex(({ name }) => !isComplete(name));
  return (missing < 0 ? months.length : missing) - 1;
}
