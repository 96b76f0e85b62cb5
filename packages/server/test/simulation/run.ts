// One simulation: the scenario of a seed from its first request to the end of the last run, and what it broke.
import { createRandom } from "@tidings/testkit/load/random";
import { type Server, sendRequests, sendSignals } from "./client.ts";
import { createFaults } from "./faults.ts";
import { brokenPromises, type Ending } from "./promises.ts";
import { planScenario, type Scenario } from "./scenario.ts";
import { summarize } from "./summary.ts";
import { createWaitLog } from "./waits.ts";
import { environmentRows } from "./workflows.ts";
import { createDisk, type Row } from "./world/disk.ts";
import { replaceGlobals } from "./world/globals.ts";
import { createNetwork } from "./world/network.ts";
import { createTaskBoard, hasSuspect } from "./world/queue.ts";
import type { Recording } from "./world/record.ts";
import { createSchedule, type Process, startTime } from "./world/schedule.ts";
import { createContext, createIds, startProcess } from "./world/service.ts";
import { enterWorld, type World } from "./world/world.ts";

export type Result = {
  seed: number;
  broken: string[];
  steps: number;
  trace: string[];
  recording: Recording;
  rows: Record<string, Row[]>;
};

/** Tables whose rows are compared with those of PostgreSQL. */
const compared = [
  "events",
  "notifications",
  "jobs",
  "messages",
  "attempts",
  "digest_windows",
  "throttle_windows",
  "signals",
  "run_waits",
];

/** More than any scenario needs. */
const maxSteps = 25_000;

replaceGlobals();

/** `isCalm`: nothing goes wrong. */
type Options = { hasTrace?: boolean; isRecorded?: boolean; isCalm?: boolean };

export const runSeed = (seed: number, options: Options = {}): Promise<Result> =>
  runScenario(planScenario(seed, options), options);

async function runScenario(scenario: Scenario, { hasTrace = false, isRecorded = false }: Options): Promise<Result> {
  const { seed } = scenario;
  const random = createRandom(seed ^ 0x5eed);
  const schedule = createSchedule(random);
  const trace: string[] = [];
  const note = hasTrace
    ? (text: string) => void trace.push(`${((schedule.now() - startTime) / 1_000).toFixed(3)} s  ${text}`)
    : () => {};
  const tasks = createTaskBoard(schedule, random);
  const waits = createWaitLog(schedule);
  const sentAfter = new Map<string, number>();
  const disk = createDisk(schedule, (tables) => {
    if (tables.has("tasks")) tasks.announce();
    if (tables.has("signals") || tables.has("run_waits")) waits.note(disk);
    if (!tables.has("attempts")) return;
    for (const { id } of disk.rows<{ id: string }>("attempts")) {
      if (!sentAfter.has(id)) sentAfter.set(id, schedule.now());
    }
  });
  const servers: Server[] = [];
  const start = (): void => {
    const process: Process = { name: `process ${++started}`, isAlive: true, frozenUntil: 0 };
    const server = { process, ctx: createContext(process, network.io, newId) };
    servers.push(server);
    // A process that cannot start ends, and is started again.
    startProcess(server.ctx, process).catch(() => kill(process));
  };
  const kill = (process: Process): void => {
    if (!process.isAlive) return;
    note(`${process.name} is killed`);
    process.isAlive = false;
    disk.close(process);
    schedule.after(500 + random.below(20_000), null, start);
  };
  const faults = createFaults({
    random,
    schedule,
    rates: scenario.faults,
    until: startTime + scenario.faultsEndMs,
    kill,
    isSpared: (process) => hasSuspect(disk, process),
  });
  const recording: Recording = [];
  const world: World = {
    random,
    schedule,
    disk,
    tasks,
    faults,
    note,
    record: isRecorded ? (entry) => void recording.push(entry) : () => {},
  };
  enterWorld(world);
  const network = createNetwork(scenario.providers);
  const newId = createIds();
  let started = 0;
  try {
    disk.load(environmentRows());
    for (let count = 0; count < scenario.processes; count++) start();
    const canceled = sendRequests(servers, scenario.requests);
    sendSignals(servers, scenario.signals);
    const hasEnded = await schedule.run(maxSteps);
    const ending: Ending = { scenario, disk, calls: network.calls, canceled, begunAt: sentAfter, waits };
    const broken = hasEnded ? brokenPromises(ending) : ["it does not come to an end"];
    const rows = Object.fromEntries(compared.map((table) => [table, disk.rows(table)]));
    if (hasTrace) trace.push(...summarize(ending));
    return { seed, broken, steps: schedule.steps(), trace, recording, rows };
  } finally {
    enterWorld(null);
  }
}
