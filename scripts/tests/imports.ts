// Who imports whom, among the sources and tests of all packages.
import { globSync, readFileSync } from "node:fs";
import { importsOf, resolveImport } from "../../packages/server/test/support/law/structure.ts";

/**
 * Files that import everything. Most tests start the service, so following its imports would choose all of them after
 * every change; tests that use a changed file only through the service are found by the map instead (reach.ts).
 */
const roots = ["packages/server/src/service.ts", "packages/contract/src/index.ts", "packages/providers/src/index.ts"];

const testkit = "@tidings/testkit/";

/** All files that import one of these, directly or through others, but not through a root. */
export function reachedFrom(start: string[]): Set<string> {
  const importers = new Map<string, string[]>();
  for (const file of globSync("packages/*/{src,test}/**/*.{ts,tsx}"))
    for (const target of importsIn(file)) importers.set(target, [...(importers.get(target) ?? []), file]);
  const reached = new Set(start);
  for (const file of reached)
    if (!roots.includes(file)) for (const importer of importers.get(file) ?? []) reached.add(importer);
  return reached;
}

const importsIn = (file: string): string[] =>
  importsOf({ path: file, text: readFileSync(file, "utf8") }).flatMap((target) => {
    if (target.startsWith(".")) return resolveImport(file, target);
    return target.startsWith(testkit) ? `packages/testkit/src/${target.slice(testkit.length)}.ts` : [];
  });
