// Watches the lanes of a run: says every half minute how far it is, and ends a lane whose event loop is so busy that it
// does not end itself when its file passes the limit.
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { descendantsOf } from "./cpu.ts";
import type { Running } from "./lane.ts";
import { claimsOf, endedOf, runningOf } from "./lanes.ts";

const checkMs = 1_000;
const progressMs = 30_000;

type Options = {
  /** For a lane to end itself, with a list of what its file holds open. */
  graceMs?: number;
};

/** Returns what stops it. */
export function watchLanes(folder: string, total: number, { graceMs = 10_000 }: Options = {}): () => void {
  const start = Date.now();
  let lastProgress = start;
  const timer = setInterval(() => {
    const running = readRunning(folder);
    for (const one of running) if (Date.now() > one.since + one.limitMs + graceMs) endLane(one, folder);
    if (Date.now() < lastProgress + progressMs) return;
    lastProgress = Date.now();
    const done = readdirSync(claimsOf(folder)).length - running.length;
    console.log(`${minutes(Date.now() - start)}  ${done} of ${total} files; ${describeRunning(running)}`);
  }, checkMs);
  return () => clearInterval(timer);
}

function endLane({ pid, file, limitMs }: Running, folder: string): void {
  const text = `${file}: ended after its limit of ${limitMs / 1000} s; its process did not answer, so it computes without end`;
  appendFileSync(endedOf(folder), `${text}\n`);
  rmSync(join(runningOf(folder), String(pid)), { force: true });
  for (const one of [{ pid }, ...descendantsOf(pid)]) kill(one.pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

export function readRunning(folder: string): Running[] {
  const notes = runningOf(folder);
  if (!existsSync(notes)) return [];
  return readdirSync(notes).flatMap((name) => {
    try {
      return JSON.parse(readFileSync(join(notes, name), "utf8")) as Running;
    } catch {
      // The lane has just finished the file, or is writing the note.
      return [];
    }
  });
}

export const describeRunning = (running: Running[]): string =>
  running.length === 0
    ? "nothing runs"
    : `running: ${running.map(({ file, since }) => `${file} for ${minutes(Date.now() - since)}`).join(", ")}`;

export const minutes = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};
