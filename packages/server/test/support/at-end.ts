// Clean-up at the end of a test file. A file that is alone in its process ends with it; in a group (scripts/test-groups.ts) the
// group calls `endFile`, because a hook of the test runner would run at the end of the last file.
import assert from "node:assert/strict";
import { after } from "node:test";

type Work = () => unknown;

const waiting: Work[] = [];

export const atEnd = (work: Work): void => void waiting.push(work);

/** In the order in which the work was registered, as hooks run. */
async function runWork(): Promise<void> {
  for (const work of waiting.splice(0)) await work();
}

after(runWork);

/** @public The programs that scripts/test-groups.ts writes call it. */
export async function endFile(): Promise<void> {
  await runWork();
  await assertNoSocketsLeft();
}

const socketKinds = new Set(["TCPSocketWrap", "TCPServerWrap", "ProcessWrap"]);

/** Sockets, servers and processes must be gone, at once or a little later. */
async function assertNoSocketsLeft(): Promise<void> {
  const left = () => process.getActiveResourcesInfo().filter((kind) => socketKinds.has(kind));
  const deadline = Date.now() + 5_000;
  while (left().length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(left(), [], "sockets, servers or processes were left behind");
}
