// `tidings env`: variables of the environment in use.
import assert from "node:assert/strict";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { keyOf, openTerminal } from "./support.ts";

const service = await shareService();
const terminal = openTerminal(service);
const production = openTerminal({ url: service.url, apiKey: await keyOf(service.production) });

test("set, list and unset", async () => {
  assert.equal((await terminal.run("env", "list")).stdout, "No variables.\n");
  const made = await terminal.run("env", "set", "BASE_URL", "https://dev.example.com");
  assert.equal(made.stdout, "BASE_URL is set in Development.\n", made.stderr);
  await terminal.run("env", "set", "BASE_URL", "https://new.example.com");
  const secret = await terminal.runWith({ input: "cli-canary\n" }, "env", "set", "TOKEN", "-", "--secret", "--debug");
  assert.equal(secret.code, 0, secret.stderr);
  // A secret stays one without the option.
  await terminal.runWith({ input: "cli-canary" }, "env", "set", "TOKEN", "-");
  const listed = await terminal.run("env", "list");
  assert.equal(listed.stdout, "name      value\nBASE_URL  https://new.example.com\nTOKEN     (secret)\n");
  assert.deepEqual(await terminal.json("env", "list"), [
    { key: "BASE_URL", isSecret: false, value: "https://new.example.com" },
    { key: "TOKEN", isSecret: true, value: null },
  ]);
  for (const { stdout, stderr } of [secret, listed]) assert.ok(!`${stdout}${stderr}`.includes("cli-canary"));
  assert.equal((await production.run("env", "list")).stdout, "No variables.\n");
  assert.equal((await terminal.run("env", "unset", "TOKEN")).stdout, "TOKEN is deleted from Development.\n");
});

test("wrong calls say what is wrong, and change nothing", async () => {
  const table: [string[], number, RegExp][] = [
    [["env"], 64, /Say what to do: list, set, unset/],
    [["env", "put"], 64, /"put" is none of list, set, unset/],
    [["env", "set"], 64, /The name is missing/],
    [["env", "set", "NAME"], 1, /The value is missing/],
    [["env", "set", "NAME", "a", "b"], 64, /"b" is one argument too many/],
    [["env", "set", "not-a-name", "a"], 1, /key/],
    [["env", "unset", "NOTHING"], 1, /Environment variable NOTHING not found/],
  ];
  for (const [argv, code, message] of table) {
    const { code: given, stderr } = await terminal.run(...argv);
    assert.match(stderr, message);
    assert.equal(given, code, `${argv.join(" ")}: ${stderr}`);
  }
  await createWorkflow(service.client, "uses-it", [inApp({ body: "{{ env.BASE_URL }}" })]);
  assert.match((await terminal.run("env", "unset", "BASE_URL")).stderr, /is used by the workflow uses-it/);
  const asked = await production.run("env", "set", "BASE_URL", "https://example.com");
  assert.match(asked.stderr, /Add --yes/);
  assert.equal((await production.run("env", "set", "BASE_URL", "https://example.com", "--yes")).code, 0);
});
