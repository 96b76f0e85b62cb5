// Writes the declarations of a package for those who install it: the files that its entry points lead to, and no
// others, so that nobody needs the types of what is inside the bundles.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const compiler = (root) => join(root, "node_modules/typescript/bin/tsc");

/** TypeScript is a dev dependency: `npm start` builds without it, and needs no declarations. */
export const canBuildTypes = (root) => existsSync(compiler(root));

const relativeImport = /((?:from |import\()")(\.[^"]+)\.tsx?(?=")/g;

/** `entries` are sources, such as `src/index.ts`; the declarations of `src/index.ts` are `<outdir>/index.d.ts`. */
export function buildTypes(root, folder, outdir, entries) {
  const all = `${outdir}.all`;
  const folders = ["--rootDir", join(folder, "src"), "--outDir", all];
  const args = ["-p", folder, "--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--noCheck", ...folders];
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler(root), ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`no declarations of ${folder}: ${stdout}${stderr}`);
  const left = entries.map((entry) => entry.replace(/^src\//, "").replace(/\.tsx?$/, ".d.ts"));
  const written = new Set();
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (written.has(name)) continue;
    written.add(name);
    const text = readFileSync(join(all, name), "utf8");
    for (const [, , path] of text.matchAll(relativeImport)) left.push(join(dirname(name), `${path}.d.ts`));
    mkdirSync(dirname(join(outdir, name)), { recursive: true });
    // The names that the files have here end in .ts, which only a compiler with a special setting takes.
    writeFileSync(join(outdir, name), text.replaceAll(relativeImport, "$1$2.js"));
  }
  rmSync(all, { recursive: true });
}
