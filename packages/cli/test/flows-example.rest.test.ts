// The examples of docs/flows.md: the files are valid, can be applied, come back unchanged, and their scenarios pass.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { openTerminal } from "./support.ts";

const service = await startTestService({ TIDINGS_MAX_ENVIRONMENTS: "10" });
const terminal = openTerminal(service);
const cwd = join(terminal.folder, "flows");
cpSync(new URL("../../../examples/flows", import.meta.url), cwd, { recursive: true });

const run = async (code: number, ...argv: string[]) => {
  const ran = await terminal.runWith({ cwd }, ...argv);
  assert.equal(ran.code, code, `${argv.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran.stdout;
};

test("the files are valid, can be applied, and the plan is empty afterwards", async () => {
  await run(0, "validate");
  await run(0, "apply");
  await run(0, "plan");
});

test("the scenarios pass", async () => {
  assert.match(await run(0, "test"), /8 passed, 0 failed/);
});
