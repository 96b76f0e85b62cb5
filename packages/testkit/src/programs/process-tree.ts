// The processes of the machine, by the files of Linux.
import { readdirSync, readFileSync } from "node:fs";

/** The processes of this machine whose parent is this one. */
export function childrenOf(parent: number): number[] {
  const isChild = (pid: string): boolean => {
    try {
      const status = readFileSync(`/proc/${pid}/stat`, "utf8");
      return Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]) === parent;
    } catch {
      return false;
    }
  };
  return listProcesses()
    .filter((name) => /^\d+$/.test(name) && isChild(name))
    .map(Number);
}

/** None on a system without /proc. */
function listProcesses(): string[] {
  try {
    return readdirSync("/proc");
  } catch {
    return [];
  }
}
