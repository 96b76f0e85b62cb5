// The folder of a run of the tests: its databases, its compiled sources and all temporary folders of its tests.
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// A database is 600 small files: to clone one takes 0.3 s of a core on a disk, and a tenth of that in memory. In a
// container there may be 64 MB.
const memory = "/dev/shm";
const neededBytes = 4 * 2 ** 30;

/** Creates the folder, in memory if there is room, and removes those of runs that were killed. */
export function makeRunFolder(): string {
  const place = hasRoom(memory) ? memory : tmpdir();
  for (const folder of foldersIn(place))
    if (!isRunning(folder.pid)) rmSync(folder.path, { recursive: true, force: true });
  const folder = mkdtempSync(join(place, `tidings-test-${process.pid}-`));
  // A run as root starts PostgreSQL as another user, who has to reach its own folder inside.
  chmodSync(folder, 0o755);
  return folder;
}

function hasRoom(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
}

type RunFolder = { path: string; pid: number };

function foldersIn(place: string): RunFolder[] {
  return readdirSync(place).flatMap((name) => {
    const pid = /^tidings-test-(\d+)-/.exec(name)?.[1];
    return pid === undefined ? [] : [{ path: join(place, name), pid: Number(pid) }];
  });
}

/** The folders of all runs on this machine that have not ended. */
export const runFolders = (): string[] =>
  [memory, tmpdir()]
    .filter((place) => existsSync(place))
    .flatMap(foldersIn)
    .filter(({ pid }) => isRunning(pid))
    .map(({ path }) => path);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user is refused, and it is running.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
