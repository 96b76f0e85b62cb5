// Database health: whether it responds, and which table is locked.
import { sql } from "kysely";
import type { Db } from "../db.ts";

/** One cheap read: fails when the database cannot be reached or has no tables. */
export const pingDatabase = (db: Db) => db.selectFrom("installation").select("name").limit(1).execute();

export type TableLock = { table: string; mode: string; pid: number; application: string };

/**
 * A lock on a table of this database that keeps writers out, the oldest first; a partitioned table before its
 * partitions, which are locked with it. Locks that were taken a moment ago belong to ordinary work.
 */
export async function findTableLock(db: Db): Promise<TableLock | null> {
  const { rows } = await sql<TableLock>`
    select c.relname as "table", l.mode, l.pid, coalesce(a.application_name, '') as application
    from pg_locks l join pg_class c on c.oid = l.relation left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'relation' and l.granted and l.pid <> pg_backend_pid()
      and l.database = (select oid from pg_database where datname = current_database())
      and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      and c.relkind in ('r', 'p') and c.relnamespace not in ('pg_catalog'::regnamespace, 'pg_toast'::regnamespace)
      and coalesce(a.xact_start, '-infinity') < clock_timestamp() - interval '1 second'
    order by coalesce(a.xact_start, '-infinity'), c.relispartition, c.relname limit 1`.execute(db);
  return rows[0] ?? null;
}
