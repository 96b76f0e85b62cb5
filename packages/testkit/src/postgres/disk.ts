// The disk of a PostgreSQL server: a small file system in memory, so that it can be full without filling the machine's.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "../programs/at-exit.ts";

/** More than an hour of load needs. Memory is used only for what is stored. */
const sizeMb = 6_144;
/** What is left when the disk is full. */
const marginBytes = 256 * 1024;
const attempts = 10;

export type Disk = {
  folder: string;
  /** Why it cannot be filled, if so. */
  problem: string | null;
  usedMb(): number;
  /** Nothing more can be written. */
  fill(): void;
  free(): void;
  remove(): void;
};

export function createDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), "tidings-chaos-"));
  chmodSync(folder, 0o755);
  const problem = mount(folder);
  const ballast = join(folder, "ballast");
  const remount = (bytes: number) =>
    execFileSync("mount", ["-o", `remount,size=${bytes}`, folder], { stdio: ["ignore", "ignore", "pipe"] });
  const used = () => {
    const { blocks, bfree, bsize } = statfsSync(folder);
    return (blocks - bfree) * bsize;
  };
  return {
    folder,
    problem,
    usedMb: () => Math.round(used() / 1024 ** 2),
    fill() {
      if (problem) throw new Error(problem);
      // PostgreSQL may write between the question and the result, and a size below what is used is refused.
      for (let attempt = 1; ; attempt++) {
        try {
          remount(used() + marginBytes * attempt);
          break;
        } catch (error) {
          if (attempt === attempts) throw error;
        }
      }
      fillUp(ballast);
    },
    free() {
      remount(sizeMb * 1024 ** 2);
      rmSync(ballast, { force: true });
    },
    remove: atExit(() => {
      // Lazily: a process that was killed a moment ago may still have files open.
      if (!problem) execFileSync("umount", ["--lazy", folder]);
      rmSync(folder, { recursive: true, force: true });
    }),
  };
}

/** Returns why it could not be mounted. The folder can be used in any case. */
function mount(folder: string): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "needs Linux and root, to mount a file system";
  try {
    const options = ["-t", "tmpfs", "-o", `size=${sizeMb}m,mode=755`, "tidings-chaos", folder];
    execFileSync("mount", options, { stdio: ["ignore", "ignore", "pipe"] });
    return null;
  } catch (error) {
    return `a file system could not be mounted: ${(error as Error).message}`;
  }
}

function fillUp(path: string): void {
  const block = Buffer.alloc(4_096);
  try {
    // Small steps, so that the last free block is taken too.
    for (let count = 0; count < 10_000; count++) writeFileSync(path, block, { flag: "a" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
