// The unit of systemd: valid, and as closed as the service allows.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { replaceAll } from "./proxies.ts";

const root = join(import.meta.dirname, "../../../..");
const unit = readFileSync(join(root, "deploy/systemd/tidings.service"), "utf8");
const dropIn = readFileSync(join(root, "deploy/systemd/external-database.conf"), "utf8");

const found = spawnSync("systemd-analyze", ["--version"]);
const skip =
  found.status === 0 ? false : "NO SYSTEMD-ANALYZE: the unit was not checked. Install it (apt-get install systemd)";

function analyze(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8", timeout: 60_000 });
  assert.equal(status, 0, `systemd-analyze ${args.join(" ")}:\n${stdout}\n${stderr}`);
  return `${stdout}${stderr}`;
}

/** The most that `systemd-analyze security` may find, of 10: a service without any protection has 9.6. */
const maxExposure = 2;

test("systemd accepts the unit, and finds it well protected", { skip }, (context) => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-unit-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const file = join(folder, "tidings.service");
  // It has to find the program and its folder.
  const here: [string, string][] = [
    ["WorkingDirectory=/opt/tidings\n", `WorkingDirectory=${root}\n`],
    ["ExecStart=/opt/tidings/node_modules/.bin/node ", `ExecStart=${process.execPath} `],
  ];
  writeFileSync(file, replaceAll(unit, here));
  mkdirSync(join(folder, "tidings.service.d"));
  writeFileSync(join(folder, "tidings.service.d", "external-database.conf"), dropIn);
  const said = analyze("verify", "--man=no", file);
  assert.doesNotMatch(said, /tidings/, said);
  const report = analyze("security", "--offline=true", "--no-pager", file);
  const exposure = Number(/Overall exposure level for .*: ([\d.]+)/.exec(report)![1]);
  context.diagnostic(`exposure ${exposure} of 10`);
  assert.ok(exposure <= maxExposure, report);
});

const directive = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(unit)![1]!;

test("a stop has the time it needs, and the signal goes to the service alone", () => {
  const main = readFileSync(join(root, "packages/server/src/main.ts"), "utf8");
  const drainSeconds = Number(/drainLimitMs = ([\d_]+)/.exec(main)![1]!.replaceAll("_", "")) / 1000;
  assert.ok(
    Number.parseInt(directive("TimeoutStopSec"), 10) > drainSeconds + 10,
    "and time for the embedded PostgreSQL",
  );
  // PostgreSQL would otherwise end the connections of tasks in progress.
  assert.equal(directive("KillMode"), "mixed");
});

test("secrets are credentials, which the service reads as files", () => {
  const credentials = [...dropIn.matchAll(/^LoadCredential=([\w-]+):(.+)$/gm)].map((match) => match[1]!);
  const used = [...dropIn.matchAll(/(\w+)_FILE=%d\/([\w-]+)/g)].map((match) => match[2]!);
  assert.deepEqual(used, credentials);
  assert.ok(!/(?:KEY|URL|SECRET)=/.test(unit + dropIn));
});
