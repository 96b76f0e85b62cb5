// The files of a release: tarballs of the packages and the chart, the list of what is in them (SBOM), notes, checksums,
// and release.json, by which the release workflow decides.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { releaseNotes } from "./changelog.ts";
import { git, Refusal, readChangelog, readVersion, releasedVersions } from "./plan.ts";
import { imageTags, parseVersion } from "./version.ts";

/** The packages that people install. The others are bundled into these, or into the service. */
const published = ["client", "inbox", "cli"];

/** A build takes seconds; the limit is for a machine that is busy. */
const timeout = 600_000;

type Release = {
  version: string;
  tag: string;
  isPrerelease: boolean;
  imageTags: string[];
  /** The distribution tag on npm. */
  npmTag: "latest" | "next" | "previous";
};

type Asset = { name: string; bytes: number; sha256: string };

function runNpm(folder: string, ...args: string[]): string {
  const npm = process.env.npm_execpath;
  const [program, first] = npm ? [process.execPath, [npm]] : ["npm", []];
  return execFileSync(program, [...first, ...args], { cwd: folder, encoding: "utf8", timeout, maxBuffer: 64e6 });
}

/** What HEAD releases; it must have the tag of its version. */
export function readRelease(folder: string): Release {
  const text = readVersion(folder);
  const version = parseVersion(text);
  const tag = `v${text}`;
  if (version === null || !git(folder, "tag", "--points-at", "HEAD").split("\n").includes(tag))
    throw new Refusal(`HEAD does not have the tag ${tag}, the version in package.json: check out a released version`);
  const isPrerelease = version.prerelease.length > 0;
  const tags = imageTags(version, releasedVersions(folder));
  const npmTag = isPrerelease ? "next" : tags.includes("latest") ? "latest" : "previous";
  return { version: text, tag, isPrerelease, imageTags: tags, npmTag };
}

/** Builds and writes the files of the release that HEAD is. */
export function writeAssets(folder: string, out: string): { release: Release; assets: Asset[]; skipped: string[] } {
  const release = readRelease(folder);
  const notes = releaseNotes(readChangelog(folder), release.version);
  if (notes === null) throw new Refusal(`CHANGELOG.md has no section for ${release.version}`);
  mkdirSync(out, { recursive: true });
  if (readdirSync(out).length > 0) throw new Refusal(`${out} is not empty: name another folder`);
  execFileSync(process.execPath, ["scripts/setup.mjs"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
    timeout,
  });
  for (const name of published) copyTarball(folder, `tidings-${name}-${release.version}.tgz`, out);
  writeFileSync(join(out, `tidings-${release.version}.cdx.json`), readSbom(folder));
  const skipped = packChart(folder, out);
  const assets = readdirSync(out)
    .sort()
    .map((name) => ({ name, bytes: statSync(join(out, name)).size, sha256: sha256Of(join(out, name)) }));
  writeFileSync(join(out, "SHA256SUMS"), assets.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(""));
  writeFileSync(join(out, "release-notes.md"), notes);
  writeFileSync(join(out, "release.json"), `${JSON.stringify(release, null, 2)}\n`);
  return { release, assets, skipped };
}

/** The build has the tarballs, which the service serves under /packages. */
function copyTarball(folder: string, name: string, out: string): void {
  const [built] = globSync(`packages/*/dist/${name}`, { cwd: folder });
  if (built === undefined) throw new Refusal(`the build has no ${name}`);
  copyFileSync(join(folder, built), join(out, name));
}

/** What the service consists of, by the lock file. npm gives it the name of the folder. */
function readSbom(folder: string): string {
  const format = ["--sbom-format=cyclonedx", "--sbom-type=application"];
  const sbom = JSON.parse(runNpm(folder, "sbom", ...format, "--package-lock-only", "--omit=dev"));
  sbom.metadata.component.name = "tidings";
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

const sha256Of = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/** Returns why there is no chart among the assets, if there is none. */
function packChart(folder: string, out: string): string[] {
  const [chart] = globSync("deploy/kubernetes/**/Chart.yaml", { cwd: folder });
  if (chart === undefined) return ["the chart: there is none in deploy/kubernetes"];
  try {
    execFileSync("helm", ["package", join(folder, dirname(chart)), "--destination", out], { timeout });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return ["the chart: helm is not installed here"];
  }
  return [];
}
