// The example repository: valid, applied to a fresh environment, and nothing to change afterwards.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startTestService } from "../../server/test/support/service.ts";
import { openEnvironment, readTree } from "./files-support.ts";

const service = await startTestService();
const example = join(import.meta.dirname, "../../../examples/workflows-as-files");

test("the built program checks it with nothing but Node, also with what Node 20 has", () => {
  const program = join(import.meta.dirname, "../bin/tidings.mjs");
  // Map.groupBy came with Node 21.
  const older = ["--import", "data:text/javascript,delete Map.groupBy"];
  for (const argv of [["validate"], ["types"], ["schema", "workflow"], ["--help"]]) {
    const ran = spawnSync(process.execPath, [...older, program, ...argv], { cwd: example, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  }
});

test("examples/workflows-as-files is valid, can be applied, and comes back as it is", async () => {
  const terminal = await openEnvironment(service, "Fresh");
  const cwd = join(terminal.folder, "copy");
  cpSync(example, cwd, { recursive: true });
  const run = async (code: number, ...argv: string[]) => {
    const ran = await terminal.runWith({ cwd }, ...argv);
    assert.equal(ran.code, code, `${argv.join(" ")}: ${ran.stdout}${ran.stderr}`);
    return ran.stdout;
  };
  await run(0, "validate");
  await run(2, "plan");
  await run(0, "apply");
  await run(0, "plan", "--prune");
  const before = readTree(cwd);
  await run(0, "pull");
  assert.deepEqual({ ...readTree(cwd), ...before }, readTree(cwd));
  assert.match(await run(0, "test"), /1 passed, 0 failed/);
  assert.match(await run(0, "types"), /"comment-digest": \{\n {4}author: string;/);
});
