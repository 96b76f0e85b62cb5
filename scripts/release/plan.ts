// Decides which version a release gets, or refuses it: what is wrong, and what to do.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bumpFor, changelogProblems, countUnreleased } from "./changelog.ts";
import {
  type Bump,
  bumps,
  bumpVersion,
  compareVersions,
  formatVersion,
  parseVersion,
  type Version,
} from "./version.ts";

/** An error of the person who releases: its message is all that is printed. */
export class Refusal extends Error {}

export type Plan = { current: string; version: string; reason: string; changes: number };

/** The output of git, which prints its own errors. */
export const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd: folder, encoding: "utf8", timeout: 120_000 }).trimEnd();

export const readVersion = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version;

export const readChangelog = (folder: string): string => readFileSync(join(folder, "CHANGELOG.md"), "utf8");

/** The released versions: the tags that are a version with a `v` before it. */
export const releasedVersions = (folder: string): Version[] =>
  git(folder, "tag", "--list", "v*")
    .split("\n")
    .flatMap((tag) => parseVersion(tag.slice(1)) ?? []);

const isBump = (text: string): text is Bump => (bumps as readonly string[]).includes(text);

/** `wanted` is a version, a bump, or null: then the changelog decides. */
export function planRelease(root: string, wanted: string | null): Plan {
  refuseChanges(root);
  const changelog = readChangelog(root);
  const [problem] = changelogProblems(changelog);
  if (problem) throw new Refusal(`CHANGELOG.md, ${problem}. Correct it, then release`);
  const changes = countUnreleased(changelog);
  if (changes === 0)
    throw new Refusal("CHANGELOG.md has nothing under Unreleased: write what users notice, then release");
  const current = readVersion(root);
  const { version, reason } = chooseVersion(current, wanted, changelog);
  if (git(root, "tag", "--list", `v${version}`) !== "")
    throw new Refusal(`${version} has been released: there is a tag v${version}. Choose a higher version`);
  return { current, version, reason, changes };
}

function refuseChanges(root: string): void {
  const [first, ...others] = git(root, "status", "--porcelain").split("\n").filter(Boolean);
  if (!first) return;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  throw new Refusal(`the tree has changes (${first.slice(3)}${more}): commit or stash them, then release`);
}

function chooseVersion(current: string, wanted: string | null, changelog: string): { version: string; reason: string } {
  const now = parseVersion(current);
  if (now === null) throw new Refusal(`package.json has the version "${current}": write x.y.z`);
  if (wanted === null) {
    const bump = bumpFor(changelog, now.major > 0);
    return { version: formatVersion(bumpVersion(now, bump)), reason: `${bump}, by the groups of the changelog` };
  }
  if (isBump(wanted)) return { version: formatVersion(bumpVersion(now, wanted)), reason: wanted };
  const version = parseVersion(wanted);
  if (version === null)
    throw new Refusal(
      `"${wanted}" is not a version: write x.y.z, such as 1.2.0 or 1.2.0-rc.1, or major, minor or patch`,
    );
  if (compareVersions(version, now) <= 0)
    throw new Refusal(`${wanted} is not higher than ${current}, the version in package.json`);
  return { version: wanted, reason: "as given" };
}
