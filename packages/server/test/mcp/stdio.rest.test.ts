// `tidings mcp`: the built command line as an assistant starts it, with the official client over standard input and
// output.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { atEnd } from "@tidings/testkit/at-end";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { connect, type Era } from "./assistant.ts";

const service = await shareService();
const folder = mkdtempSync(join(tmpdir(), "tidings-mcp-"));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const program = join(import.meta.dirname, "../../../cli/bin/tidings.mjs");
const variables = { PATH: process.env.PATH!, HOME: folder, TIDINGS_URL: service.url, TIDINGS_API_KEY: service.apiKey };

const project = join(folder, "project");
mkdirSync(join(project, "workflows/hello"), { recursive: true });
writeFileSync(join(project, "tidings.yaml"), "version: 1\n");
const workflow =
  "name: From a file\nsteps:\n  - stepId: in-app\n    type: in_app\n    controlValues: { body: Hello }\n";
writeFileSync(join(project, "workflows/hello/workflow.yaml"), workflow);
await createWorkflow(service.client, "hello", [{ ...inApp({ body: "Hello" }), stepId: "in-app" }]);

const open = (era: Era, env: Record<string, string> = {}) =>
  connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp", "--dir", project],
      env: { ...variables, ...env },
      stderr: "ignore",
    }),
    era,
  );

describe("clients of both generations", () => {
  for (const era of ["legacy", "auto"] as const)
    test(era, async () => {
      const { client, ask, refusal } = await open(era);
      assert.equal(client.getNegotiatedProtocolVersion(), era === "legacy" ? "2025-11-25" : "2026-07-28");
      const { tools } = await client.listTools();
      assert.equal(tools.length, 16);
      assert.match(await ask("read_workflow", { workflowId: "hello" }), /^Workflow hello \("hello"\): ACTIVE/);
      assert.match(await refusal("read_workflow", { workflowId: "naïve ✓" }), /WORKFLOW_NOT_FOUND/);
      assert.match(await refusal("read_workflow", {}), /workflowId is required/);
      await assert.rejects(client.callTool({ name: "naïve ✓" }), /There is no tool naïve ✓/);
      const { contents } = await client.readResource({ uri: "tidings://docs/explain" });
      assert.match((contents[0] as { text: string }).text, /^# /);
    });
});

test("a folder of this machine is planned and applied", async () => {
  const { client, ask, refusal } = await open("auto");
  const { tools } = await client.listTools();
  const plan = tools.find(({ name }) => name === "validate_and_plan_files")!;
  assert.ok(plan.inputSchema.properties?.directory && !plan.inputSchema.required?.includes("files"));
  assert.match(await refusal("apply_plan", { directory: ".", planId: "x".repeat(43) }), /plan id does not belong/);
  const shown = await ask("validate_and_plan_files", { directory: "." });
  assert.match(shown, /changed workflow hello: name/);
  const [, planId] = /^Plan id: ([\w-]+)\./.exec(shown)!;
  assert.match(await ask("apply_plan", { directory: ".", planId }), /^The plan was applied\./);
  const { body } = await service.client("workflows.retrieve", { params: { workflowId: "hello" } });
  assert.equal(body.name, "From a file");
});

test("no other folder is read", async () => {
  const { refusal } = await open("auto");
  const secret = join(folder, "secret");
  mkdirSync(secret);
  writeFileSync(join(secret, "tidings.yaml"), "version: 1\n");
  symlinkSync(secret, join(project, "way-out"));
  for (const directory of ["..", "../secret", secret, "way-out"])
    assert.match(await refusal("validate_and_plan_files", { directory }), /is not below the folder/, directory);
  assert.match(await refusal("validate_and_plan_files", { directory: "nowhere" }), /There is no folder nowhere/);
  assert.match(await refusal("validate_and_plan_files", { directory: "workflows" }), /There is no tidings\.yaml/);
  const both = { directory: ".", files: [{ path: "tidings.yaml", content: "version: 1\n" }] };
  assert.match(await refusal("validate_and_plan_files", both), /either files or directory/);
});

test("a wrong key and a service that is away are errors of the protocol", async () => {
  await assert.rejects(open("legacy", { TIDINGS_API_KEY: "tdg_wrong" }), /API key/i);
  await assert.rejects(open("legacy", { TIDINGS_URL: "http://127.0.0.1:9" }), /Cannot reach the service/);
});

test("lines that are no message are answered, and the end of the input ends the program", async () => {
  const child = spawn(process.execPath, [program, "mcp"], {
    env: variables,
    stdio: ["pipe", "pipe", "ignore"],
    cwd: folder,
  });
  const exited = once(child, "exit");
  const answers: { id: unknown; error?: { code: number } }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => answers.push(JSON.parse(line)));
  for (const line of [
    "{",
    "[1]",
    "",
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
  ])
    child.stdin.write(`${line}\n`);
  child.stdin.end('{"jsonrpc":"2.0","id":"last","method":"tools/list"}\n');
  assert.deepEqual((await exited)[0], 0);
  assert.deepEqual(
    answers.map(({ id, error }) => [id, error?.code]),
    [
      [null, -32_700],
      [null, -32_600],
      ["last", undefined],
    ],
  );
});
