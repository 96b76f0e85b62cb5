// What the soak measures every few seconds: memory, files, threads, CPU, and the state of database and queue.
import { readdirSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import type { Db } from "@tidings/server/source/store/db";
import { metric } from "@tidings/testkit/metric";
import { sql } from "kysely";
import type { BenchService } from "../support.ts";
import { readCpuMs, readPssMb } from "../usage.ts";

/** `minute`: since the begin of the load. NaN where the system does not report a figure. */
export type Sample = { minute: number } & Record<Figure, number>;

export type Figure =
  | "serviceMb"
  | "heapMb"
  | "postgresMb"
  | "files"
  | "threads"
  | "serviceCores"
  | "postgresCores"
  | "databaseMb"
  | "queueMb"
  | "deadRows"
  | "queueDepth"
  | "queueSeconds"
  | "acceptedPerSecond"
  | "machineLoad";

const mb = 1024 * 1024;

export type Sampler = (minute: number, accepted: number) => Promise<Sample>;

export function createSampler(service: BenchService, db: Db): Sampler {
  const { pid, databasePid } = service;
  const readCpu = () => ({ service: readCpuMs(pid, databasePid), postgres: readCpuMs(databasePid) });
  let last = { at: performance.now(), accepted: 0, cpu: readCpu() };
  return async (minute, accepted) => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const tables = await readTables(db);
    const now = { at: performance.now(), accepted, cpu: readCpu() };
    const ms = now.at - last.at;
    const sample: Sample = {
      minute,
      serviceMb: readRssMb(pid),
      heapMb: (metric(text, "nodejs_heap_size_used_bytes", {}) ?? Number.NaN) / mb,
      postgresMb: readPssMb(databasePid),
      files: countEntries(pid, "fd"),
      threads: countEntries(pid, "task"),
      serviceCores: (now.cpu.service - last.cpu.service) / ms,
      postgresCores: (now.cpu.postgres - last.cpu.postgres) / ms,
      databaseMb: (metric(text, "tidings_database_bytes", {}) ?? Number.NaN) / mb,
      queueMb: tables.queue_bytes / mb,
      deadRows: tables.dead_rows,
      queueDepth: reduceValues(text, "tidings_queue_depth", (a, b) => a + b),
      queueSeconds: reduceValues(text, "tidings_queue_oldest_seconds", Math.max),
      machineLoad: loadavg()[0]!,
      acceptedPerSecond: ((accepted - last.accepted) / ms) * 1_000,
    };
    last = now;
    return sample;
  };
}

type Tables = { queue_bytes: number; dead_rows: number };

/** `dead_rows`: row versions that vacuum has not removed yet, as PostgreSQL estimates them. */
async function readTables(db: Db): Promise<Tables> {
  const { rows } = await sql<Tables>`
    select pg_total_relation_size('queue.job_common')::float8 as queue_bytes, sum(n_dead_tup)::float8 as dead_rows
    from pg_stat_user_tables`.execute(db);
  return rows[0]!;
}

/** Only Linux has these files. */
function orNan(read: () => number): number {
  try {
    return read();
  } catch {
    return Number.NaN;
  }
}

const readRssMb = (pid: number): number =>
  orNan(() => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024);

const countEntries = (pid: number, folder: "fd" | "task"): number =>
  orNan(() => readdirSync(`/proc/${pid}/${folder}`).length);

/** The values of all series of a metric. */
export const valuesOf = (text: string, name: string): number[] =>
  [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))].map((match) => Number(match[1]));

/** NaN without a value: the database did not respond in time. */
const reduceValues = (text: string, name: string, add: (a: number, b: number) => number): number => {
  const values = valuesOf(text, name);
  return values.length > 0 ? values.reduce((a, b) => add(a, b)) : Number.NaN;
};
