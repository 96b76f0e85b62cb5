// A project of a customer: an empty folder with the packages that npm installs into it. npm has its own cache and a
// registry that does not exist, so that nothing else can be installed.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { atEnd } from "@tidings/testkit/at-end";

export const root = join(import.meta.dirname, "../../../..");

type Manifest = { name: string; version: string };

/** The tarball that the build made of a package, with its name and version. */
export function tarballOf(short: string): Manifest & { file: string; path: string; integrity: string } {
  const dist = join(root, "packages", short, "dist");
  const files = JSON.parse(readFileSync(join(dist, "files.json"), "utf8")) as Record<
    string,
    { package?: Manifest & { integrity: string } }
  >;
  const [file, entry] = Object.entries(files).find(([, one]) => one.package)!;
  return { ...entry.package!, file, path: join(dist, file) };
}

export type Project = {
  folder: string;
  write(name: string, text: string): void;
  read(name: string): string;
  /** The output of a program; fails where the program does. */
  run(program: string, args: string[], env?: Record<string, string>): Promise<string>;
  npm(...args: string[]): Promise<string>;
  node(...args: string[]): Promise<string>;
  /** Compiles with the settings of a new project, in which declarations of packages are checked as well. */
  compile(options: object, files: string[]): Promise<string>;
  /** Packages of others, which the tests do not install again. */
  link(...names: string[]): void;
};

const strict = {
  strict: true,
  skipLibCheck: false,
  noUnusedLocals: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  target: "es2022",
};

export function openProject(manifest: object = {}): Project {
  const folder = mkdtempSync(join(tmpdir(), "tidings-project-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("package.json", JSON.stringify({ name: "customer", version: "1.0.0", private: true, ...manifest }));
  const base = {
    PATH: process.env.PATH!,
    HOME: folder,
    npm_config_cache: join(folder, ".npm"),
    npm_config_registry: "http://127.0.0.1:9/",
    // npm also asks for optional peers, and continues without them.
    npm_config_fetch_retries: "0",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
  const run: Project["run"] = async (program, args, env = {}) => {
    const running = promisify(execFile)(program, args, { cwd: folder, env: { ...base, ...env }, timeout: 60_000 });
    const { stdout } = await running.catch((error) =>
      assert.fail(`${program} ${args.join(" ")}\n${error.stdout}\n${error.stderr}`),
    );
    return stdout;
  };
  return {
    folder,
    write,
    read: (name) => readFileSync(join(folder, name), "utf8"),
    run,
    npm: (...args) => run("npm", args),
    node: (...args) => run(process.execPath, args),
    compile: (options, files) => {
      write("tsconfig.json", JSON.stringify({ compilerOptions: { ...strict, ...options }, files }));
      return run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
    },
    link: (...names) => {
      for (const name of names) {
        const place = join(folder, "node_modules", name);
        mkdirSync(dirname(place), { recursive: true });
        symlinkSync(join(root, "node_modules", name), place, "dir");
      }
    },
  };
}
