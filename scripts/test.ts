// `npm test`, `npm run test:rest`, `npm run test:long`: their own PostgreSQL for the whole run, a migrated template
// database that test files clone, then node's test runner over the files of a tier. Files and options of the runner can
// be given: `npm test -- packages/server/test/http/auth.test.ts` runs the tests of a file whatever their tier is. With
// TEST_DATABASE_URL (a superuser's, database `postgres`) the same tests run on another PostgreSQL server. The options
// are listed in CONTRIBUTING.md.
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startEmbedded } from "@tidings/server/source/store/embedded/embedded";
import { adminUrlOf, prepareTemplate, shortenSignIn } from "@tidings/testkit/database";
import { changedTests } from "./tests/changed.ts";
import { readCosts, recordCosts, type Tier } from "./tests/costs.ts";
import { cpuSeconds } from "./tests/cpu.ts";
import { makeRunFolder } from "./tests/folder.ts";
import { writePrograms } from "./tests/lanes.ts";
import { recordReach } from "./tests/reach.ts";
import type { Result } from "./tests/reporter.ts";
import { measureSlowness } from "./tests/slowness.ts";
import { allTests, filesOf, shardOf } from "./tests/tiers.ts";
import { checkBudget, failedFiles, measuredIn, printCounts, printVerdict, readResults } from "./tests/verdict.ts";
import { watchLanes } from "./tests/watch.ts";

// Tests start the bundle of the service in their own processes. A run without npm builds it here.
execFileSync(process.execPath, ["scripts/setup.mjs"], { stdio: "inherit" });

const options = {
  tier: { type: "string", default: "gate" },
  shard: { type: "string" },
  changed: { type: "boolean" },
  again: { type: "boolean" },
  record: { type: "boolean" },
  map: { type: "boolean" },
  results: { type: "string" },
} as const;
// The options of node's runner are passed on.
const { values, positionals, tokens } = parseArgs({ options, allowPositionals: true, strict: false, tokens: true });
const runnerOptions = tokens.flatMap((token) =>
  token.kind === "option" && !(token.name in options)
    ? [token.inlineValue ? `${token.rawName}=${token.value}` : token.rawName]
    : [],
);
const tier = values.tier as Tier;
/** Named files run with the tests of every tier. */
const isNamed = positionals.length > 0;
const isWhole = !isNamed && !values.changed && !values.shard;
const costs = readCosts(isNamed || values.changed ? null : tier);

function chooseFiles(): string[] {
  if (isNamed) return positionals.map((file) => file.replace(/^\.\//, ""));
  const all = allTests();
  if (values.changed) return chooseChanged(all);
  const files = filesOf(tier, all);
  return typeof values.shard === "string" ? shardOf(files, values.shard, costs) : files;
}

function chooseChanged(all: string[]): string[] {
  const { files, leftOut, reachesAll } = changedTests(filesOf("gate", all).concat(filesOf("rest", all)), costs);
  if (reachesAll) {
    console.log("the change can reach every test: all of npm test runs");
    return filesOf("gate", all);
  }
  if (files.length === 0) console.log("no test file depends on what was changed");
  else
    console.log(
      `${files.length} files near the change${leftOut > 0 ? `; ${leftOut} more are left to the whole run` : ""}`,
    );
  return [...new Set(files)];
}

// The databases of tests need not survive a crash; tests of durability start a server with its default settings.
const settings = {
  max_connections: "400",
  max_prepared_transactions: "10",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  wal_compression: "off",
  max_wal_size: "256MB",
};

const minute = 60_000;
/** A file may take so long at least, whatever it took when it was recorded. */
const fileLimitMs = tier === "long" ? 120 * minute : tier === "rest" ? 6 * minute : 4 * minute;
const runLimitMs = (tier === "long" ? 240 : 60) * minute;

async function run(): Promise<number> {
  const files = chooseFiles();
  if (files.length === 0) return 0;
  const start = { wall: Date.now(), cpu: cpuSeconds(), slowness: measureSlowness() };
  const given = process.env.TEST_DATABASE_URL;
  const folder = makeRunFolder();
  process.env.TMPDIR = folder;
  const dataDir = join(folder, "postgres");
  const database = given ? { url: given, stop: async () => {} } : await startEmbedded({ dataDir, settings });
  const adminUrl = given ?? adminUrlOf(dataDir, database.url);
  try {
    if (!given) await shortenSignIn(adminUrl);
    await prepareTemplate(adminUrl);
    const first = await runFiles(files, folder, adminUrl);
    printVerdict({ folder, ...first, command: "npm test --" });
    const again = first.code !== 0 && values.again ? await passAlone(first.results, folder, adminUrl) : null;
    const isGood = first.code === 0 || again !== null;
    if (typeof values.results === "string") copyFileSync(first.file, values.results);
    if (values.record && isWhole) recordCosts(tier, measuredIn(folder));
    if (values.map) recordReach(folder, costs);
    await database.stop();
    const slowness = Math.max(start.slowness, measureSlowness());
    const spent = { cpu: cpuSeconds() - start.cpu, wallMs: Date.now() - start.wall, slowness };
    const hasBudget = isWhole && tier === "gate" && !values.map;
    const isCheap = checkBudget(spent, folder, costs, hasBudget);
    printCounts(again ?? first.results);
    return isGood && isCheap ? 0 : 1;
  } finally {
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Outcome = { results: Result[]; code: number; file: string };

/** Runs the files in lanes, which keep their notes in the folder. */
async function runFiles(files: string[], folder: string, adminUrl: string): Promise<Outcome> {
  const programs = writePrograms(files, folder, costs, fileLimitMs);
  const results = join(folder, "results.jsonl");
  writeFileSync(results, "");
  const env = {
    TEST_DATABASE_URL: adminUrl,
    TEST_RESULTS: results,
    // All lanes load the same sources: with the cache, they are compiled once, and not again in the next run.
    NODE_COMPILE_CACHE: resolve("node_modules/.cache/tidings-tests/compiled"),
    ...(!isNamed && !values.changed && tier !== "long" && { TEST_TIER: tier }),
    ...(tier === "long" && { TEST_LONG: "1" }),
    ...(values.map && { TEST_REACH: "1" }),
  };
  const stopWatching = watchLanes(folder, files.length);
  const code = await startRunner(programs, env);
  stopWatching();
  return { results: readResults(results), code, file: results };
}

/** More files than this have not failed by chance. */
const maxAgain = 3;

/**
 * A test that fails because two cores had too much to do does not stop a release; a test that fails alone does. A
 * failure by chance is an error of the test or of the service all the same, so it is printed last. Returns the results
 * of the whole run, or null where a file failed again.
 */
async function passAlone(results: Result[], folder: string, adminUrl: string): Promise<Result[] | null> {
  const files = failedFiles({ results, folder });
  if (files.length === 0 || files.length > maxAgain || files.some((file) => !existsSync(file))) return null;
  let merged = results.filter(({ file }) => !files.includes(file));
  for (const [index, file] of files.entries()) {
    console.log(`\nAGAIN, ALONE: ${file}\n`);
    const own = join(folder, `again-${index}`);
    mkdirSync(own);
    const outcome = await runFiles([file], own, adminUrl);
    if (outcome.code !== 0) return null;
    merged = [...merged, ...outcome.results];
  }
  console.log(`\nUNSTABLE: failed with others, passed alone. Find out why:\n  ${files.join("\n  ")}\n`);
  return merged;
}

function startRunner(programs: string[], env: Record<string, string>): Promise<number> {
  // The lane adds a test at the end of each file, which a pattern for names must not leave out.
  const hasPattern = runnerOptions.some((option) => option.startsWith("--test-name-pattern"));
  const own = hasPattern ? ["--test-name-pattern=/^(end of|loading) /"] : [];
  const reporter = ["--test-reporter=./scripts/tests/reporter.ts", "--test-reporter-destination=stdout"];
  // The limit of the runner is for a whole lane; that of a file is in lane.ts.
  const limits = [`--test-concurrency=${programs.length}`, `--test-timeout=${runLimitMs}`];
  const child = spawn(process.execPath, ["--test", ...limits, ...reporter, ...runnerOptions, ...own, ...programs], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  process.on("SIGINT", () => child.kill("SIGINT"));
  return new Promise((resolve) => child.on("exit", (status) => resolve(status ?? 1)));
}

process.exit(await run());
