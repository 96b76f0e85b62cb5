// A copy of the checkout in which mutants are planted: neither the checkout nor what is built in it ever has one.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cloneRepository, markInstalled } from "../release/copy.ts";
import { git } from "../release/plan.ts";
import type { Mutant } from "./mutants.ts";

/** What is committed, with the changes that are not, so that a new test can be tried before its commit. */
export function makeCopy(root: string): string {
  const folder = cloneRepository(root, "mutants");
  try {
    for (const name of changedIn(root)) {
      if (existsSync(join(root, name))) cpSync(join(root, name), join(folder, name));
      else rmSync(join(folder, name), { force: true });
    }
    // The setup builds only what a mutant changes.
    for (const dist of builtIn(root)) cpSync(join(root, dist), join(folder, dist), { recursive: true });
    markInstalled(folder);
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

const linesOf = (text: string): string[] => text.split("\n").filter(Boolean);

const changedIn = (root: string): string[] => [
  ...linesOf(git(root, "diff", "--name-only", "--no-renames", "HEAD")),
  ...linesOf(git(root, "ls-files", "--others", "--exclude-standard")),
];

const builtIn = (root: string): string[] =>
  linesOf(git(root, "ls-files", "packages/*/package.json"))
    .map((manifest) => manifest.replace(/package\.json$/, "dist"))
    .filter((dist) => existsSync(join(root, dist)));

/** Plants the mutant, and returns what takes it out again. */
export function plant(folder: string, { id, file, before, after }: Mutant): () => void {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`${id} does not fit ${file}: node scripts/mutants/run.ts --check`);
  writeFileSync(path, parts.join(after));
  return () => writeFileSync(path, text);
}
