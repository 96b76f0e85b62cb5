// Clean-up at the end of a test file. A file that is alone in its process uses a hook of the test runner; in a group
// (scripts/test-groups.ts) the group calls `endFile`, because all hooks would run at the end of the last file.
import assert from "node:assert/strict";
import { AsyncResource } from "node:async_hooks";
import { after } from "node:test";

type Work = () => unknown;

let waiting: Work[] | null = null;
let kept: Work[] = [];

// A hook that is registered inside a test runs when that test ends. In this scope it runs when the file ends.
const file = new AsyncResource("test file");

export function atEnd(work: Work): void {
  if (waiting) waiting.push(work);
  else file.runInAsyncScope(() => after(async () => void (await work())));
}

/** The same for a process that later files of a group use as well: it is ended after the last of them. */
export function atEndOfGroup(work: Work): void {
  if (waiting) kept.push(work);
  else atEnd(work);
}

/**
 * From now on `endFile` ends a file.
 * @public The programs that scripts/test-groups.ts writes call it.
 */
export function beginGroup(): void {
  waiting = [];
}

/**
 * Runs the work in the order in which it was registered, as hooks run.
 * @public The programs that scripts/test-groups.ts writes call it.
 */
export async function endFile(): Promise<void> {
  for (const work of waiting?.splice(0) ?? []) await work();
  await assertNoSocketsLeft();
}

/**
 * After the last file.
 * @public The programs that scripts/test-groups.ts writes call it.
 */
export async function endGroup(): Promise<void> {
  const closing = kept;
  kept = [];
  for (const work of closing) await work();
  await assertNoSocketsLeft();
}

const socketKinds = new Set(["TCPSocketWrap", "TCPServerWrap", "ProcessWrap"]);

/** Sockets, servers and processes must be gone, at once or a little later, but for the processes that the group keeps. */
async function assertNoSocketsLeft(): Promise<void> {
  const left = () => {
    let allowed = kept.length;
    const found = process.getActiveResourcesInfo().filter((kind) => socketKinds.has(kind));
    return found.filter((kind) => kind !== "ProcessWrap" || --allowed < 0);
  };
  const deadline = Date.now() + 5_000;
  while (left().length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(left(), [], "sockets, servers or processes were left behind");
}
