// The files that name the version, and how each gets another one.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { cutChangelog } from "./changelog.ts";

type Change = { version: string; date: string; newestMigration: number };
type Editor = (text: string, change: Change) => string;

type Lock = { version: string; packages: Record<string, { version?: string } & Record<string, unknown>> };

const ownName = /^@tidings\//;
const dependencyKinds = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/** The version of the package, and of those of ours that it depends on. The rest of the text stays untouched. */
const setPackageVersion: Editor = (text, { version }) =>
  text
    .replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`)
    .replaceAll(/^( {4}"@tidings\/[\w-]+": )"[^"]*"/gm, `$1"${version}"`);

/** Our packages are those outside node_modules. */
const setLockVersion: Editor = (text, { version }) => {
  const lock = JSON.parse(text) as Lock;
  lock.version = version;
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path.includes("node_modules/")) continue;
    entry.version = version;
    for (const kind of dependencyKinds) {
      const dependencies = entry[kind] as Record<string, string> | undefined;
      for (const name of Object.keys(dependencies ?? {})) if (ownName.test(name)) dependencies![name] = version;
    }
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
};

/** A chart has the version of what it installs. */
export const setChartVersion: Editor = (text, { version }) =>
  text.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: "${version}"`);

/** Which releases may share a database is decided by the newest migration of each. */
export const addRelease: Editor = (text, { version, newestMigration }) =>
  text.replace(/^(export const releases\b.* = \[)([^\]]*)\];$/m, (_, start: string, list: string) => {
    const entries = [...(list.match(/\{[^}]*\}/g) ?? []), `{ version: "${version}", newest: ${newestMigration} }`];
    return `${start}\n${entries.map((entry) => `  ${entry},\n`).join("")}];`;
  });

/** Notes for the upgrade are written under "Next version" until it has its number. */
const cutUpgradeNotes: Editor = (text, { version }) => text.replace(/^### Next version$/m, `### ${version}`);

/** The version in names and values, such as `tidings-inbox-1.2.3.tgz` or `tag: 1.2.3`. */
const setNames =
  (current: string): Editor =>
  (text, { version }) =>
    text.replaceAll(
      new RegExp(`(?<=[-:@=\`]|[:=] )${current.replaceAll(".", "\\.")}(?=\\.tgz\\b|[\\s\`"',)}|]|$)`, "gm"),
      version,
    );

/** Pages about several versions keep the numbers that they have. */
const keepsNumbers = (path: string): boolean =>
  /^docs\/(?:upgrading\.md|rolling-upgrades\.md|decisions\/)|(?:^|\/)node_modules\//.test(path);

const pages = [
  "README.md",
  "Dockerfile",
  "docs/**/*.md",
  "packages/*/README.md",
  "examples/**/*.md",
  "deploy/**/*.{yaml,yml,md}",
];

const editorsFor = (current: string): { files: string[]; except?: (path: string) => boolean; edit: Editor }[] => [
  { files: ["package.json", "packages/*/package.json"], edit: setPackageVersion },
  { files: ["package-lock.json"], edit: setLockVersion },
  { files: ["deploy/kubernetes/**/Chart.yaml"], edit: setChartVersion },
  { files: ["packages/server/src/store/installation/releases.ts"], edit: addRelease },
  { files: ["CHANGELOG.md"], edit: (text, { version, date }) => cutChangelog(text, version, date) },
  { files: ["docs/upgrading.md"], edit: cutUpgradeNotes },
  { files: pages, except: keepsNumbers, edit: setNames(current) },
];

const numberOf = (migration: string): number => Number(/^\d+/.exec(basename(migration))?.[0] ?? 0);

/** Writes the version into every file of the folder that names it. Returns the files that changed. */
export function writeVersion(folder: string, current: string, named: { version: string; date: string }): string[] {
  const migrations = globSync("packages/server/src/store/migrations/*.sql", { cwd: folder });
  const change: Change = { ...named, newestMigration: Math.max(0, ...migrations.map(numberOf)) };
  const changed = new Set<string>();
  for (const { files, except = () => false, edit } of editorsFor(current)) {
    const paths = files
      .flatMap((pattern) => globSync(pattern, { cwd: folder }))
      .map((path) => path.split(sep).join("/"));
    for (const path of paths.filter((one) => !except(one))) {
      const text = readFileSync(join(folder, path), "utf8");
      const edited = edit(text, change);
      if (edited === text) continue;
      writeFileSync(join(folder, path), edited);
      changed.add(path);
    }
  }
  return [...changed].sort();
}
