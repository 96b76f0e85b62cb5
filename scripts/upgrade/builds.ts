// The two programs of an upgrade: this checkout, and an earlier commit, which is built in a temporary folder.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { releases } from "@tidings/server/source/store/installation/releases";
import { progress } from "@tidings/testkit/load/progress";

export type Build = {
  /** As people know it: `v0.1.0 (c4a8532b)`. */
  name: string;
  root: string;
  /** Its newest migration. */
  schema: string;
  /** It has TIDINGS_SHUTDOWN_DELAY: a signal is enough to take it out of service. */
  canDrain: boolean;
};

const ownRoot = fileURLToPath(new URL("../..", import.meta.url));
const git = (...args: string[]) => execFileSync("git", args, { cwd: ownRoot, encoding: "utf8" }).trim();

/** The newest tag of a release before this commit. */
export function findLastRelease(): string {
  const [tag] = git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname").split("\n");
  if (!tag) throw new Error("There is no tag v* before this commit: name one with --from <tag or commit>.");
  return tag;
}

/** The rules of what may run side by side are as good as the list of releases. */
export function requireListed(tag: string, { schema }: Build): void {
  const newest = Number.parseInt(schema, 10);
  const isListed = releases.some((release) => `v${release.version}` === tag && release.newest === newest);
  if (isListed || !/^v\d/.test(tag)) return;
  throw new Error(
    `packages/server/src/store/installation/releases.ts needs ${tag} with the newest migration ${newest}.`,
  );
}

export const thisBuild = (): Build => describe(`this checkout (${git("rev-parse", "--short", "HEAD")})`, ownRoot);

export function buildEarlier(ref: string): Build {
  const commit = git("rev-parse", "--short", `${ref}^{commit}`);
  const root = mkdtempSync(join(tmpdir(), "tidings-upgrade-"));
  process.once("exit", () => rmSync(root, { recursive: true, force: true }));
  progress(`building ${ref} …`);
  execFileSync("sh", ["-c", 'git archive "$1" | tar -x -C "$2"', "sh", commit, root], { cwd: ownRoot });
  linkPackages(root);
  // Also installs packages, if this checkout has others.
  execFileSync(process.execPath, ["scripts/setup.mjs"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return describe(ref === commit ? ref : `${ref} (${commit})`, root);
}

/** Hard links, where both commits have the same packages. Their own packages are links inside the folder. */
function linkPackages(root: string): void {
  const lockOf = (folder: string) => readFileSync(join(folder, "package-lock.json"), "utf8");
  if (lockOf(root) !== lockOf(ownRoot)) return;
  const copy = (how: string) => execFileSync("cp", [how, join(ownRoot, "node_modules"), root], { stdio: "ignore" });
  try {
    copy("-al");
  } catch {
    // Another file system.
    rmSync(join(root, "node_modules"), { recursive: true, force: true });
    copy("-a");
  }
}

function describe(name: string, root: string): Build {
  const server = join(root, "packages/server/src");
  const schema = readdirSync(join(server, "store/migrations")).sort().at(-1)!.replace(".sql", "");
  const canDrain = readFileSync(join(root, "docs/config.md"), "utf8").includes("TIDINGS_SHUTDOWN_DELAY");
  return { name, root, schema, canDrain };
}
