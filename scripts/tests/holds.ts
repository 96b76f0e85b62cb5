// What a process still holds open: the reason why a test file does not end.
import { ChildProcess } from "node:child_process";
import { Server, Socket } from "node:net";

type Handle = {
  localPort?: number;
  remotePort?: number;
  pid?: number;
  spawnargs?: string[];
  address?(): { port?: number } | string | null;
};

/** Node's documented list of active resources has neither ports nor process ids. */
const handles = (): object[] => (process as unknown as { _getActiveHandles(): object[] })._getActiveHandles();

/** One line: `timers 2, socket 40312 → 5432, process 812 (postgres -D …)`. */
export function describeOpen(): string {
  const timers = process.getActiveResourcesInfo().filter((kind) => /Timeout|Immediate/.test(kind)).length;
  const others = handles().flatMap((handle) => describe(handle) ?? []);
  return [timers > 0 && `timers ${timers}`, ...others].filter(Boolean).join(", ") || "nothing that Node lists";
}

function describe(handle: object): string | null {
  const { localPort, remotePort, pid, spawnargs, address } = handle as Handle;
  if (handle instanceof ChildProcess) return `process ${pid} (${spawnargs?.join(" ").slice(0, 100)})`;
  if (handle instanceof Socket) return remotePort === undefined ? null : `socket ${localPort} → ${remotePort}`;
  if (!(handle instanceof Server)) return null;
  const at = address?.call(handle);
  return `server ${typeof at === "string" ? at : at?.port}`;
}

/** A process that ends must not leave its own behind. */
export function endChildren(): void {
  for (const handle of handles()) if (handle instanceof ChildProcess) handle.kill("SIGKILL");
}
