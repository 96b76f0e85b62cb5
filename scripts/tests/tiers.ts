// Which test files a run has. The tier of a file is in its name and nowhere else: `<name>.test.ts` belongs to the gate
// (`npm test`), `<name>.rest.test.ts` to `npm run test:rest`, `<name>.long.test.ts` to `npm run test:long`. A file with
// browser tests may have tests of two tiers: its journeys run in the gate, its other browser tests in the rest.
import { globSync, readFileSync } from "node:fs";
import type { Costs, Tier } from "./costs.ts";
import { reachedFrom } from "./imports.ts";

export const allTests = (): string[] => globSync("packages/*/test/**/*.test.ts").toSorted();

const ownTier = (file: string): Tier => (/\.(rest|long)\.test\.ts$/.exec(file)?.[1] as Tier | undefined) ?? "gate";

/** The files that have a test of the tier. */
export function filesOf(tier: Tier, files: string[]): string[] {
  const own = files.filter((file) => ownTier(file) === tier);
  if (tier === "gate") return own;
  const hasMore = tier === "rest" ? hasBrowserTests : hasLongVersion();
  return files.filter((file) => own.includes(file) || (ownTier(file) !== "long" && hasMore(file)));
}

/** A file of the gate may have browser tests that are not journeys. */
const hasBrowserTests = (file: string): boolean =>
  ownTier(file) === "gate" && readFileSync(file, "utf8").includes("browserTest(");

function hasLongVersion(): (file: string) => boolean {
  const reached = reachedFrom(["packages/testkit/src/long.ts"]);
  return (file) => reached.has(file);
}

/**
 * The files of part `n` of `m`, about as dear as those of every other part. Which part a file is in depends on the
 * recorded costs alone, so all machines of a run agree.
 */
export function shardOf(files: string[], shard: string, costs: Costs): string[] {
  const [, n, m] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(shard) ?? [];
  if (!n || !m || Number(n) > Number(m)) throw new Error(`--shard is n/m, such as 2/6, not ${shard}`);
  const parts = Array.from({ length: Number(m) }, () => ({ cpu: 0, files: [] as string[] }));
  const dearestFirst = files.toSorted((a, b) => costs.cpuOf(b) - costs.cpuOf(a) || a.localeCompare(b));
  for (const file of dearestFirst) {
    const least = parts.reduce((a, b) => (b.cpu < a.cpu ? b : a));
    least.files.push(file);
    least.cpu += costs.cpuOf(file);
  }
  return parts[Number(n) - 1]!.files;
}
