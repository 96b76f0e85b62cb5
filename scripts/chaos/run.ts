// `npm run chaos [-- names]`: breaks the database under load in the ways of scenarios.ts, and compares what was
// accepted with what came out. Prints a table, and fails if an accepted event was lost, is in an inbox twice, or is
// missing in a live stream. Needs PostgreSQL's server programs, and PgBouncer and libfaketime for their scenarios.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { sql } from "kysely";
import { progress, sleep } from "../../bench/support.ts";
import { compareUntilComplete, drainMs, isComplete } from "./compare.ts";
import { startLoad } from "./load.ts";
import { type Stage, scenarios } from "./scenarios.ts";
import { openWorld, type World, withDb } from "./world.ts";

/** Under load before something is broken, and after it is repaired. */
const beforeMs = 10_000;
const afterMs = 20_000;

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !(name in scenarios));
if (unknown) {
  console.error(`there is no scenario "${unknown}". Scenarios: ${Object.keys(scenarios).join(", ")}`);
  process.exit(2);
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

let hasFailed = false;
for (const [name, { about, prepare }] of Object.entries(scenarios)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name}: ${about}`);
  progress("preparing PostgreSQL …");
  const stage = await prepare();
  try {
    const world = await openWorld({ ...stage, databaseUrl: stage.databaseUrl() });
    try {
      if (!(await runScenario(stage, world))) hasFailed = true;
    } finally {
      await world.close();
    }
  } finally {
    await stage.close();
  }
}
process.exitCode = hasFailed ? 1 : 0;

async function runScenario(stage: Stage, world: World): Promise<boolean> {
  // A machine that is too busy stops everybody; the figures then say little.
  const pauses = monitorEventLoopDelay({ resolution: 20 });
  pauses.enable();
  const load = startLoad(world);
  await sleep(beforeMs);
  progress("the fault begins …");
  await stage.breakIt();
  progress("the fault is repaired …");
  const recovery = measureRecovery(stage.databaseUrl());
  await sleep(afterMs);
  await load.stop();
  const endedAt = performance.now();
  progress("the load has ended …");
  const comparison = await compareUntilComplete(world, load, stage.databaseUrl());
  const outage = load.outage();
  const statuses = [...outage.statuses].map(([status, count]) => `${count} × ${status}`).join(", ");
  const rows: [string, string | number][] = [
    ["accepted", `${comparison.accepted} (${[...comparison.byKind].map((one) => one.join(" ")).join(", ")})`],
    ["never accepted", load.unaccepted.length],
    ["lost", comparison.lost.length],
    ["in-app twice", comparison.twice.length],
    ["provider calls repeated", comparison.repeatedCalls],
    ["live inbox gaps", comparison.gaps.length],
    ["reconnections of inboxes", world.inboxes.reduce((sum, inbox) => sum + inbox.reconnections(), 0)],
    ["failed requests", outage.failures === 0 ? "0" : `${outage.failures} (${statuses})`],
    ["outage", `${outage.seconds.toFixed(1)} s`],
    ["longest without a 201", `${outage.silentSeconds.toFixed(1)} s`],
    ["recovery", `${(await recovery).toFixed(1)} s`],
    ["longest pause of the load", `${(pauses.max / 1e9).toFixed(1)} s`],
    ["complete after the load", `${((performance.now() - endedAt) / 1000).toFixed(1)} s`],
  ];
  for (const [what, value] of rows) console.log(`  ${what.padEnd(26)}${value}`);
  for (const one of [...comparison.lost, ...comparison.twice, ...comparison.gaps].slice(0, 10))
    console.log(`    ${one}`);
  const isFine = isComplete(comparison) && comparison.twice.length === 0 && load.unaccepted.length === 0;
  console.log(isFine ? "  fine" : "  FAILED");
  return isFine;
}

/** In seconds from now: until no task has been due for more than two seconds. */
async function measureRecovery(databaseUrl: string): Promise<number> {
  const begun = performance.now();
  return withDb(databaseUrl, async (db) => {
    for (;;) {
      const { rows } = await sql<{ late: number }>`
        select count(*) as late from queue.job_common
        where state <= 'active' and start_after < now() - interval '2 seconds'`.execute(db);
      const seconds = (performance.now() - begun) / 1000;
      if (rows[0]!.late === 0 || seconds > drainMs / 1000) return seconds;
      await sleep(250);
    }
  });
}
