// Stops single threads of a process: signals stop all of them, but the freezer of cgroups (version 1) takes threads.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atExit } from "@tidings/testkit/programs/at-exit";
import { becomes } from "@tidings/testkit/programs/limits";

const root = "/sys/fs/cgroup/freezer";
const changeMs = 5_000;

export type Thread = { id: number; name: string };

export const freezerProblem = (): string | null =>
  process.getuid?.() === 0 && existsSync(join(root, "tasks")) ? null : `needs root and cgroups of version 1 at ${root}`;

export function listThreads(pid: number): Thread[] {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).map((id) => ({
    id: Number(id),
    name: readFileSync(join(folder, id, "comm"), "utf8").trim(),
  }));
}

/** Resolves when the thread is stopped. Returns what lets it run again. */
export async function freezeThread(thread: Thread): Promise<() => void> {
  const folder = join(root, `tidings-chaos-${process.pid}-${thread.id}`);
  mkdirSync(folder);
  const thaw = atExit(() => {
    writeFileSync(join(folder, "freezer.state"), "THAWED");
    try {
      writeFileSync(join(root, "tasks"), String(thread.id));
    } catch {
      // It has ended.
    }
    rmdirSync(folder);
  });
  try {
    writeFileSync(join(folder, "tasks"), String(thread.id));
    writeFileSync(join(folder, "freezer.state"), "FROZEN");
    const isFrozen = () => readFileSync(join(folder, "freezer.state"), "utf8").trim() === "FROZEN";
    if (await becomes(isFrozen, changeMs, 50)) return thaw;
    throw new Error(`thread ${thread.id} (${thread.name}) could not be frozen`);
  } catch (error) {
    thaw();
    throw error;
  }
}
