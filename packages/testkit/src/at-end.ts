// Clean-up at the end of a test file. A file that is alone in its process uses a hook of the test runner; in a lane
// (scripts/tests/lanes.ts) the lane calls `endFile`, because all hooks would run at the end of the last file.
import assert from "node:assert/strict";
import { AsyncResource } from "node:async_hooks";
import { ChildProcess } from "node:child_process";
import { type AddressInfo, Server, Socket } from "node:net";
import { after, test } from "node:test";

type Work = () => unknown;

/** What later files of the lane use as well: so many processes, and the service that listens on a port. */
type Kept = { close: Work; processes?: number; port?: number };

let waiting: Work[] | null = null;
let kept: Kept[] = [];

// A hook that is registered inside a test runs when that test ends. In this scope it runs when the file ends.
const file = new AsyncResource("test file");

export function atEnd(work: Work): void {
  if (waiting) waiting.push(work);
  else file.runInAsyncScope(() => after(async () => void (await work())));
}

/**
 * What a file does before its first test. A hook of the runner would belong to the whole lane: if it failed, every test
 * of every later file would fail as well.
 */
export const before = (work: Work): void => void test("set-up", async () => void (await work()));

/** The same as `atEnd` for what later files of a lane use as well: it is closed after the last of them. */
export function atEndOfLane(shared: Kept): void {
  if (waiting) kept.push(shared);
  else atEnd(shared.close);
}

/** From now on `endFile` ends a file. */
export function beginLane(): void {
  waiting = [];
}

/** Runs the work in the order in which it was registered, as hooks run. */
export async function endFile(): Promise<void> {
  for (const work of waiting?.splice(0) ?? []) await work();
  await assertNoSocketsLeft();
}

/** After the last file. */
export async function endLane(): Promise<void> {
  const closing = kept;
  kept = [];
  for (const { close } of closing) await close();
  await assertNoSocketsLeft();
}

type Handle = { localPort?: number; remotePort?: number; address?(): { port?: number } | string | null };

/** Node's list of active resources has no ports, by which the sockets of a shared service are known. */
const activeHandles = (): object[] => (process as unknown as { _getActiveHandles(): object[] })._getActiveHandles();

const isTcp = (handle: object): boolean =>
  handle instanceof Server || (handle instanceof Socket && (handle as Handle).remotePort !== undefined);

/**
 * Whether the socket or server belongs to a service that the lane keeps. Who calls it has to hang up at the end of a
 * file.
 */
function isKept(handle: Handle): boolean {
  const ports = kept.flatMap(({ port }) => port ?? []);
  if (ports.length === 0) return false;
  if (handle instanceof Server) return ports.includes((handle.address() as AddressInfo | null)?.port ?? 0);
  // Connections to a database are counted when it is dropped.
  const databasePort = Number(new URL(process.env.TEST_DATABASE_URL!).port);
  return ports.includes(handle.localPort!) || handle.remotePort === databasePort;
}

/** What was reported already: later files of the lane neither wait for it nor fail because of it. */
const reported = new WeakSet<object>();

/** Sockets, servers and processes must be gone, at once or a little later, except for what the lane keeps. */
async function assertNoSocketsLeft(): Promise<void> {
  const left = () => {
    const handles = activeHandles().filter((handle) => !reported.has(handle));
    const processes = handles.filter((handle) => handle instanceof ChildProcess);
    const sockets = handles.filter((handle) => isTcp(handle) && !isKept(handle));
    return [...processes.slice(kept.reduce((sum, one) => sum + (one.processes ?? 0), 0)), ...sockets];
  };
  const deadline = Date.now() + 5_000;
  while (left().length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  const described = left().map((handle) => {
    reported.add(handle);
    const { localPort, remotePort } = handle as Handle;
    return [handle.constructor.name, localPort, remotePort].filter(Boolean).join(" ");
  });
  assert.deepEqual(described, [], "sockets, servers or processes were left behind");
}
