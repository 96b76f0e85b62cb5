// The example of docs/attention.md: the files are valid, can be applied, come back unchanged, and its scenarios pass.
import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startTestService } from "@tidings/testkit/service";
import { openTerminal } from "../support.ts";

const service = await startTestService({ TIDINGS_MAX_ENVIRONMENTS: "10" });
const terminal = openTerminal(service);
const cwd = join(terminal.folder, "attention");
cpSync(new URL("../../../../examples/attention", import.meta.url), cwd, { recursive: true });

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
  assert.match(await run(0, "test"), /4 passed, 0 failed/);
});

test("expectations that are not met, and budgets that are wrong, are said", async () => {
  const file = join(cwd, "scenarios/wrong.yaml");
  const scenario = (attention: string, outcome: string) =>
    writeFileSync(
      file,
      `name: Wrong
given:
  time: "2026-03-02T09:00:00Z"
  subscribers: [{ subscriberId: ada, email: ada@example.com }]
  attention: [${attention}]
when:
  - { at: "+0m", trigger: comment, to: ada, payload: { author: Grace, page: Plans, text: Good } }
then:
  - { to: ada, channel: email }
steps:
  - { to: ada, step: mail, outcome: ${outcome} }
`,
    );
  scenario("", "dropped");
  assert.match(await run(1, "test", "scenarios/wrong.yaml"), /outcome/);
  scenario("{ channel: email, limit: 0, window: { amount: 1, unit: day } }", "sent");
  const refused = await terminal.runWith({ cwd }, "test", "scenarios/wrong.yaml");
  assert.match(refused.stdout + refused.stderr, /budgets\.0\.limit must not be less than 1/);
  scenario("{ chanel: email }", "sent");
  const misspelt = await terminal.runWith({ cwd }, "test", "scenarios/wrong.yaml");
  assert.match(misspelt.stderr, /wrong\.yaml:5:\d+ .*"chanel" is unknown/);
});
