// A release writes its version into every file that names one, and changes nothing else in them.
import assert from "node:assert/strict";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { releaseNotes } from "../../../../scripts/release/changelog.ts";
import { addRelease, setChartVersion, writeVersion } from "../../../../scripts/release/files.ts";

const root = join(import.meta.dirname, "../../../..");
const folder = mkdtempSync(join(tmpdir(), "tidings-version-"));
atEnd(async () => rmSync(folder, { recursive: true, force: true }));

const packages = ["package.json", ...globSync("packages/*/package.json", { cwd: root })];
const files = [...packages, "package-lock.json", "CHANGELOG.md", "docs/upgrading.md", "docs/inbox-frameworks.md"];
for (const file of files) cpSync(join(root, file), join(folder, file));

const read = (file: string): string => readFileSync(join(folder, file), "utf8");
const { version: current } = JSON.parse(read("package.json")) as { version: string };
const change = { version: "70.8.9", date: "2099-12-31", newestMigration: 87 };
const original = new Map(files.map((file) => [file, read(file)]));
const changed = writeVersion(folder, current, change);

type Manifest = Record<string, Record<string, string>> & { version: string };

test("every package and its dependencies on our packages have the version", () => {
  assert.ok(packages.length > 7, "the packages were found");
  for (const file of packages) {
    const manifest = JSON.parse(read(file)) as Manifest;
    assert.equal(manifest.version, change.version, file);
    const own = ["dependencies", "devDependencies"].flatMap((kind) =>
      Object.entries(manifest[kind] ?? {}).filter(([name]) => name.startsWith("@tidings/")),
    );
    for (const [name, version] of own) assert.equal(version, change.version, `${file}: ${name}`);
    assert.ok(changed.includes(file), file);
  }
});

test("the lock file differs in our packages alone", () => {
  type Lock = { version: string; packages: Record<string, Manifest> };
  const [before, now] = [original.get("package-lock.json")!, read("package-lock.json")].map(
    (text) => JSON.parse(text) as Lock,
  );
  assert.equal(now!.version, change.version);
  for (const [path, entry] of Object.entries(now!.packages))
    if (path.includes("node_modules/")) assert.deepEqual(entry, before!.packages[path], path);
    else assert.equal(entry.version, change.version, path || "the root");
});

test("changelog and upgrade notes are cut", () => {
  assert.match(read("CHANGELOG.md"), /^## \[Unreleased\]\n\n## \[70\.8\.9\] - 2099-12-31$/m);
  assert.ok(releaseNotes(read("CHANGELOG.md"), current), "older versions stay");
  assert.doesNotMatch(read("docs/upgrading.md"), /^### Next version$/m);
});

test("the version back again gives the same files", () => {
  writeVersion(folder, change.version, { version: current, date: change.date });
  for (const file of files.filter((one) => one.endsWith(".json") || one.endsWith("frameworks.md")))
    assert.equal(read(file), original.get(file), file);
});

test("a chart has the version of the service", () => {
  const chart = 'apiVersion: v2\nname: tidings\nversion: 0.1.0\nappVersion: "0.1.0"\ndependencies: []\n';
  assert.equal(
    setChartVersion(chart, change),
    'apiVersion: v2\nname: tidings\nversion: 70.8.9\nappVersion: "70.8.9"\ndependencies: []\n',
  );
});

test("a release is listed with its newest migration", () => {
  const first = 'export const releases: readonly Release[] = [{ version: "0.1.0", newest: 43 }];\n';
  const second = addRelease(`// List.\n${first}`, { ...change, version: "0.2.0", newestMigration: 52 });
  const third = addRelease(second, change);
  assert.equal(
    third,
    `// List.
export const releases: readonly Release[] = [
  { version: "0.1.0", newest: 43 },
  { version: "0.2.0", newest: 52 },
  { version: "70.8.9", newest: 87 },
];
`,
  );
});
