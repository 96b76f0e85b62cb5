// Shared by the benchmarks: the service as `npm start` runs it, on its own embedded PostgreSQL; progress on stderr;
// and simple statistics.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findEmbeddedUrl } from "@tidings/server/source/store/embedded/embedded";

export type Running = { url: string; pid: number; end(signal: NodeJS.Signals): Promise<void> };

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

export type Settings = Record<string, string>;

const begun = performance.now();

/** With the minutes and seconds since the start of the run. */
export function progress(message: string): void {
  const seconds = Math.floor((performance.now() - begun) / 1000);
  console.error(`  ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}  ${message}`);
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const median = (values: number[]): number => percentile(values, 0.5);

/** NaN of no values. */
export function percentile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

const ownRoot = fileURLToPath(new URL("..", import.meta.url));

/** A folder for one service; `launchService` on it a second time is a second start. */
export const makeDataDir = (): string => mkdtempSync(join(tmpdir(), "tidings-bench-"));

/** Runs the command of `npm start` in its own process. `root`: a checkout that is built. */
export function spawnService(settings: Settings, root = ownRoot) {
  const startCommand: string = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts.start;
  const env = {
    PATH: [dirname(process.execPath), join(root, "node_modules/.bin"), process.env.PATH].join(delimiter),
    HOME: process.env.HOME,
    TIDINGS_PORT: "0",
    TIDINGS_LOG_LEVEL: "warn",
    // The banner is for people.
    TIDINGS_LOG_FORMAT: "text",
    TIDINGS_RATE_TRIGGER: "0",
    TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8",
    ...settings,
  };
  // The command begins with `exec`, so the process of the shell becomes that of the service.
  return spawn("sh", ["-c", startCommand], { cwd: root, stdio: ["ignore", "pipe", "pipe"], env });
}

/** Starts the service, and waits for its banner. */
export async function launchService(settings: Settings, root = ownRoot): Promise<Running> {
  const child = spawnService(settings, root);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.stderr.on("data", (chunk: Buffer) => {
    const lines = String(chunk).split("\n");
    for (const line of lines) if (line.trim() && !line.startsWith("Tidings: ")) console.error(line);
  });
  const url = await readUrl(child);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return { url, pid: child.pid!, end };
}

const readUrl = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = "";
    child.stdout!.on("data", (chunk: Buffer) => {
      text += chunk;
      const match = /(?:API|Worker)\s+(http:\S+)/.exec(text);
      // An address, so that no request looks a name up.
      if (match) resolve(match[1]!.replace("//localhost:", "//127.0.0.1:"));
    });
    child.once("exit", (code) => reject(new Error(`the service ended with code ${code}`)));
  });

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

/** The first process of the PostgreSQL that runs in a data folder. */
export const readDatabasePid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);

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
