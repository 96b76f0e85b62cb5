// The service as `npm start` runs it, of this checkout or of another one, in its own process.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bannerAddress, followProgram, type Program } from "./program.ts";

export type Settings = Record<string, string>;

export type Running = { url: string; pid: number; end(signal: NodeJS.Signals): Promise<void> };

const ownRoot = fileURLToPath(new URL("../../../..", import.meta.url));

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
  const program = followProgram(child);
  child.stderr.on("data", (chunk: Buffer) => {
    const lines = String(chunk).split("\n");
    for (const line of lines) if (line.trim() && !line.startsWith("Tidings: ")) console.error(line);
  });
  const url = await readAddress(program);
  return { url, pid: program.pid, end: async (signal) => void (await program.end(signal)) };
}

/** An address, so that no request looks a name up. */
async function readAddress(program: Program): Promise<string> {
  const [, url] = await program.wrote(bannerAddress);
  return url!.replace("//localhost:", "//127.0.0.1:");
}
