// `npm test`: a PostgreSQL of its own for the whole run, a migrated template database that every test file clones, then
// node's test runner over all packages. Arguments are passed on: `npm test -- packages/server/test/http/auth.test.ts`.
// With TEST_DATABASE_URL (a superuser's, database `postgres`) the same suite runs on another PostgreSQL server.
import { execFileSync, spawn } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startEmbedded } from "../packages/server/src/store/embedded/embedded.ts";
import { adminUrlOf, prepareTemplate, shortenSignIn } from "../packages/server/test/support/database.ts";
import { makeRunFolder } from "./test-folder.ts";
import { groupFiles, plainGroup } from "./test-groups.ts";

// Tests start the bundle of the service in processes of its own. A run without npm makes it here.
execFileSync(process.execPath, ["scripts/setup.mjs"], { stdio: "inherit" });

const args = process.argv.slice(2);
const isWhole = !args.some((arg) => arg.endsWith(".test.ts"));

// The databases of tests need not survive a crash; tests of durability start a server with its default settings.
const settings = {
  max_connections: "400",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  wal_compression: "off",
  max_wal_size: "256MB",
};

const given = process.env.TEST_DATABASE_URL;
const folder = makeRunFolder();
process.env.TMPDIR = folder;
const dataDir = join(folder, "postgres");
const database = given ? { url: given, stop: async () => {} } : await startEmbedded({ dataDir, settings });
const adminUrl = given ?? adminUrlOf(dataDir, database.url);
const suites = "packages/providers/test/**/suite.test.ts";
const wholeSuite = (): string[] => [
  ...groupFiles(globSync("packages/{cli,client,server}/test/**/*.test.ts"), folder),
  // Two long ones, of which the rest need not wait for the end.
  ...globSync(suites),
  plainGroup(globSync("packages/{contract,inbox,providers}/test/**/*.test.ts", { exclude: [suites] }), folder),
];

let code = 1;
try {
  if (!given) await shortenSignIn(adminUrl);
  await prepareTemplate(adminUrl);
  code = await new Promise<number>((resolve) => {
    // The time limit holds for a test and for a whole group.
    const options = ["--test", "--test-concurrency=3", "--test-timeout=900000"];
    const files = isWhole ? wholeSuite() : [];
    const child = spawn(process.execPath, [...options, ...args, ...files], {
      stdio: "inherit",
      // All groups load the same sources: with the cache, they are compiled once.
      env: { ...process.env, TEST_DATABASE_URL: adminUrl, NODE_COMPILE_CACHE: join(folder, "compiled") },
    });
    process.on("SIGINT", () => child.kill("SIGINT"));
    child.on("exit", (status) => resolve(status ?? 1));
  });
} finally {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(code);
