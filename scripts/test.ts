// `npm test`: its own PostgreSQL for the whole run, a migrated template database that test files clone, then node's
// test runner over all packages. Files and options of the runner can be given: `npm test --
// packages/server/test/http/auth.test.ts`. `--changed` runs the files that depend on what was changed since main,
// `--long` the long versions of those that have one, `--record` replaces the table of durations. `--again` runs files
// with a failed test once more, alone. With TEST_DATABASE_URL (a superuser's, database `postgres`) the same suite runs
// on another PostgreSQL server.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { adminUrlOf, prepareTemplate, shortenSignIn } from "@tidings/testkit/database";
import { startEmbedded } from "../packages/server/src/store/embedded/embedded.ts";
import { changedTests, longTests } from "./test-choice.ts";
import { makeRunFolder } from "./test-folder.ts";
import { recordSeconds, writePrograms } from "./test-lanes.ts";

// Tests start the bundle of the service in their own processes. A run without npm builds it here.
execFileSync(process.execPath, ["scripts/setup.mjs"], { stdio: "inherit" });

const { values, positionals } = parseArgs({
  options: {
    changed: { type: "boolean" },
    long: { type: "boolean" },
    record: { type: "boolean" },
    again: { type: "boolean" },
  },
  allowPositionals: true,
  // The options of node's runner are passed on.
  strict: false,
});
const own = new Set(["--changed", "--long", "--record", "--again"]);
const runnerOptions = process.argv.slice(2).filter((arg) => arg.startsWith("--") && !own.has(arg));

function chooseFiles(): string[] {
  if (positionals.length > 0) return positionals;
  const all = globSync("packages/*/test/**/*.test.ts");
  if (values.changed) return changedTests(all);
  return values.long ? longTests(all) : all;
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

async function run(): Promise<number> {
  const files = chooseFiles();
  if (files.length === 0) {
    console.log("no test file depends on what was changed");
    return 0;
  }
  const given = process.env.TEST_DATABASE_URL;
  const folder = makeRunFolder();
  process.env.TMPDIR = folder;
  const dataDir = join(folder, "postgres");
  const database = given ? { url: given, stop: async () => {} } : await startEmbedded({ dataDir, settings });
  const adminUrl = given ?? adminUrlOf(dataDir, database.url);
  try {
    if (!given) await shortenSignIn(adminUrl);
    await prepareTemplate(adminUrl);
    const env = {
      TEST_DATABASE_URL: adminUrl,
      // All lanes load the same sources: with the cache, they are compiled once.
      NODE_COMPILE_CACHE: join(folder, "compiled"),
      ...(values.long && { TEST_LONG: "1" }),
    };
    const failed = join(folder, "failed-files");
    const code = await startRunner(writePrograms(files, folder), env, values.again ? failed : undefined);
    if (values.record) recordSeconds(folder);
    return code !== 0 && existsSync(failed) ? await runAgain(readFileSync(failed, "utf8"), env) : code;
  } finally {
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** More files than this have not failed by chance. */
const maxAgain = 3;

/**
 * A test that fails because two cores had too much to do does not stop a release; a test that fails alone does. A
 * failure by chance is an error of the test or of the service all the same, so it is printed last.
 */
async function runAgain(failed: string, env: Record<string, string>): Promise<number> {
  const files = [...new Set(failed.trim().split("\n"))];
  if (files.length > maxAgain || files.some((file) => !existsSync(file))) return 1;
  for (const file of files) {
    console.log(`\nAGAIN, ALONE: ${file}\n`);
    if ((await startRunner([file], env)) !== 0) return 1;
  }
  console.log(`\nUNSTABLE: failed with others, passed alone. Find out why:\n  ${files.join("\n  ")}\n`);
  return 0;
}

/** `failed`: a file for the names of the files that have a failed test. */
function startRunner(programs: string[], env: Record<string, string>, failed?: string): Promise<number> {
  // The time limit holds for a test and for a whole lane, which takes half an hour on a slow machine.
  const limit = `--test-timeout=${values.long ? 7_200_000 : 3_600_000}`;
  const reporters = failed
    ? [
        ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
        ...["--test-reporter=./scripts/failed-files.ts", `--test-reporter-destination=${failed}`],
      ]
    : [];
  const options = ["--test", "--test-concurrency=3", limit, ...reporters, ...runnerOptions];
  const child = spawn(process.execPath, [...options, ...programs], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  process.on("SIGINT", () => child.kill("SIGINT"));
  return new Promise((resolve) => child.on("exit", (status) => resolve(status ?? 1)));
}

process.exit(await run());
