// Runs the test files of a lane in this process, one after another. The programs that test-lanes.ts writes call it.
import { AsyncResource } from "node:async_hooks";
import { appendFileSync, closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { beginLane, endFile, endLane } from "@tidings/testkit/at-end";
import type { Lane, LaneFile } from "./test-lanes.ts";

export async function runLane({ files, folder, secondsFile }: Lane): Promise<void> {
  beginLane();
  // The runner counts tests that begin after an awaited one as its subtests. With this scope, those of the next file
  // are not.
  const root = new AsyncResource("lane");
  // Keeps the process alive while a test waits for an unreferenced timer.
  const awake = setInterval(() => {}, 60_000);
  for (const file of files) {
    if (!claim(file, folder)) continue;
    const start = performance.now();
    // A file that cannot be loaded is a failed test, and the lane continues.
    const error = await root.runInAsyncScope(() =>
      import(file.address).then(
        () => null,
        (error: unknown) => ({ error }),
      ),
    );
    if (error) await root.runInAsyncScope(() => test(`loading ${file.name}`, () => Promise.reject(error.error)));
    await root.runInAsyncScope(() => test(`end of ${file.name}`, endFile));
    appendFileSync(secondsFile, `${file.name}\t${(performance.now() - start) / 1000}\n`);
  }
  await root.runInAsyncScope(() => test("end of the lane", endLane));
  clearInterval(awake);
  // What a file left open was reported. It must not keep the run from ending.
  setTimeout(() => process.exit(1), 10_000).unref();
}

/** Whether this lane runs the file: the first to create its mark does. */
function claim(file: LaneFile, folder: string): boolean {
  try {
    closeSync(openSync(join(folder, file.name.replaceAll(/[/\\]/g, "+")), "wx"));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
