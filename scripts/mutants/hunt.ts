// Which test finds a mutant: the files near the changed one first, in batches that grow, until one fails. A failure
// counts if the file fails again alone, and passes without the mutant.
import { testsNear } from "../tests/changed.ts";
import { type Costs, readCosts, type Tier } from "../tests/costs.ts";
import { readReach } from "../tests/reach.ts";
import { allTests, filesOf } from "../tests/tiers.ts";
import { plant } from "./copy.ts";
import type { Mutant } from "./mutants.ts";
import { type Failed, type Outcome, runTests, type Suite } from "./suite.ts";

/** Compares the list with the sources, so it fails for every mutant. */
const ownTest = "packages/server/test/runner/mutants.test.ts";

/** The nearest files find most mutants. Every run starts a PostgreSQL, so the later batches are larger. */
const firstBatch = 2;
const largestBatch = 64;
/** Files by their paths, where the map of the tests does not know the source. */
const maxKin = 12;

export type Verdict = {
  mutant: Mutant;
  by: { command: "npm test" | "test:rest"; file: string; test: string } | null;
  /** Test files that ran with the mutant. */
  files: number;
  seconds: number;
  notes: string[];
};

export type Hunt = Suite & {
  /** All files, not only those near the mutant. */
  isWhole: boolean;
  /** Files that passed, or failed, in the copy without a mutant. */
  health: Map<string, "sound" | "unsound">;
};

export async function huntMutant(hunt: Hunt, mutant: Mutant): Promise<Verdict> {
  const start = performance.now();
  const verdict: Verdict = { mutant, by: null, files: 0, seconds: 0, notes: [] };
  for (const tier of ["gate", "rest"] as const) {
    const found = await huntInTier(hunt, verdict, tier);
    if (!found) continue;
    verdict.by = { command: tier === "gate" ? "npm test" : "test:rest", ...found };
    break;
  }
  return { ...verdict, seconds: (performance.now() - start) / 1000 };
}

async function huntInTier(hunt: Hunt, verdict: Verdict, tier: Tier): Promise<Failed | null> {
  const files = orderFiles(verdict.mutant, tier, hunt.isWhole).filter((file) => hunt.health.get(file) !== "unsound");
  for (let size = firstBatch; files.length > 0; size = Math.min(2 * size, largestBatch)) {
    const batch = files.splice(0, size);
    verdict.files += batch.length;
    const found = await huntInBatch(hunt, verdict, tier, batch);
    if (found) return found;
  }
  return null;
}

async function huntInBatch(hunt: Hunt, verdict: Verdict, tier: Tier, batch: string[]): Promise<Failed | null> {
  const outcome = await runWith(hunt, verdict.mutant, tier, batch);
  if (outcome.kind === "broken") {
    verdict.notes.push(`a run failed without a failed test: ${outcome.reason}`);
    return null;
  }
  for (const failed of outcome.failed) if (await isFinding(hunt, verdict, tier, failed)) return failed;
  if (outcome.late.length === 0) return null;
  verdict.notes.push(`did not end within their limits: ${outcome.late.join(", ")}`);
  // Results of the process that was ended with them are lost.
  const others = batch.filter((file) => !outcome.late.includes(file));
  return others.length > 0 && others.length < batch.length ? huntInBatch(hunt, verdict, tier, others) : null;
}

async function runWith(hunt: Hunt, mutant: Mutant, tier: Tier, files: string[]): Promise<Outcome> {
  const takeOut = plant(hunt.folder, mutant);
  try {
    return await runTests(hunt, tier, files);
  } finally {
    takeOut();
  }
}

/** A busy machine makes a test fail by chance, and some tests may not work in a copy. */
async function isFinding(hunt: Hunt, { mutant, notes }: Verdict, tier: Tier, { file }: Failed): Promise<boolean> {
  const again = await runWith(hunt, mutant, tier, [file]);
  if (!hasFailed(again, file)) {
    notes.push(`${file} failed with others, and passed alone`);
    return false;
  }
  if (!hunt.health.has(file)) {
    const without = await runTests(hunt, tier, [file]);
    hunt.health.set(file, hasPassed(without) ? "sound" : "unsound");
  }
  if (hunt.health.get(file) === "sound") return true;
  notes.push(`${file} fails without the mutant too`);
  return false;
}

const hasFailed = (outcome: Outcome, file: string): boolean =>
  outcome.kind === "ran" && outcome.failed.some((one) => one.file === file);

const hasPassed = (outcome: Outcome): boolean =>
  outcome.kind === "ran" && outcome.failed.length === 0 && outcome.late.length === 0;

/** Those that `npm test -- --changed` would run, nearest first; then, for a whole run, all others. */
function orderFiles({ file }: Mutant, tier: Tier, isWhole: boolean): string[] {
  const tests = filesOf(tier, allTests()).filter((test) => test !== ownTest);
  const costs = readCosts(null);
  const near = testsNear(tests, [file], costs).files;
  const kin = byKinship(
    tests.filter((test) => !near.includes(test)),
    file,
    costs,
  );
  if (isWhole) return [...near, ...kin];
  return file in readReach() ? near : [...near, ...kin.slice(0, maxKin)];
}

/** Files whose paths have most words in common with that of the source first, such as `mcp`; of those, the cheapest. */
function byKinship(tests: string[], source: string, costs: Costs): string[] {
  const wordsOf = (path: string) => [...new Set(path.split(/\W+/))];
  const own = wordsOf(source);
  const kinship = new Map(tests.map((test) => [test, wordsOf(test).filter((word) => own.includes(word)).length]));
  return tests.toSorted((a, b) => kinship.get(b)! - kinship.get(a)! || costs.cpuOf(a) - costs.cpuOf(b));
}
