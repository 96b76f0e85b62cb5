// The processes of a PostgreSQL server, by the files of Linux.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { childrenOf } from "../programs/process-tree.ts";

/** The first process of the server on a data folder, or null if the folder has no server. */
export function readPostmaster(pgdata: string): number | null {
  try {
    return Number(readFileSync(join(pgdata, "postmaster.pid"), "utf8").split("\n")[0]) || null;
  } catch {
    return null;
  }
}

/** That of the embedded PostgreSQL of a service, which runs. */
export const readDatabasePid = (dataDir: string): number => readPostmaster(join(dataDir, "postgres"))!;

/** The id in a file that a dead server left may belong to another process by now, or to one that has ended. */
export function isPostgres(pid: number | null): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    return status.includes("(postgres)") && !/\) [ZX] /.test(status);
  } catch {
    return false;
  }
}

/** SIGKILL, first to the first process, which would start a recovery when another one dies. */
export function killPostgres(postmaster: number): void {
  for (const pid of [postmaster, ...childrenOf(postmaster)]) killIfAlive(pid);
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
