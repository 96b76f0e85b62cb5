// Prints what the runs of tests on this machine are doing right now: `node scripts/tests/running.ts`. For a run that
// seems to hang, and for CI when it reaches its limit.
import { readdirSync } from "node:fs";
import { runFolders } from "./folder.ts";
import { claimsOf } from "./lanes.ts";
import { describeRunning, readRunning } from "./watch.ts";

for (const folder of runFolders()) {
  const running = readRunning(folder);
  const begun = readdirSync(claimsOf(folder)).length;
  console.log(`${folder}: ${begun - running.length} files have run; ${describeRunning(running)}`);
}
