// What a test file has to tidy up when it ends. Alone in its process that is a hook of the test runner; in a group
// (scripts/test-groups.ts) the group calls, because the hooks of all its files would run at the end of the last one.
import assert from "node:assert/strict";
import { after } from "node:test";

type Work = () => unknown;

let waiting: Work[] | null = null;

export function atEnd(work: Work): void {
  if (waiting) waiting.push(work);
  else after(async () => void (await work()));
}

/** From now on the end of a file is `endFile`. */
export const beginGroup = (): void => {
  waiting = [];
};

/** In the order in which they were asked for, as hooks are; nothing may be left behind. */
export async function endFile(): Promise<void> {
  for (const work of waiting?.splice(0) ?? []) await work();
  await noSocketsLeft();
}

const socketKinds = new Set(["TCPSocketWrap", "TCPServerWrap", "ProcessWrap"]);

/** Sockets, servers and processes must be gone, at once or a little later. */
export async function noSocketsLeft(): Promise<void> {
  const left = () => process.getActiveResourcesInfo().filter((kind) => socketKinds.has(kind));
  const deadline = Date.now() + 5_000;
  while (left().length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(left(), [], "sockets, servers or processes were left behind");
}
