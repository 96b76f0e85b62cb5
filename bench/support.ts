// What the benchmarks stand on: a PostgreSQL and a service of their own, progress on stderr, and simple statistics.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "../packages/server/src/store/embedded.ts";

export type BenchService = { url: string; apiKey: string; databaseUrl: string; pid: number; stop(): Promise<void> };

export const progress = (message: string): void => console.error(`  ${message}`);

export const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

/** The real service in a process of its own, on a fresh embedded PostgreSQL. */
export async function startBenchService(): Promise<BenchService> {
  const dataDir = mkdtempSync(join(tmpdir(), "tidings-bench-"));
  const database = await startEmbedded({ dataDir });
  const apiKey = randomBytes(24).toString("hex");
  const child = spawn(process.execPath, [new URL("../packages/server/src/main.ts", import.meta.url).pathname], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      TIDINGS_PORT: "0",
      TIDINGS_HOST: "127.0.0.1",
      TIDINGS_API_KEY: apiKey,
      TIDINGS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      TIDINGS_LOG_LEVEL: "warn",
      TIDINGS_RATE_TRIGGER: "0",
    },
  });
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
  return {
    url,
    apiKey,
    databaseUrl: database.url,
    pid: child.pid!,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
