// A copy of the repository in which a release is prepared. A release that fails therefore leaves nothing behind, and a
// dry run does what a real one does.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git } from "./plan.ts";

/**
 * A clone of what is committed. Commits in it have the author that the repository is configured with. `purpose`: part
 * of the name of its folder.
 */
export function cloneRepository(root: string, purpose = "release"): string {
  const folder = mkdtempSync(join(tmpdir(), `tidings-${purpose}-`));
  git(root, "clone", "--quiet", "--shared", root, folder);
  for (const name of ["user.name", "user.email"]) {
    const value = git(root, "config", "--get", "--default", "", name);
    if (value) git(folder, "config", name, value);
  }
  linkPackages(root, folder);
  return folder;
}

/** The installed packages of the repository; the links to our own lead to the clone. */
function linkPackages(root: string, folder: string): void {
  const own = "@tidings";
  const [from, to] = [join(root, "node_modules"), join(folder, "node_modules")];
  mkdirSync(join(to, own), { recursive: true });
  for (const name of readdirSync(from))
    if (name === ".bin" || !(name.startsWith(".") || name === own))
      symlinkSync(join(from, name), join(to, name), "junction");
  for (const name of readdirSync(join(folder, "packages")))
    if (existsSync(join(folder, "packages", name, "package.json")))
      symlinkSync(join(folder, "packages", name), join(to, own, name), "junction");
}

/**
 * Shows scripts/setup.mjs that the dependencies are installed: the lock files of clone and repository differ only in
 * the versions of our packages.
 */
export function markInstalled(folder: string): void {
  const wanted = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .update(`${process.platform}-${process.arch}`)
    .digest("hex");
  writeFileSync(join(folder, "node_modules", ".tidings-setup"), `${wanted} --include=dev`);
}
