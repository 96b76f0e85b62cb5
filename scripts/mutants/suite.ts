// Runs test files of one tier in the copy, and says what failed.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Tier } from "../tests/costs.ts";
import { descendantsOf } from "../tests/cpu.ts";
import { readResults } from "../tests/verdict.ts";

/** `test`: the first that failed in the file. */
export type Failed = { file: string; test: string };

/**
 * `late`: files that passed their limit, which proves nothing on a busy machine. `broken`: the run failed otherwise,
 * such as for a bundle that cannot be built.
 */
export type Outcome = { kind: "ran"; failed: Failed[]; late: string[] } | { kind: "broken"; reason: string };

export type Suite = { folder: string; signal: AbortSignal };

/** A file has its own limit (scripts/test.ts), so this one is reached only when the run itself hangs. */
const limitMs = 20 * 60_000;
/** A run that is stopped stops its PostgreSQL first. */
const graceMs = 20_000;
const lastOutputMs = 2_000;

export async function runTests({ folder, signal }: Suite, tier: Tier, files: string[]): Promise<Outcome> {
  signal.throwIfAborted();
  const results = join(folder, "mutants-results.jsonl");
  rmSync(results, { force: true });
  const child = spawn(process.execPath, ["scripts/test.ts", "--tier", tier, "--results", results, ...files], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    // Named files run with the tests of every tier otherwise.
    env: { ...process.env, TEST_TIER: tier },
  });
  const { code, text, isLate } = await endOf(child, signal);
  signal.throwIfAborted();
  if (isLate) return { kind: "broken", reason: `the tests had not ended after ${limitMs / 60_000} minutes` };
  const late = [...text.matchAll(/^ENDED {3}([^:\s]+):/gm)].map(([, file]) => file!);
  const failed = existsSync(results) ? failedIn(results, files) : [];
  const isExplained = code === 0 || failed.length > 0 || late.length > 0;
  return isExplained ? { kind: "ran", failed, late } : { kind: "broken", reason: text.trim().slice(-2_000) };
}

/** In the order of the given files. */
function failedIn(results: string, files: string[]): Failed[] {
  const failed = readResults(results).filter(({ status }) => status === "failed");
  return files.flatMap((file) => {
    const first = failed.find((one) => one.file === file);
    return first ? [{ file, test: first.name }] : [];
  });
}

type End = { code: number | null; text: string; isLate: boolean };

function endOf(child: ChildProcess, signal: AbortSignal): Promise<End> {
  let text = "";
  let isLate = false;
  const take = (part: Buffer) => {
    text += part;
  };
  child.stdout!.on("data", take);
  child.stderr!.on("data", take);
  let force: NodeJS.Timeout | undefined;
  /** What a run that is stopped may leave behind: its PostgreSQL, if the tests had not begun. */
  let below: { pid: number }[] = [];
  const stop = (how: "SIGINT" | "SIGKILL") => {
    below = [...below, ...descendantsOf(child.pid!)];
    child.kill(how);
  };
  const stopGently = () => {
    stop("SIGINT");
    force = setTimeout(() => stop("SIGKILL"), graceMs);
  };
  const limit = setTimeout(() => {
    isLate = true;
    stopGently();
  }, limitMs);
  signal.addEventListener("abort", stopGently, { once: true });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => {
      clearTimeout(limit);
      clearTimeout(force);
      signal.removeEventListener("abort", stopGently);
      killAll(below);
      // A process that a test left behind would keep the pipes open.
      const last = setTimeout(() => {
        child.stdout!.destroy();
        child.stderr!.destroy();
      }, lastOutputMs);
      child.on("close", () => {
        clearTimeout(last);
        resolve({ code, text, isLate });
      });
    });
  });
}

function killAll(processes: { pid: number }[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }
}
