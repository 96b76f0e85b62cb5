// Figures of the whole installation, without names of environments.
import { sql } from "kysely";
import { highestLow } from "../../lib/load/fair-queue.ts";
import type { Db } from "../db.ts";
import { schema } from "../queue/boss.ts";
import { taskKinds } from "../queue/claims.ts";

export type SystemVersions = { postgres: string; schema: string };

export async function findVersionsOfSystem(db: Db): Promise<SystemVersions> {
  const { rows } = await sql<SystemVersions>`
    select current_setting('server_version') as postgres,
      (select name from schema_versions order by version desc limit 1) as schema`.execute(db);
  return rows[0]!;
}

/**
 * Each process keeps one listening connection of this name; those of its additional threads have another one. The role
 * of the service sees the connections of that role only.
 */
export async function countProcesses(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = 'tidings-listen'`.execute(db);
  return rows[0]!.count;
}

export type QueueLag = { kind: string; due: number; active: number; lag_seconds: number };

/** By kind, counted up to `limit`. Both counts and the oldest task are read from the index `job_next`. */
export async function findQueueLags(db: Db, limit: number): Promise<QueueLag[]> {
  const jobs = sql.table(`${schema}.job_common`);
  const { rows } = await sql<QueueLag>`
    select k.kind, d.count as due, a.count as active,
      coalesce(greatest(0, extract(epoch from clock_timestamp() - d.oldest)), 0)::float8 as lag_seconds
    from unnest(${[...taskKinds]}::text[]) as k(kind)
    cross join lateral (
      select count(*) as count, min(start_after) as oldest from (
        (select start_after from ${jobs} where name = k.kind and state = 'created' and (state <= 'active') is true
          and start_after <= clock_timestamp() order by start_after limit ${limit})
        union all
        (select start_after from ${jobs} where name = k.kind and state = 'retry' and (state <= 'active') is true
          and start_after <= clock_timestamp() order by start_after limit ${limit})) as waiting) as d
    cross join lateral (
      select count(*) as count from (select 1 from ${jobs} where name = k.kind and state = 'active'
        and (state <= 'active') is true limit ${limit}) as working) as a
    order by k.kind`.execute(db);
  return rows;
}

/** Waiting tasks of low priority by kind, counted up to `limit`; kinds without one are left out. */
export async function countLowTasks(db: Db, limit: number): Promise<{ kind: string; count: number }[]> {
  const { rows } = await sql<{ kind: string; count: number }>`
    select k.kind, w.count from unnest(${[...taskKinds]}::text[]) as k(kind)
    cross join lateral (
      select count(*)::int as count from (select 1 from ${sql.table(`${schema}.job_common`)}
        where name = k.kind and state < 'active' and priority <= ${highestLow} limit ${limit}) as waiting) as w
    where w.count > 0 order by k.kind`.execute(db);
  return rows;
}

export async function countBreakers(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from integration_health where state <> 'closed'`.execute(db);
  return rows[0]!.count;
}

/** Disk and estimated rows of tables, with all their partitions. */
export async function findTableSizes(db: Db, tables: string[]): Promise<Map<string, { bytes: number; rows: number }>> {
  const { rows } = await sql<{ table: string; bytes: number; rows: number }>`
    select p.relname as "table", sum(pg_total_relation_size(c.oid))::float8 as bytes,
      sum(greatest(c.reltuples, 0))::float8 as rows
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = coalesce(i.inhparent, c.oid)
    where p.relname = any(${tables}::text[]) and c.relkind = 'r' group by p.relname`.execute(db);
  return new Map(rows.map(({ table, ...size }) => [table, size]));
}
