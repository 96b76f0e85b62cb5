// `npm test -- --changed`: the test files near what was changed since main, as many as half a minute has room for.
import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import type { Costs } from "./costs.ts";
import { reachedFrom } from "./imports.ts";
import { readReach } from "./reach.ts";

/** Seconds of a core: what two cores do in 30 s, less PostgreSQL and the start of the lanes. */
const roomSeconds = 22;
/** A file that takes longer would be the last one to end. */
const longestSeconds = 12;

/** Files whose change can reach every test: what is installed, built and run. */
const reachesAll = /^(package(-lock)?\.json|tsconfig\.json|scripts\/(test\.ts|tests\/)|packages\/testkit\/)/;

/** Where the tests of a package are whose own folder has few or none. */
const testFolders: Record<string, string> = {
  dashboard: "packages/server/test/dashboard/",
  inbox: "packages/server/test/inbox/",
};

export type Choice = { files: string[]; leftOut: number; reachesAll: boolean };

/**
 * The test files near what was changed since the branch left main, committed or not, nearest first. The whole suite
 * remains the proof.
 */
export const changedTests = (tests: string[], costs: Costs): Choice => testsNear(tests, changedFiles(), costs);

export function testsNear(tests: string[], changed: string[], costs: Costs): Choice {
  if (changed.some((file) => reachesAll.test(file))) return { files: [], leftOut: tests.length, reachesAll: true };
  const near = nearest(tests, changed);
  const own = near.filter((test) => changed.includes(test));
  let room = roomSeconds - own.reduce((sum, test) => sum + costs.cpuOf(test), 0);
  const others = near.filter((test) => {
    if (own.includes(test) || costs.cpuOf(test) > room || costs.wallOf(test) > longestSeconds) return false;
    room -= costs.cpuOf(test);
    return true;
  });
  const files = [...own, ...others];
  return { files, leftOut: near.length - files.length, reachesAll: false };
}

/** By rank: tests of the same name, those that the map names first, those that import a changed file, the folder. */
function nearest(tests: string[], changed: string[]): string[] {
  const reach = readReach();
  const imported = reachedFrom(changed);
  const mapped = changed.flatMap((file) => (reach[file] ?? []).map((test, rank) => ({ test, rank })));
  const rankOf = (test: string): number => {
    if (changed.includes(test)) return 0;
    if (changed.some((file) => isNamedAfter(test, file))) return 1;
    const ranks = mapped.filter((one) => one.test === test).map(({ rank }) => 2 + rank);
    if (ranks.length > 0) return Math.min(...ranks);
    if (imported.has(test)) return 10;
    return changed.some((file) => isInFolderOf(test, file)) ? 11 : Infinity;
  };
  return tests
    .map((test) => ({ test, rank: rankOf(test) }))
    .filter(({ rank }) => rank < Infinity)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ test }) => test);
}

/** By name, or because the test reads the file as text. */
function isNamedAfter(test: string, file: string): boolean {
  if (test.endsWith("/law.test.ts")) return /\.tsx?$/.test(file);
  if (file.endsWith(".md")) return /\/(prose|references|contract-table)\.test\.ts$/.test(test);
  if (!/^packages\/[^/]+\/src\//.test(file)) return false;
  const name = basename(file).replace(/\..*$/, "");
  return new RegExp(`/${name}(-[\\w-]+)?(\\.rest)?\\.test\\.ts$`).test(test);
}

function isInFolderOf(test: string, file: string): boolean {
  const [, packageName, path] = /^packages\/([^/]+)\/src\/(.+)$/.exec(file) ?? [];
  if (packageName === undefined || path === undefined) return false;
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
