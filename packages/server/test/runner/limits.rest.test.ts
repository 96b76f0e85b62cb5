// A test file that does not end is ended by the runner, which names it with what it held open. Other files of the run
// keep their results.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { atEnd } from "@tidings/testkit/at-end";
import { endedOf, type LaneFile, writeLane } from "../../../../scripts/tests/lanes.ts";
import { readResults } from "../../../../scripts/tests/verdict.ts";
import { watchLanes } from "../../../../scripts/tests/watch.ts";

const folder = mkdtempSync(join(tmpdir(), "runner-"));
atEnd(() => rmSync(folder, { recursive: true }));

/** Runs the files, each with a limit of two seconds, in one lane; the watcher gives it half a second more. */
async function runLane(part: string, files: Record<string, string>): Promise<{ ended: string; passed: string[] }> {
  const own = mkdtempSync(join(folder, part));
  const described = Object.entries(files).map(([name, text]): LaneFile => {
    const path = join(own, name);
    writeFileSync(path, text);
    return { name, address: pathToFileURL(path).href, kind: "rest", limitMs: 2_000 };
  });
  const program = writeLane("rest", described, own);
  const results = join(own, "results.jsonl");
  writeFileSync(results, "");
  const stop = watchLanes(own, described.length, { graceMs: 500 });
  const options = ["--test", "--test-reporter=./scripts/tests/reporter.ts", "--test-reporter-destination=stdout"];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [...options, program], {
    stdio: "ignore",
    env: { ...env, TEST_RESULTS: results },
  });
  const [status] = await once(child, "exit");
  stop();
  assert.equal(status, 1);
  const passed = readResults(results).filter(({ status }) => status === "passed");
  return { ended: readFileSync(endedOf(own), "utf8"), passed: passed.map(({ name }) => name) };
}

const head = `import { test } from "node:test"; import { createServer } from "node:net"; import { spawn } from "node:child_process";`;

test("a file that waits without end is named with its sockets and processes", async () => {
  const { ended, passed } = await runLane("waits", {
    "good.test.ts": `${head} test("good", () => {});`,
    "waits.test.ts": `${head}
      test("waits", async () => {
        createServer().listen(0);
        spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
        await new Promise(() => {});
      });`,
  });
  assert.match(ended, /^waits\.test\.ts: ended after its limit of 2 s, with open: /);
  assert.match(ended, /server \d+/);
  assert.match(ended, /process \d+ \(.*setInterval/);
  assert.deepEqual(passed, ["good"]);
});

test("a file that computes without end is ended from outside", async () => {
  const { ended } = await runLane("computes", { "loops.test.ts": `${head} test("loops", () => { for (;;); });` });
  assert.match(ended, /^loops\.test\.ts: ended after its limit of 2 s; its process did not answer/);
});
