// The clock of a process: libfaketime reads from a file how far it is off, while the process runs. Timers, which count
// from the start of the machine, run as always. Without libfaketime the clock cannot be moved.
import { existsSync, globSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const shared = "/dev/shm";

export type Clock = {
  settings: Record<string, string>;
  problem: string | null;
  /** In seconds; 0 is the time of the machine. In effect within a second. */
  set(offset: number): void;
};

export function createClock(folder: string, name: string): Clock {
  // The variant for programs with threads.
  const [library] = globSync("/usr/lib/*/faketime/libfaketimeMT.so.1").filter((path) => existsSync(path));
  const problem = library ? null : "needs libfaketime: apt-get install faketime";
  const file = join(folder, `clock-${name}`);
  const set = (offset: number) => writeFileSync(file, `${offset < 0 ? "-" : "+"}${Math.abs(offset)}\n`);
  set(0);
  const settings = {
    LD_PRELOAD: library ?? "",
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    // Times of files stay those of the machine.
    NO_FAKE_STAT: "1",
  };
  return { settings: library ? settings : {}, problem, set };
}

/** What libfaketime leaves in shared memory when its process is killed. */
export function forgetClockOf(pid: number): void {
  if (!existsSync(shared)) return;
  for (const name of readdirSync(shared))
    if (name.includes("faketime_") && name.endsWith(`_${pid}`)) rmSync(join(shared, name), { force: true });
}
