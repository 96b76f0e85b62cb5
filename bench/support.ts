// Shared by the benchmarks: a PostgreSQL and a service of their own, progress on stderr, and simple statistics.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "../packages/server/src/store/embedded/embedded.ts";

export type BenchService = {
  url: string;
  apiKey: string;
  databaseUrl: string;
  pid: number;
  /** The first process of PostgreSQL. */
  databasePid: number;
  /** A crash: SIGKILL, then a new process on the same database. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
};

export const progress = (message: string): void => console.error(`  ${message}`);

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The real service in a process of its own, on a fresh embedded PostgreSQL. */
export async function startBenchService(): Promise<BenchService> {
  const dataDir = mkdtempSync(join(tmpdir(), "tidings-bench-"));
  const database = await startEmbedded({ dataDir });
  const apiKey = randomBytes(24).toString("hex");
  const settings = {
    PATH: process.env.PATH,
    DATABASE_URL: database.url,
    TIDINGS_PORT: "0",
    TIDINGS_HOST: "127.0.0.1",
    TIDINGS_API_KEY: apiKey,
    TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    TIDINGS_LOG_LEVEL: "warn",
    TIDINGS_RATE_TRIGGER: "0",
    TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8",
  };
  let running = await launch(settings);
  const service: BenchService = {
    url: running.url,
    apiKey,
    databaseUrl: database.url,
    pid: running.child.pid!,
    databasePid: Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0]),
    async killAndRestart() {
      running.child.kill("SIGKILL");
      await running.exited;
      running = await launch(settings);
      Object.assign(service, { url: running.url, pid: running.child.pid! });
    },
    async stop() {
      running.child.kill("SIGTERM");
      await running.exited;
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return service;
}

// The options of `npm start`. By default V8 lets garbage grow to several times the live heap: a fan-out then takes 450 MB
// instead of 220 and is no faster.
const flags = ["--max-semi-space-size=16", "--heap-growing-percent=50"];

async function launch(env: Record<string, string | undefined>) {
  const program = new URL("../packages/server/src/main.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [...flags, program], { stdio: ["ignore", "pipe", "inherit"], env });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk;
      const match = /API\s+(http:\S+)/.exec(text);
      if (match) resolve(match[1]!);
    });
    child.once("exit", (code) => reject(new Error(`the service ended with code ${code}`)));
  });
  return { child, exited, url };
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
