import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startTestService } from "../../server/test/support/service.ts";
import { openTerminal } from "./support.ts";

const service = await startTestService();
const terminal = openTerminal(service);
const withoutKey = { TIDINGS_URL: "", TIDINGS_API_KEY: "" };

test("a key is stored in a file of its owner, and used by the next commands", async () => {
  const login = await terminal.runWith(
    { input: `${service.apiKey}\n`, env: withoutKey },
    "login",
    "--url",
    service.url,
  );
  assert.equal(login.code, 0, login.stderr);
  assert.match(login.stdout, /Logged in to Development/);
  const file = join(terminal.folder, ".config/tidings/credentials.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(readFileSync(file, "utf8").includes(service.apiKey));
  const who = await terminal.runWith({ env: withoutKey }, "whoami");
  assert.match(who.stdout, /^Development \(/);
  for (const { stdout, stderr } of [login, who])
    assert.ok(!`${stdout}${stderr}`.includes(service.apiKey), "the key is never printed");
  const listed = await terminal.runWith({ env: withoutKey }, "use", "--json");
  const { current, environments } = JSON.parse(listed.stdout);
  assert.deepEqual(environments, [current]);
  assert.equal((await terminal.runWith({ env: withoutKey }, "use", current)).code, 0);
});

test("errors say what happened and what to do, and have stable exit codes", async () => {
  const cases: [argv: string[], env: Record<string, string>, code: number, stderr: RegExp][] = [
    [["whoam"], {}, 64, /There is no command "whoam"\.\n→ Did you mean `tidings whoami`\?/],
    [["whoami", "--nonsense"], {}, 64, /--nonsense.*\n→ tidings whoami --help/],
    [["whoami", "--env", "moon"], {}, 1, /no login for the environment "moon"/],
    [["whoami"], { TIDINGS_API_KEY: "wrong" }, 1, /does not accept the key\.\n→ tidings login/],
    [["whoami"], { TIDINGS_URL: "http://127.0.0.1:9" }, 1, /No service answers at http:\/\/127\.0\.0\.1:9/],
    [["login", "--url", "ftp://x"], {}, 1, /is no http or https address/],
    [["login"], {}, 1, /No key was given/],
    [["use", "moon"], {}, 1, /no login for "moon"/],
  ];
  for (const [argv, env, code, stderr] of cases) {
    const ran = await terminal.runWith({ env }, ...argv);
    assert.equal(ran.code, code, argv.join(" "));
    assert.match(ran.stderr, stderr);
    assert.equal(ran.stdout, "");
  }
  const asJson = await terminal.runWith({ env: { TIDINGS_API_KEY: "wrong" } }, "whoami", "--json");
  assert.match(JSON.parse(asJson.stdout).error.message, /does not accept the key/);
});

test("the built program starts with nothing but Node", () => {
  const program = join(import.meta.dirname, "../bin/tidings.mjs");
  const run = (...argv: string[]) =>
    spawnSync(process.execPath, [program, ...argv], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, TIDINGS_URL: service.url, TIDINGS_API_KEY: service.apiKey },
    });
  assert.equal(run("--version").stdout.trim(), "0.1.0");
  const help = run("--help");
  assert.equal(help.status, 0);
  assert.match(help.stdout, /whoami +Show the service/);
  assert.match(run("whoami", "--help").stdout, /Example\n {2}tidings whoami --json/);
});
