// What a benchmark costs: CPU time of the service and of PostgreSQL, and WAL. CPU per notification is steadier than a rate on
// a machine that has other work; only Linux tells it.
import { readFileSync } from "node:fs";
import { sql } from "kysely";
import type { Db } from "../packages/server/src/store/db.ts";

/** In milliseconds and bytes. CPU is NaN where the system does not tell it. */
export type Usage = { serviceMs: number; postgresMs: number; walBytes: number };

const millisecondsPerTick = 10;

/** CPU time of a process, of its children, and of children that have ended and were waited for. */
function cpuMs(pid: number): number {
  try {
    // The name of the program stands in parentheses and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * millisecondsPerTick;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
    return children.reduce((sum, child) => sum + (cpuMs(Number(child)) || 0), own);
  } catch {
    return Number.NaN;
  }
}

export async function readUsage(db: Db, service: { pid: number; databasePid: number }): Promise<Usage> {
  const { rows } = await sql<{
    bytes: number;
  }>`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`.execute(db);
  return { serviceMs: cpuMs(service.pid), postgresMs: cpuMs(service.databasePid), walBytes: rows[0]!.bytes };
}

/** What one of `count` notifications cost between two readings. */
export const usagePer = (before: Usage, after: Usage, count: number): Usage => ({
  serviceMs: (after.serviceMs - before.serviceMs) / count,
  postgresMs: (after.postgresMs - before.postgresMs) / count,
  walBytes: (after.walBytes - before.walBytes) / count,
});
