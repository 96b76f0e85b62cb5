// Which test files a run has: those near a change, and those with a long version.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { importsOf, resolveImport } from "../packages/server/test/support/law/structure.ts";

/** The files with tests that `npm test` leaves out or shortens. */
export function longTests(tests: string[]): string[] {
  const reached = reachedFrom(["packages/testkit/src/long.ts"]);
  return tests.filter((test) => reached.has(test));
}

/** Files whose change can reach every test: what is installed, built and run. */
const reachesAll =
  /^(package(-lock)?\.json|tsconfig\.json|scripts\/|packages\/server\/test\/support\/(service|database|at-end)\.ts)/;

/**
 * Files that import everything. Most tests start the service, so following its imports would choose all of them after
 * every change; tests that use a changed file only through the service are found by folder and name instead.
 */
const roots = ["packages/server/src/service.ts", "packages/contract/src/index.ts", "packages/providers/src/index.ts"];

/** Where the tests of a package are whose own folder has few or none. */
const testFolders: Record<string, string> = {
  dashboard: "packages/server/test/dashboard/",
  inbox: "packages/server/test/inbox/",
};

/**
 * The test files near what was changed since the branch left main, committed or not. The whole suite remains the proof.
 */
export function changedTests(tests: string[]): string[] {
  const changed = changedFiles();
  if (changed.some((file) => reachesAll.test(file))) return tests;
  const reached = reachedFrom(changed);
  return tests.filter((test) => reached.has(test) || changed.some((file) => isTestOf(test, file)));
}

/** By folder, by name, or because the test reads the file as text. */
function isTestOf(test: string, file: string): boolean {
  if (test.endsWith("/law.test.ts")) return /\.tsx?$/.test(file);
  if (file.endsWith(".md")) return test.endsWith("/docs.test.ts") || test.endsWith("/contract-table.test.ts");
  const [, packageName, path] = /^packages\/([^/]+)\/src\/(.+)$/.exec(file) ?? [];
  if (packageName === undefined || path === undefined) return false;
  const name = basename(path).replace(/\..*$/, "");
  if (new RegExp(`/${name}(-[\\w-]+)?\\.test\\.ts$`).test(test)) return true;
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : null;
  const isMirrored = folder !== null && test.startsWith(`packages/${packageName}/test/${folder}`);
  return isMirrored || test.startsWith(testFolders[packageName] ?? `packages/${packageName}/test//`);
}

function changedFiles(): string[] {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).split("\n").filter(Boolean);
  const [base] = git("merge-base", "HEAD", mainBranch());
  return [...git("diff", "--name-only", "--no-renames", base!), ...git("ls-files", "--others", "--exclude-standard")];
}

/** The main branch as it was fetched last, or the local one where there is no remote. */
function mainBranch(): string {
  try {
    execFileSync("git", ["rev-parse", "--verify", "--quiet", "origin/main"], { stdio: "ignore" });
    return "origin/main";
  } catch {
    return "main";
  }
}

/** All files that import one of these, directly or through others, but not through a root. */
function reachedFrom(start: string[]): Set<string> {
  const importers = new Map<string, string[]>();
  for (const file of globSync("packages/*/{src,test}/**/*.{ts,tsx}"))
    for (const target of importsIn(file)) importers.set(target, [...(importers.get(target) ?? []), file]);
  const reached = new Set(start);
  for (const file of reached)
    if (!roots.includes(file)) for (const importer of importers.get(file) ?? []) reached.add(importer);
  return reached;
}

const importsIn = (file: string): string[] =>
  importsOf({ path: file, text: readFileSync(file, "utf8") })
    .filter((target) => target.startsWith("."))
    .map((target) => resolveImport(file, target));
