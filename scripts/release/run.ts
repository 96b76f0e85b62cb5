// `npm run release -- [major|minor|patch|--version x.y.z] [--dry-run]` prepares a release in a copy of the repository:
// versions, changelog, build, tarballs, SBOM, notes, commit and tag. With --dry-run the copy stays for inspection;
// without it, commit and tag are taken over. Nothing is pushed. `--assets <folder>` writes the files of the release
// that is checked out, which is what the release workflow does.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeAssets } from "./assets.ts";
import { cloneRepository, markInstalled } from "./copy.ts";
import { writeVersion } from "./files.ts";
import { git, planRelease, Refusal, readVersion } from "./plan.ts";

const root = dirname(dirname(import.meta.dirname));

const step = (name: string, text: string): void => console.log(`  ${name.padEnd(11)}${text}`);
const indented = (lines: string[]): void => {
  for (const line of lines) step("", line);
};

type Options = { wanted: string | null; isDry: boolean; assets: string | undefined };

function readOptions(): Options {
  // `npm run release --dry-run` gives the option to npm, which runs the script all the same.
  if (process.env.npm_config_dry_run === "true")
    throw new Refusal("npm took --dry-run as its own option: write `npm run release -- --dry-run`");
  try {
    const { values, positionals } = parseArgs({
      options: { version: { type: "string" }, "dry-run": { type: "boolean" }, assets: { type: "string" } },
      allowPositionals: true,
    });
    const given = [...positionals, ...(values.version === undefined ? [] : [values.version])];
    if (given.length > 1) throw new Refusal(`name one version, not ${given.length}: ${given.join(", ")}`);
    return { wanted: given[0] ?? null, isDry: values["dry-run"] === true, assets: values.assets };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${(error as Error).message.split("\n")[0]} The options are --version, --dry-run and --assets`);
  }
}

function release({ wanted, isDry }: Options): void {
  const branch = git(root, "branch", "--show-current");
  if (branch === "" && !isDry) throw new Refusal("no branch is checked out: check out the branch to release from");
  const { current, version, reason, changes } = planRelease(root, wanted);
  console.log(`Tidings ${version} (${reason}; now ${current})${isDry ? ", dry run" : ""}\n`);
  step("check", `the tree is clean at ${git(root, "rev-parse", "--short", "HEAD")}, v${version} is free`);
  const copy = cloneRepository(root);
  let isKept = false;
  try {
    step("copy", copy);
    const out = join(copy, "release");
    prepare(copy, { current, version, changes });
    const { release, assets, skipped } = writeAssets(copy, out);
    for (const { name, bytes, sha256 } of assets)
      step("file", `${name}  ${bytes} bytes  sha256 ${sha256.slice(0, 16)}…`);
    for (const one of skipped) step("skipped", one);
    step("notes", "the text of the release:");
    indented(readFileSync(join(out, "release-notes.md"), "utf8").trimEnd().split("\n"));
    isKept = isDry;
    if (isDry) step("kept", `${copy}: nothing changed in ${root}`);
    else takeOver(copy, release.tag);
    printNetworkSteps(release, branch || "main");
  } finally {
    if (!isKept) rmSync(copy, { recursive: true, force: true });
  }
}

function prepare(
  copy: string,
  { current, version, changes }: { current: string; version: string; changes: number },
): void {
  const date = new Date().toISOString().slice(0, 10);
  const files = writeVersion(copy, current, { version, date });
  step("changelog", `[${version}] - ${date}, ${changes} ${changes === 1 ? "change" : "changes"}`);
  markInstalled(copy);
  execFileSync(process.execPath, ["scripts/generate.ts"], {
    cwd: copy,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 300_000,
  });
  const changed = git(copy, "status", "--porcelain")
    .split("\n")
    .map((line) => line.slice(3));
  step("version", `${current} → ${version} in ${files.length} files, and generated:`);
  indented(changed);
  git(copy, "commit", "--quiet", "--all", "--message", `release: ${version}`);
  git(copy, "tag", "--annotate", `v${version}`, "--message", `Tidings ${version}`);
  step("commit", git(copy, "log", "-1", "--format=%h %s (%an)"));
  step("tag", `v${version}`);
}

/** The commit comes by a fast-forward, which git refuses if the branch has moved meanwhile; then the tag. */
function takeOver(copy: string, tag: string): void {
  git(root, "fetch", "--quiet", "--no-tags", copy, "HEAD");
  try {
    git(root, "merge", "--quiet", "--ff-only", "FETCH_HEAD");
  } catch {
    throw new Refusal("the branch or the tree has changed meanwhile: nothing was taken over. Run the release again");
  }
  git(root, "fetch", "--quiet", "--no-tags", copy, `refs/tags/${tag}:refs/tags/${tag}`);
  step("done", `commit and tag are in ${root}; nothing was pushed`);
}

function printNetworkSteps(
  { version, tag, imageTags, npmTag }: ReturnType<typeof writeAssets>["release"],
  branch: string,
): void {
  console.log(
    `\nWith the network, .github/workflows/release.yml does the rest after \`git push origin ${branch} ${tag}\`:\n`,
  );
  step("check", ".ci/run on the tag");
  step("image", `<registry>/<repository> for linux/amd64 and linux/arm64, tags ${imageTags.join(", ")}`);
  step("", "with SBOM, provenance (mode=max) and a signed attestation");
  step("chart", `oci://<registry>/<repository>/charts, version ${version}`);
  step("npm", `client, inbox and cli with provenance, tag ${npmTag}, if the variable NPM_PUBLISH is "true"`);
  step("release", `${tag} with the notes and the files above`);
}

function run(): void {
  const options = readOptions();
  if (options.assets === undefined) {
    release(options);
    return;
  }
  const out = resolve(options.assets);
  const { assets, skipped } = writeAssets(root, out);
  console.log(`Tidings ${readVersion(root)}: ${assets.length} files in ${out}`);
  for (const one of skipped) step("skipped", one);
}

/** Programs that failed have printed why. */
const isFailedProgram = (error: unknown): boolean => error instanceof Error && "status" in error;

try {
  run();
} catch (error) {
  if (error instanceof Refusal) console.error(`release: ${error.message}.`);
  else if (isFailedProgram(error)) console.error(`release: ${(error as Error).message.split("\n")[0]}`);
  else throw error;
  process.exitCode = 1;
}
