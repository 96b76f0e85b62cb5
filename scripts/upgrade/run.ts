// `npm run test:upgrade`: an installation of the last release under load, whose processes are replaced one after the
// other by those of this checkout, and then back again, on the same database. Ends with 1 if an accepted event was lost
// or came twice, a request failed, or a live inbox has a gap.
//
//   npm run test:upgrade                         from the newest tag v*
//   npm run test:upgrade -- --from <tag or commit>
//   npm run test:upgrade -- --no-return          not back again
import { rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { startEmbedded } from "@tidings/server/source/store/embedded/embedded";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { type Balancer, startBalancer } from "@tidings/testkit/proxies/balancer";
import { sql } from "kysely";
import { makeRunFolder } from "../tests/folder.ts";
import { type Build, buildEarlier, findLastRelease, requireListed, thisBuild } from "./builds.ts";
import { compareUntilComplete, isComplete } from "./compare.ts";
import { startFleet } from "./fleet.ts";
import { type Load, startLoad } from "./load.ts";
import { startReads } from "./reads.ts";
import { furnishWorld, makeKeys, type World, withDb } from "./world.ts";

/** Between the steps, under load. */
const pauseMs = 10_000;
/** Longer than a process takes to be replaced: digests and delays are open while it is. */
const seconds = { delay: 12, digest: 15 };

const { values } = parseArgs({ options: { from: { type: "string" }, "no-return": { type: "boolean" } } });

/** PostgreSQL outlives this process unless it is stopped. The processes of the service end with it. */
let stopDatabase = async () => {};
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => void stopDatabase().finally(() => process.exit(130)));

const from = values.from ?? findLastRelease();
const earlier = buildEarlier(from);
requireListed(from, earlier);
process.exitCode = (await runUpgrade(earlier, thisBuild())) ? 0 : 1;

async function runUpgrade(before: Build, after: Build): Promise<boolean> {
  console.log(`\nupgrade from ${before.name}, schema ${before.schema}, to ${after.name}, schema ${after.schema}`);
  const folder = makeRunFolder();
  const database = await startEmbedded({ dataDir: join(folder, "data"), settings: { max_connections: "250" } });
  stopDatabase = async () => {
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const balancer = await startBalancer();
  try {
    const keys = makeKeys();
    const settings = { ...keys, TIDINGS_THREADS: "1", DATABASE_URL: database.url };
    progress(`starting three processes of ${before.name} …`);
    const fleet = await startFleet(before, settings, balancer);
    // Texts are numbered over all kinds.
    const isTextRefusedFirst = (text: string) => Number(text.split("-")[1]) % 7 < 2;
    const surroundings = { urls: [balancer.url], keys, databaseUrl: database.url, seconds, isTextRefusedFirst };
    const world = await furnishWorld(surroundings);
    // A machine that is too busy stops everybody; the figures then say little.
    const pauses = monitorEventLoopDelay({ resolution: 20 });
    pauses.enable();
    const load = startLoad(world);
    const reads = startReads(world);
    const open: Waiting[] = [];
    const note = async () => void open.push(await countWaiting(database.url));
    await sleep(pauseMs);
    await fleet.replaceBy(after, note);
    await sleep(pauseMs);
    if (!values["no-return"]) {
      await fleet.replaceBy(before, note);
      await sleep(pauseMs);
    }
    await Promise.all([load.stop(), reads.stop()]);
    progress("the load has ended …");
    console.log(`  ${"longest pause of the load".padEnd(26)}${(pauses.max / 1e9).toFixed(1)} s`);
    console.log(`  ${"load of the machine".padEnd(26)}${loadavg()[1]!.toFixed(1)} on ${cpus().length} cores`);
    const isFine = await report({ world, load, reads, balancer, open, databaseUrl: database.url });
    await world.close();
    await fleet.stop();
    return isFine;
  } finally {
    balancer.close();
    await stopDatabase();
  }
}

type Waiting = { digests: number; delays: number; retries: number };

/** What is open while two programs share the database. */
function countWaiting(databaseUrl: string): Promise<Waiting> {
  return withDb(databaseUrl, async (db) => {
    const { rows } = await sql<Waiting>`select
      (select count(*) from jobs where type = 'digest' and status = 'delayed') as digests,
      (select count(*) from jobs where type = 'delay' and status = 'delayed') as delays,
      (select count(*) from queue.job_common where name = 'deliver' and state in ('created', 'retry')
        and start_after > now()) as retries`.execute(db);
    return rows[0]!;
  });
}

type Outcome = {
  world: World;
  load: Load;
  reads: ReturnType<typeof startReads>;
  balancer: Balancer;
  open: Waiting[];
  databaseUrl: string;
};

async function report({ world, load, reads, balancer, open, databaseUrl }: Outcome): Promise<boolean> {
  const comparison = await compareUntilComplete(world, load, databaseUrl);
  const outage = load.outage();
  const statuses = new Map([...outage.statuses, ...reads.failures]);
  const failed = [...statuses].map(([status, count]) => `${count} × ${status}`).join(", ");
  const range = (kind: keyof Waiting) => {
    const counts = open.map((one) => one[kind]);
    return `${kind} ${Math.min(...counts)} to ${Math.max(...counts)}`;
  };
  const { setAside, retried } = await withDb(databaseUrl, async (db) => {
    const found = await sql<{ setAside: number; retried: number }>`select
      (select count(*) from failed_tasks) as "setAside",
      (select count(*) from (select 1 from attempts group by message_id having count(*) > 1) as m) as retried`.execute(
      db,
    );
    return found.rows[0]!;
  });
  const rows: [string, string | number][] = [
    ["processes replaced", open.length],
    ["open meanwhile", (["digests", "delays", "retries"] as const).map(range).join(", ")],
    ["accepted", `${comparison.accepted} (${[...comparison.byKind].map((one) => one.join(" ")).join(", ")})`],
    ["sent after a retry", retried],
    ["never accepted", load.unaccepted.length],
    ["lost", comparison.lost.length],
    ["in-app twice", comparison.twice.length],
    ["provider calls repeated", comparison.repeatedCalls],
    ["live inbox gaps", comparison.gaps.length],
    ["reconnections of inboxes", world.inboxes.reduce((sum, inbox) => sum + inbox.reconnections(), 0)],
    ["reads", reads.count()],
    ["failed requests", failed || "0"],
    ["no process was ready for", balancer.unserved()],
    ["tasks set aside", setAside],
    ["longest without a 201", `${outage.silentSeconds.toFixed(1)} s`],
  ];
  for (const [what, value] of rows) console.log(`  ${what.padEnd(26)}${value}`);
  for (const one of [...comparison.lost, ...comparison.twice, ...comparison.gaps].slice(0, 10))
    console.log(`    ${one}`);
  const counts = [comparison.twice.length, comparison.repeatedCalls, load.unaccepted.length, statuses.size, setAside];
  const isFine = isComplete(comparison) && counts.every((count) => count === 0);
  console.log(isFine ? "  fine" : "  FAILED");
  return isFine;
}
