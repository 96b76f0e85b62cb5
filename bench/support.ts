// Shared by the benchmarks: the service as `npm start` runs it, on its own embedded PostgreSQL.
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findEmbeddedUrl } from "@tidings/server/source/store/embedded/embedded";
import { progress } from "@tidings/testkit/load/progress";
import { readDatabasePid } from "@tidings/testkit/postgres/postmaster";
import { launchService, type Running, type Settings } from "@tidings/testkit/programs/service";

export type BenchService = {
  url: string;
  apiKey: string;
  databaseUrl: string;
  pid: number;
  /** The first process of PostgreSQL. */
  databasePid: number;
  /** A crash: SIGKILL, then a new process on the same database. */
  killAndRestart(): Promise<void>;
  /** One more process on the same database. */
  startAnother(settings: Settings): Promise<Running>;
  stop(): Promise<void>;
};

/** A folder for one service; `launchService` on it a second time is a second start. */
export const makeDataDir = (): string => mkdtempSync(join(tmpdir(), "tidings-bench-"));

/** Services that run. Ctrl-C stops them and deletes their data, which may be many gigabytes. */
const open = new Set<BenchService>();
process.once("SIGINT", async () => {
  for (const service of open) await service.stop();
  process.exit(130);
});

export async function startBenchService(settings: Settings = {}): Promise<BenchService> {
  progress("starting the service and its PostgreSQL …");
  const dataDir = makeDataDir();
  const apiKey = randomBytes(24).toString("hex");
  const keys = { TIDINGS_API_KEY: apiKey, TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  const own = { ...keys, TIDINGS_DATA_DIR: dataDir, ...settings };
  let running = await launchService(own);
  const others: Running[] = [];
  const service: BenchService = {
    url: running.url,
    apiKey,
    databaseUrl: (await findEmbeddedUrl(dataDir))!,
    pid: running.pid,
    databasePid: readDatabasePid(dataDir),
    async killAndRestart() {
      await running.end("SIGKILL");
      running = await launchService(own);
      Object.assign(service, { url: running.url, pid: running.pid });
    },
    async startAnother(more) {
      const another = await launchService({ ...keys, DATABASE_URL: service.databaseUrl, ...more });
      others.push(another);
      return another;
    },
    async stop() {
      open.delete(service);
      for (const other of others) await other.end("SIGTERM");
      await running.end("SIGTERM");
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  open.add(service);
  return service;
}

export async function withService<T>(work: (service: BenchService) => Promise<T>): Promise<T> {
  const service = await startBenchService();
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

/** The largest resident size of a process while `work` runs, in MB; on Linux only. */
export async function peakMemory<T>(pid: () => number, work: () => Promise<T>): Promise<{ value: T; peakMb: number }> {
  let peakMb = 0;
  const look = () => {
    try {
      const status = readFileSync(`/proc/${pid()}/status`, "utf8");
      peakMb = Math.max(peakMb, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // There is no process between a kill and the next start.
    }
  };
  const timer = setInterval(look, 100);
  try {
    const value = await work();
    look();
    return { value, peakMb };
  } finally {
    clearInterval(timer);
  }
}
