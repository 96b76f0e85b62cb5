// Which functions of the sources a test file runs, from V8's own counters: a lane reads them after every file.
import { writeFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { reachOf } from "./lanes.ts";

const session = new Session();

export function beginReach(): void {
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
}

/** Functions by source, each as its name and place. The counters start again at zero. */
export function writeReach(testFile: string, folder: string): void {
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error) throw error;
    const sources = result.flatMap((script) => {
      const source = sourceOf(script.url);
      const functions = script.functions
        .filter(hasRun)
        .map(({ functionName, ranges }) => `${functionName}@${ranges[0]!.startOffset}`);
      return source && functions.length > 0 ? [[source, functions]] : [];
    });
    const file = join(reachOf(folder), `${testFile.replaceAll("/", "+")}.json`);
    writeFileSync(file, JSON.stringify({ test: testFile, sources: Object.fromEntries(sources) }));
  });
}

const sourceOf = (url: string): string | null => {
  if (!url.startsWith("file:")) return null;
  const path = relative(".", fileURLToPath(url)).replaceAll("\\", "/");
  return /^packages\/[^/]+\/src\//.test(path) ? path : null;
};

/** What has no name runs when its module is loaded, which says nothing about a test. */
const hasRun = ({ functionName, ranges }: Profiler.FunctionCoverage): boolean =>
  functionName !== "" && ranges[0]!.count > 0;
