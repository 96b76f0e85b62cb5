// The declarations of the packages that others install, in the folder `types` of each: those that the entry points lead
// to, and no others. They are committed, so that a build needs no compiler and a change of what applications see is
// visible in review.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { apiTypes } from "./api-types.ts";

/** `content` is null for a file that is no longer generated. */
type Declaration = { path: string; content: string | null };

const root = dirname(import.meta.dirname);

/** A package without `formats` is for ES modules only. */
const packages = [
  { name: "client", entries: ["index"], formats: ["ts", "cts"] },
  { name: "inbox", entries: ["index", "define", "react/index"], formats: ["ts"] },
] as const;

export function declarations(): Declaration[] {
  const written = [apiTypes(), ...packages.flatMap(declarationsOf)];
  const paths = new Set(written.map(({ path }) => path));
  const stale = packages.flatMap(({ name }) => filesIn(`packages/${name}/types`)).filter((path) => !paths.has(path));
  return [...written, ...stale.map((path) => ({ path, content: null }))];
}

/** Relative to the root of the repository. */
const filesIn = (folder: string): string[] =>
  globSync(`${folder}/**/*`, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));

function declarationsOf({ name, entries, formats }: (typeof packages)[number]): Declaration[] {
  const all = mkdtempSync(join(tmpdir(), "tidings-declarations-"));
  try {
    compile(join(root, "packages", name), all);
    const modules = reachableFrom(entries, all);
    return formats.flatMap((format) =>
      [...modules].map(([module, text]) => ({
        path: `packages/${name}/types/${module}.d.${format}`,
        content: `// Generated from packages/${name}/src by \`npm run generate\`. Do not edit.\n${renamed(text, format)}`,
      })),
    );
  } finally {
    rmSync(all, { recursive: true });
  }
}

function compile(folder: string, outdir: string): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const folders = ["--rootDir", join(folder, "src"), "--outDir", outdir];
  const args = ["-p", folder, "--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--noCheck", ...folders];
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`no declarations of ${folder}: ${stdout}${stderr}`);
}

const relativeImport = /((?:from |import\()")(\.[^"]+)\.tsx?(?=")/g;

/** The text of the modules that the entries lead to, by their names. */
function reachableFrom(entries: readonly string[], folder: string): Map<string, string> {
  const modules = new Map<string, string>();
  const left = [...entries];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (modules.has(name)) continue;
    const text = readFileSync(join(folder, `${name}.d.ts`), "utf8");
    modules.set(name, text);
    for (const [, , path] of text.matchAll(relativeImport)) left.push(join(dirname(name), path!));
  }
  return modules;
}

/**
 * Modules have the names of what is built, and the contract is the file with the types of the API: a CommonJS
 * declaration, which both formats may import.
 */
const renamed = (text: string, format: "ts" | "cts"): string =>
  text
    .replaceAll(relativeImport, format === "cts" ? "$1$2.cjs" : "$1$2.js")
    .replaceAll('"@tidings/contract"', '"./api.cjs"');
