// The law of what starts, breaks and measures the service: the testkit, scripts/ and bench/. They may use all of the
// service, by its name, and nothing that is shipped uses them.
import type { Law, SourceFile } from "./law.ts";
import { importsOf, resolveImport } from "./structure.ts";

const testkit = "packages/testkit/";
const places = [testkit, "scripts/", "bench/"];

const placeOf = (path: string): string | undefined => places.find((place) => path.startsWith(place));

export const isTool = (path: string): boolean => placeOf(path) !== undefined;

/** Scripts may also use what tests of a package are written with, such as the seeds of the dashboard. */
const isOfTests = (path: string): boolean => /^packages\/[^/]+\/(?:test|scripts)\//.test(path);

export function toolFaults(file: SourceFile, law: Law): string[] {
  const own = placeOf(file.path)!;
  const isException = file.path in law.sourceReaders;
  return importsOf(file).flatMap((target) => {
    if (own === testkit && target.startsWith("@tidings/testkit"))
      return [`imports ${target}: within the testkit, imports are relative, so that a circle is found`];
    const path = target.startsWith(".") ? resolveImport(file.path, target) : own;
    if (path.startsWith(own) || (own !== testkit && isOfTests(path)) || isException) return [];
    return /^packages\/[^/]+\/src\//.test(path)
      ? [`imports ${target}: a package is imported by its name`]
      : [`imports ${target}: what testkit, scripts and bench share is in the testkit`];
  });
}

/** A dependency of a package is installed with it; tests have theirs among the dev dependencies. */
export const manifestFaults = (manifests: SourceFile[]): string[] =>
  manifests
    .filter(({ text }) => {
      const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(text);
      return "@tidings/testkit" in { ...dependencies, ...optionalDependencies, ...peerDependencies };
    })
    .map(({ path }) => `${path}: depends on the testkit, which is not shipped`);
