import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { shareService } from "@tidings/testkit/service";
import { openTerminal } from "./support.ts";

const service = await shareService();
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

test("a stored key goes only to the address it was stored with, and a second service has a login of its own", async () => {
  const mine = openTerminal(service);
  const asked: (string | undefined)[] = [];
  // Another service, with an environment of the same identifier.
  const other = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify([
        { _id: "1", identifier: "development", name: "Evil\u001b]0;owned\u0007\u202e", type: "dev", apiKeys: [] },
      ]),
    );
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  try {
    const run = (env: object, ...argv: string[]) => mine.runWith({ env: { ...withoutKey, ...env } }, ...argv);
    const login = (url: string, key: string) => mine.runWith({ input: key, env: withoutKey }, "login", "--url", url);
    // A file of the former format counts.
    const file = join(mine.folder, ".config/tidings/credentials.json");
    mkdirSync(dirname(file), { recursive: true });
    const former = {
      current: "development",
      environments: { development: { url: service.url, apiKey: service.apiKey } },
    };
    writeFileSync(file, JSON.stringify(former));
    assert.match((await run({}, "whoami")).stdout, /^Development/);
    const refused = await run({ TIDINGS_URL: elsewhere }, "whoami");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /no key is stored for it\.\n→ tidings login --url/);
    assert.deepEqual(asked, [], "the key was not sent");
    const second = await login(`${elsewhere}/`, "other-key");
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stdout, /Logged in to Evil\]0;owned at /, "without what moves a terminal");
    assert.match(second.stdout, new RegExp(`--env development@${elsewhere}\\.`));
    assert.equal((await run({}, "use", "--json")).stdout.match(/development@http/g)?.length, 3);
    assert.match((await run({ TIDINGS_URL: service.url }, "whoami")).stdout, /^Development/);
    assert.match((await run({}, "whoami", "--env", `development@${service.url}`)).stdout, /^Development/);
    assert.deepEqual([...new Set(asked)], ["ApiKey other-key"]);
    assert.equal((await run({}, "logout")).code, 0);
    assert.match((await run({}, "whoami", "--env", "development")).stdout, /^Development/);
    assert.match((await run({}, "whoami")).stderr, /No environment is chosen/);
    assert.equal((await run({}, "logout", "--all")).code, 0);
    assert.ok(!readFileSync(file, "utf8").includes(service.apiKey));
    assert.equal((await run({}, "logout")).code, 1);
  } finally {
    other.close();
  }
});

test("errors say what happened and what to do, and have stable exit codes", async () => {
  const cases: [argv: string[], env: Record<string, string>, code: number, stderr: RegExp][] = [
    [["whoam"], {}, 64, /There is no command "whoam"\.\n→ Did you mean `tidings whoami`\?/],
    [["paln"], {}, 64, /There is no command "paln"\.\n→ Did you mean `tidings plan`\?/],
    [["xyzzy"], {}, 64, /There is no command "xyzzy"\.\n→ tidings --help/],
    [["--env", "moon", "whoami"], {}, 1, /no login for the environment "moon"/],
    [["whoami", "extra"], {}, 64, /"extra" is one argument too many/],
    [["plan", "extra"], {}, 64, /"extra" is one argument too many/],
    [["validate", "extra"], {}, 64, /"extra" is one argument too many/],
    [["whoami", "--nonsense"], {}, 64, /--nonsense.*\n→ tidings whoami --help/],
    [["whoami", "--env", "moon"], {}, 1, /no login for the environment "moon"/],
    [["whoami"], { TIDINGS_API_KEY: "wrong" }, 1, /does not accept the key\.\n→ tidings login/],
    [["whoami"], { TIDINGS_URL: "http://127.0.0.1:9" }, 1, /Cannot reach the service at http:\/\/127\.0\.0\.1:9/],
    [["login", "--url", "ftp://x"], {}, 1, /is not an http or https URL/],
    [["login"], {}, 1, /No key was given/],
    [["use", "moon"], {}, 1, /no login for the environment "moon"/],
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
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
  assert.equal(run("--version").stdout.trim(), version);
  const help = run("--help");
  assert.equal(help.status, 0);
  assert.match(help.stdout, /whoami +Show the service/);
  assert.match(run("whoami", "--help").stdout, /Example\n {2}tidings whoami --json/);
});
