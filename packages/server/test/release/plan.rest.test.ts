// Which version a release gets, what it refuses, and that its copy leaves the repository alone: in real repositories.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { readRelease } from "../../../../scripts/release/assets.ts";
import { cloneRepository } from "../../../../scripts/release/copy.ts";
import { git, planRelease, Refusal } from "../../../../scripts/release/plan.ts";

const folders: string[] = [];
atEnd(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const changelog = (unreleased: string): string =>
  `# Changelog\n\n## [Unreleased]\n\n${unreleased}## [1.2.0] - 2026-11-17\n\n### Added\n\n- Everything.\n`;

type Files = { changes?: string; version?: string };

/** A repository at version 1.2.0, which is tagged. */
function openRepository({ changes = "### Added\n\n- A thing.\n\n", version = "1.2.0" }: Files = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tidings-plan-"));
  folders.push(folder);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("package.json", JSON.stringify({ version }));
  write("CHANGELOG.md", changelog(changes));
  write(".gitignore", "node_modules/\n");
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["config", "user.name", "Ada"],
    ["config", "user.email", "ada@example.com"],
  ])
    git(folder, ...args);
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "--message", "begin");
  git(folder, "tag", "v1.2.0");
  return { folder, write };
}

const planned: [wanted: string | null, files: Files, version: string][] = [
  [null, {}, "1.3.0"],
  [null, { changes: "### Fixed\n\n- A thing.\n\n" }, "1.2.1"],
  [null, { changes: "### Changed\n\n- **Breaking:** a thing.\n\n" }, "2.0.0"],
  ["patch", {}, "1.2.1"],
  ["major", {}, "2.0.0"],
  ["1.2.5", {}, "1.2.5"],
  ["1.3.0-rc.1", {}, "1.3.0-rc.1"],
];

for (const [wanted, files, version] of planned) {
  test(`${wanted ?? "no version"} is ${version}${files.changes ? ` after ${files.changes.trim().split("\n").at(-1)}` : ""}`, () => {
    const plan = planRelease(openRepository(files).folder, wanted);
    assert.deepEqual(
      { version: plan.version, current: plan.current, changes: plan.changes },
      { version, current: "1.2.0", changes: 1 },
    );
  });
}

const refused: [name: string, wanted: string | null, files: Files, reason: RegExp][] = [
  ["a version that is lower", "1.1.9", {}, /^1\.1\.9 is not higher than 1\.2\.0, the version in package\.json$/],
  ["the same version", "1.2.0", {}, /^1\.2\.0 is not higher than 1\.2\.0/],
  ["a prerelease of the version", "1.2.0-rc.1", {}, /is not higher than 1\.2\.0/],
  ["what is not a version", "1.3", {}, /^"1\.3" is not a version: write x\.y\.z/],
  ["an unknown bump", "huge", {}, /^"huge" is not a version: .*major, minor or patch$/],
  ["a version that has its tag", "1.2.0", { version: "1.1.0" }, /^1\.2\.0 has been released: there is a tag v1\.2\.0/],
  ["a changelog without changes", null, { changes: "" }, /^CHANGELOG\.md has nothing under Unreleased/],
  [
    "a changelog with a wrong format",
    null,
    { changes: "### New\n\n- A thing.\n\n" },
    /^CHANGELOG\.md, line 5: a group/,
  ],
];

for (const [name, wanted, files, reason] of refused) {
  test(`a release refuses ${name}`, () => {
    const { folder } = openRepository(files);
    assert.throws(
      () => planRelease(folder, wanted),
      (error: Error) => error instanceof Refusal && reason.test(error.message),
    );
  });
}

test("a release refuses a tree with changes, and names one", () => {
  const { folder, write } = openRepository();
  write("package.json", JSON.stringify({ version: "1.2.0", other: true }));
  write("new.txt", "new");
  assert.throws(
    () => planRelease(folder, null),
    /^Error: the tree has changes \(package\.json and 1 more\): commit or stash/,
  );
});

test("the copy has its own packages, and commits in it stay there", () => {
  const { folder } = openRepository();
  mkdirSync(join(folder, "packages/one"), { recursive: true });
  writeFileSync(join(folder, "packages/one/package.json"), "{}");
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "--message", "a package");
  for (const name of ["other", "@scope/other", "@tidings/one"])
    mkdirSync(join(folder, "node_modules", name), { recursive: true });
  writeFileSync(join(folder, "node_modules/.tidings-setup"), "of the repository");
  const head = git(folder, "rev-parse", "HEAD");
  const copy = cloneRepository(folder);
  folders.push(copy);
  const target = (name: string) => realpathSync(join(copy, "node_modules", name));
  assert.equal(target("@tidings/one"), realpathSync(join(copy, "packages/one")));
  assert.equal(target("@scope/other"), realpathSync(join(folder, "node_modules/@scope/other")));
  assert.ok(!existsSync(join(copy, "node_modules/.tidings-setup")));
  writeFileSync(join(copy, "package.json"), JSON.stringify({ version: "1.3.0" }));
  git(copy, "commit", "--quiet", "--all", "--message", "release: 1.3.0");
  assert.throws(() => readRelease(copy), /HEAD does not have the tag v1\.3\.0/);
  git(copy, "tag", "--annotate", "v1.3.0", "--message", "1.3.0");
  assert.equal(git(copy, "log", "-1", "--format=%an"), "Ada");
  assert.deepEqual(readRelease(copy), {
    version: "1.3.0",
    tag: "v1.3.0",
    isPrerelease: false,
    imageTags: ["1.3.0", "1.3", "1", "latest"],
    npmTag: "latest",
  });
  assert.equal(git(folder, "rev-parse", "HEAD"), head);
  assert.equal(git(folder, "tag"), "v1.2.0");
  assert.equal(git(folder, "status", "--porcelain"), "");
});

const program = join(import.meta.dirname, "../../../../scripts/release/run.ts");

const wrongCalls: [args: string[], env: Record<string, string>, sentence: RegExp][] = [
  [["--dry"], {}, /^release: Unknown option '--dry'.* The options are --version, --dry-run and --assets\.\n$/],
  [["minor", "--version", "9.0.0"], {}, /^release: name one version, not 2: minor, 9\.0\.0\.\n$/],
  [
    [],
    { npm_config_dry_run: "true" },
    /^release: npm took --dry-run as its own option: write `npm run release -- --dry-run`\.\n$/,
  ],
];

for (const [args, env, sentence] of wrongCalls) {
  test(`npm run release -- ${args.join(" ")} ${Object.keys(env).join(" ")} is refused with a sentence`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      encoding: "utf8",
      env: { ...process.env, ...env },
      timeout: 30_000,
    });
    assert.match(stderr, sentence);
    assert.deepEqual({ status, stdout }, { status: 1, stdout: "" });
  });
}
