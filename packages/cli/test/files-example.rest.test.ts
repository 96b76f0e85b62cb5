// The example repository: valid, applied to a fresh environment, and nothing to change afterwards.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { openEnvironment, readTree } from "./files-support.ts";

const service = await shareService();
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
  assert.match(await run(0, "test"), /Testing the files in .*copy: 3 workflows, 1 layout\.[\s\S]*1 passed, 0 failed/);
  assert.match(await run(0, "types"), /"comment-digest": \{\n {4}author: string;/);
});

test("a pull request that breaks its own scenario fails, and the environment in use has no part in it", async () => {
  const terminal = await openEnvironment(service, "Empty");
  const cwd = join(terminal.folder, "copy");
  cpSync(example, cwd, { recursive: true });
  const run = (...argv: string[]) => terminal.runWith({ cwd }, ...argv);
  assert.equal((await run("test")).code, 0, "nothing was applied, and the scenario passes with the files");
  const rendered = await run("render", "--update");
  assert.equal(rendered.code, 0, rendered.stdout + rendered.stderr);
  const workflow = join(cwd, "workflows/comment-digest/workflow.yaml");
  writeFileSync(workflow, readFileSync(workflow, "utf8").replace("unit: hours", "unit: days"));
  const broken = await run("test");
  assert.equal(broken.code, 1, broken.stdout);
  assert.match(broken.stdout, /differs[\s\S]*0 passed, 1 failed/);
  const remote = await run("test", "--remote");
  assert.match(remote.stdout, /Testing the workflows of Empty, not files[\s\S]*Workflow comment-digest not found/);
  const elsewhere = await terminal.runWith({ cwd: terminal.folder }, "test", "--dir", "copy", "--json");
  const { tested, failed } = JSON.parse(elsewhere.stdout);
  assert.deepEqual([tested, failed], [{ files: cwd }, 1]);
  const mail = join(cwd, "workflows/comment-digest/mail.email.html");
  writeFileSync(mail, `${readFileSync(mail, "utf8")}<p>More</p>\n`);
  const differs = await run("render");
  assert.equal(differs.code, 1, differs.stdout);
  assert.match(differs.stdout, /differs __renders__\/comment-digest\/[\s\S]*More/);
  assert.equal((await run("test", "--dir", ".", "--remote")).code, 64);
  assert.match((await run("test", "--dir", "scenarios")).stderr, /There is no tidings\.yaml/);
  rmSync(mail);
  writeFileSync(workflow, "name: [\n");
  const invalid = await run("test");
  assert.equal(invalid.code, 1);
  assert.match(invalid.stderr, /workflows\/comment-digest\/workflow\.yaml:\d+:\d+/);
});
