// One run: the stage is built, the load starts, the plan's faults are injected, everything comes to rest, and the
// auditor judges what was seen.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { progress } from "@tidings/testkit/load/progress";
import { sleep, within } from "@tidings/testkit/programs/limits";
import type { PlannedFault, Run } from "../auditor/evidence.ts";
import { type Build, buildEarlier, findLastRelease, thisBuild } from "../upgrade/builds.ts";
import { type Conductor, createConductor } from "./conductor.ts";
import { openEvidence } from "./evidence-writer.ts";
import { prepareLoad } from "./load/load.ts";
import { type Options, root } from "./options.ts";
import type { ChaosLoad, EvidenceWriter } from "./parts.ts";
import { lastSecond } from "./plan.ts";
import { type ChaosStage, openStage } from "./stage/stage.ts";

const progressMs = 10_000;
const liveInboxes = 40;
/** How long each part may take beyond its own limits. */
const limitsMs = { prepare: 180_000, stop: 120_000, drain: 420_000, finals: 900_000, close: 180_000, audit: 1_800_000 };
const drainMs = 300_000;

export function describePlan({ seed, minutes, except }: Options, plan: PlannedFault[]): string {
  const lines = plan.map(({ fault, startSeconds, seconds, target }) => {
    const start = `${Math.floor(startSeconds / 60)}:${(startSeconds % 60).toFixed(1).padStart(4, "0")}`;
    return `  ${start.padStart(7)}  ${fault.padEnd(24)}${`${seconds} s`.padStart(5)}  ${target}`;
  });
  const kinds = new Set(plan.map(({ fault }) => fault)).size;
  const head = `seed ${seed}, ${minutes} minutes, ${plan.length} faults of ${kinds} kinds`;
  const leftOut = except.length > 0 ? [`  left out, because of --embedded: ${except.join(", ")}`] : [];
  return [head, ...lines, ...leftOut].join("\n");
}

/** What a run says of the service: `unclear` if something was still in progress when it was judged. */
type Result = "kept" | "broken" | "unclear";

export async function runChaos(options: Options, plan: PlannedFault[]): Promise<Result> {
  const { folder, seed, pace } = options;
  console.log(`evidence: ${folder}`);
  let conductor: Conductor | null = null;
  // First: this process waits while it builds, and could lose connections.
  const earlier = plan.some(({ fault }) => fault === "upgrade") ? buildBefore(options.before) : null;
  progress("starting PostgreSQL and two processes of the service …");
  const inEffect = () => conductor?.inEffect() ?? [];
  const stage = await openStage({ folder, earlier, isEmbedded: options.isEmbedded, inEffect });
  const evidence = openEvidence(folder);
  progress("preparing the load …");
  const preparing = prepareLoad(stage, evidence, { seed, pace, inboxes: liveInboxes });
  const load = await within(limitsMs.prepare, "the preparation of the load", preparing);
  const versions = await readVersions(stage, earlier?.name);
  conductor = createConductor({ seed, plan, lastSecond: lastSecond(options.minutes * 60), stage, load, evidence });
  const run: Run = {
    ...{ seed, versions, plan, ...load.described },
    ...{ startedAt: Date.now(), loadEndedAt: 0, endedAt: 0 },
    machine: {
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / 1024 ** 3),
      platform: `${process.platform} ${process.arch}`,
    },
  };
  evidence.run(run);
  // A machine that is too busy stops everything; the figures then say little.
  const pauses = monitorEventLoopDelay({ resolution: 20 });
  pauses.enable();
  await runLoad(load, conductor, options.minutes);
  run.loadEndedAt = Date.now();
  run.isDrained = await bringToRest(load, stage);
  run.endedAt = Date.now();
  evidence.run(run);
  await evidence.close();
  const areKept = options.isAudited ? await audit(folder, stage.databaseUrl()) : true;
  await within(limitsMs.close, "closing", Promise.all([load.close(), stage.close()]));
  const { isDrained } = run;
  summarize(conductor, stage, load, { isDrained, longestPauseMs: pauses.max / 1e6 });
  return areKept ? (isDrained ? "kept" : "unclear") : "broken";
}

/** `name`: a tag or commit; the last tag by default. */
function buildBefore(name: string | undefined): Build | null {
  try {
    return buildEarlier(name ?? findLastRelease());
  } catch (error) {
    progress(`the version to upgrade from could not be built: ${(error as Error).message}`);
    return null;
  }
}

async function runLoad(load: ChaosLoad, conductor: Conductor, minutes: number): Promise<void> {
  progress("the load begins");
  const figures = () => Object.entries(load.figures()).map(([name, value]) => `${name} ${value}`);
  const timer = setInterval(() => {
    progress([...figures(), conductor.inEffect().join(" + ") || "no fault"].join(", "));
  }, progressMs);
  try {
    load.start();
    // Its last fault may be over long before the end of the load, or a little after it.
    await Promise.all([conductor.run(), sleep(minutes * 60_000)]);
  } finally {
    clearInterval(timer);
  }
}

async function bringToRest(load: ChaosLoad, stage: ChaosStage): Promise<boolean> {
  progress("the load ends …");
  await within(limitsMs.stop, "the end of the load", load.stop());
  const missing = await stage.waitUntilWhole(60_000);
  if (missing) progress(`NOT WHOLE after the load: ${missing}`);
  progress("waiting until nothing is in progress …");
  const isDrained = await within(limitsMs.drain, "the drain", load.drain(drainMs));
  if (!isDrained) progress(`SOMETHING IS STILL IN PROGRESS ${drainMs / 1_000} s after the load`);
  progress("reading what clients see …");
  await within(limitsMs.finals, "reading the finals", load.collectFinals());
  return isDrained;
}

async function readVersions(stage: ChaosStage, before: string | undefined): Promise<Run["versions"]> {
  const { version } = JSON.parse(readFileSync(join(root, "packages/server/package.json"), "utf8"));
  return {
    tidings: `${version}, ${thisBuild().name}`,
    ...(before !== undefined && { before }),
    node: process.version,
    postgres: await stage.database.version(),
  };
}

/** As a separate process, which shares nothing with this one or with the service. */
async function audit(folder: EvidenceWriter["folder"], databaseUrl: string): Promise<boolean> {
  progress("the auditor judges …");
  const program = join(root, "scripts/auditor/run.ts");
  const child = spawn(process.execPath, [program, folder, "--database", databaseUrl], { stdio: "inherit" });
  const [code] = await once(child, "exit", { signal: AbortSignal.timeout(limitsMs.audit) });
  if (code === 0 || code === 1) return code === 0;
  throw new Error(`the auditor ended with code ${code}`);
}

type Rest = { isDrained: boolean; longestPauseMs: number };

function summarize(conductor: Conductor, stage: ChaosStage, load: ChaosLoad, rest: Rest): void {
  const done = conductor.records.filter(({ problem }) => !problem);
  const failed = conductor.records.filter(({ problem }) => problem);
  console.log("");
  for (const [name, value] of Object.entries(load.figures())) console.log(`  ${name.padEnd(28)}${value}`);
  console.log(`  ${"faults made".padEnd(28)}${done.length} of ${new Set(done.map(({ fault }) => fault)).size} kinds`);
  console.log(`  ${"processes that crashed".padEnd(28)}${stage.crashes.length}`);
  console.log(`  ${"at rest after the load".padEnd(28)}${rest.isDrained ? "yes" : "NO"}`);
  console.log(`  ${"longest pause of the load".padEnd(28)}${(rest.longestPauseMs / 1_000).toFixed(1)} s`);
  for (const { fault, target, detail } of done)
    if (detail?.includes("NOT WHOLE")) console.log(`  NOT WHOLE after ${fault} (${target}): ${detail}`);
  for (const { fault, target, problem } of failed) console.log(`  NOT DONE: ${fault} (${target}): ${problem}`);
}
