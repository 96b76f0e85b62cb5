// Runs the test files of a lane in this process, one after another. The programs that lanes.ts writes call it.
import { AsyncResource } from "node:async_hooks";
import { appendFileSync, closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { beginLane, endFile, endLane } from "@tidings/testkit/at-end";
import { cpuSeconds } from "./cpu.ts";
import { describeOpen, endChildren } from "./holds.ts";
import { claimsOf, endedOf, type Lane, type LaneFile, type Ran, ranOf, runningOf } from "./lanes.ts";
import { beginReach, writeReach } from "./reach-record.ts";

/** What runs right now, for the process that watches the lanes. */
export type Running = { pid: number; file: string; since: number; limitMs: number };

export async function runLane({ files, folder }: Lane): Promise<void> {
  beginLane();
  const recordsReach = process.env.TEST_REACH === "1";
  if (recordsReach) beginReach();
  // The runner counts tests that begin after an awaited one as its subtests. With this scope, those of the next file
  // are not.
  const root = new AsyncResource("lane");
  // Keeps the process alive while a test waits for an unreferenced timer.
  const awake = setInterval(() => {}, 60_000);
  for (const file of files) {
    if (!claim(file, folder)) continue;
    const start = performance.now();
    const startCpu = cpuSeconds();
    const stopWatching = watch(file, folder);
    // A file that cannot be loaded is a failed test, and the lane continues.
    const error = await root.runInAsyncScope(() =>
      import(file.address).then(
        () => null,
        (error: unknown) => ({ error }),
      ),
    );
    if (error) await root.runInAsyncScope(() => test(`loading ${file.name}`, () => Promise.reject(error.error)));
    await root.runInAsyncScope(() => test(`end of ${file.name}`, endFile));
    stopWatching();
    const wall = (performance.now() - start) / 1000;
    const ran: Ran = { file: file.name, cpu: cpuSeconds() - startCpu, wall };
    appendFileSync(ranOf(folder), `${JSON.stringify(ran)}\n`);
    if (recordsReach) writeReach(file.name, folder);
  }
  await root.runInAsyncScope(() => test("end of the lane", endLane));
  clearInterval(awake);
  // What a file left open was reported. It must not keep the run from ending.
  setTimeout(() => process.exit(1), 10_000).unref();
}

/**
 * Notes that the file runs, and ends the lane when the file passes its limit: a test cannot be interrupted, and other
 * lanes take the files that are left.
 */
function watch(file: LaneFile, folder: string): () => void {
  const note = join(runningOf(folder), String(process.pid));
  const { name, limitMs } = file;
  const running: Running = { pid: process.pid, file: name, since: Date.now(), limitMs };
  writeFileSync(note, JSON.stringify(running));
  const timer = setTimeout(() => {
    appendFileSync(
      endedOf(folder),
      `${name}: ended after its limit of ${limitMs / 1000} s, with open: ${describeOpen()}\n`,
    );
    endChildren();
    rmSync(note);
    process.exit(1);
  }, limitMs).unref();
  return () => {
    clearTimeout(timer);
    rmSync(note);
  };
}

/** Whether this lane runs the file: the first to create its mark does. */
function claim(file: LaneFile, folder: string): boolean {
  try {
    closeSync(openSync(join(claimsOf(folder), file.name.replaceAll(/[/\\]/g, "+")), "wx"));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
