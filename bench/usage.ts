// What a process or a benchmark costs: CPU time, memory, WAL and disk. CPU per notification is steadier than a rate on
// a machine that has other work; only Linux reports it.
import { readdirSync, readFileSync } from "node:fs";
import type { Db } from "@tidings/server/source/store/db";
import { sql } from "kysely";

/** CPU is NaN where the system does not tell it. `walSyncs`: how often PostgreSQL forced its log to disk. */
export type Usage = { serviceMs: number; postgresMs: number; walBytes: number; walSyncs: number; commits: number };

const millisecondsPerTick = 10;

/** Children of all threads of a process. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
  );
}

/**
 * Adds up a figure of a process and of its children, without those in `except`: PostgreSQL is a child of the service
 * that started it. NaN when the process cannot be read, 0 for a child that has ended.
 */
function sumTree(pid: number, except: number[], read: (pid: number) => number): number {
  try {
    const children = childrenOf(pid).filter((child) => !except.includes(child));
    return children.reduce((sum, child) => sum + (sumTree(child, except, read) || 0), read(pid));
  } catch {
    return Number.NaN;
  }
}

/** CPU time of a process, of its children, and of children that have ended and were waited for. */
export const readCpuMs = (pid: number, ...except: number[]): number =>
  sumTree(pid, except, (one) => {
    // The name of the program is in parentheses and may contain spaces.
    const fields = readFileSync(`/proc/${one}/stat`, "utf8").split(") ")[1]!.split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * millisecondsPerTick;
  });

/** Proportional set size in MB of a process and its children: pages that several processes share are counted once. */
export const readPssMb = (pid: number, ...except: number[]): number =>
  sumTree(
    pid,
    except,
    (one) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, "utf8"))?.[1]) / 1024,
  );

export async function readUsage(db: Db, service: { pid: number; databasePid: number }): Promise<Usage> {
  const { rows } = await sql<{ bytes: number; syncs: number; commits: number }>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes,
           (select sum(fsyncs)::float8 from pg_stat_io where object = 'wal') as syncs,
           (select xact_commit from pg_stat_database where datname = current_database()) as commits`.execute(db);
  const { bytes, syncs, commits } = rows[0]!;
  return {
    serviceMs: readCpuMs(service.pid, service.databasePid),
    postgresMs: readCpuMs(service.databasePid),
    walBytes: bytes,
    walSyncs: syncs,
    commits,
  };
}

/** What one of `count` notifications cost between two readings. */
export const usagePer = (before: Usage, after: Usage, count: number): Usage => ({
  serviceMs: (after.serviceMs - before.serviceMs) / count,
  postgresMs: (after.postgresMs - before.postgresMs) / count,
  walBytes: (after.walBytes - before.walBytes) / count,
  walSyncs: (after.walSyncs - before.walSyncs) / count,
  commits: (after.commits - before.commits) / count,
});

/** Bytes of these tables with their partitions, indexes and toasted values. */
export async function readTableBytes(db: Db, tables: readonly string[]): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as bytes
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and coalesce(p.relname, c.relname) in (${sql.join(tables)})`.execute(db);
  return rows[0]!.bytes;
}
