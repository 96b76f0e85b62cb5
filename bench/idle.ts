// A service that does nothing: CPU and memory of its process and of its PostgreSQL. And a start on an existing data
// folder, until the banner, which is printed when requests are accepted.
import { rmSync } from "node:fs";
import { median } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { launchService } from "@tidings/testkit/programs/service";
import { type BenchService, makeDataDir } from "./support.ts";
import { type Row, valueAtMost } from "./table.ts";
import { readCpuMs, readPssMb } from "./usage.ts";

/** The work after a start (first polls, autovacuum of what the migrations wrote) is over by then. */
const settleSeconds = 15;

/** Shares of a core that a service and its PostgreSQL take, in per cent. */
export async function measureIdle(service: BenchService, seconds: number) {
  progress(`waiting ${settleSeconds} s, then measuring for ${seconds} s …`);
  await sleep(settleSeconds * 1000);
  const started = performance.now();
  const { pid, databasePid } = service;
  const before = { service: readCpuMs(pid, databasePid), database: readCpuMs(databasePid) };
  await sleep(seconds * 1000);
  const passedMs = performance.now() - started;
  return {
    service: (100 * (readCpuMs(pid, databasePid) - before.service)) / passedMs,
    database: (100 * (readCpuMs(databasePid) - before.database)) / passedMs,
  };
}

export async function benchIdle(service: BenchService, seconds: number): Promise<Row[]> {
  const { pid, databasePid } = service;
  const spent = await measureIdle(service, seconds);
  return [
    {
      what: "idle, CPU of service + PostgreSQL",
      value: spent.service + spent.database,
      unit: "% of a core",
      aim: valueAtMost(0.3),
    },
    { what: "idle, CPU of the service", value: spent.service, unit: "% of a core" },
    { what: "idle, CPU of PostgreSQL", value: spent.database, unit: "% of a core" },
    {
      what: "idle, memory of the service (Pss)",
      value: readPssMb(pid, databasePid),
      unit: "MB",
      aim: valueAtMost(130),
    },
    {
      what: "idle, memory of PostgreSQL (Pss)",
      value: readPssMb(databasePid),
      unit: "MB",
      aim: valueAtMost(60),
    },
  ];
}

/** The first start creates the database and is not part of the median. */
export async function benchStart(starts: number): Promise<Row[]> {
  const dataDir = makeDataDir();
  const seconds: number[] = [];
  const startOnce = async () => {
    const begun = performance.now();
    const running = await launchService({ TIDINGS_DATA_DIR: dataDir });
    seconds.push((performance.now() - begun) / 1000);
    await running.end("SIGTERM");
  };
  try {
    progress(`a first start, then ${starts} on the same data folder …`);
    for (let index = 0; index <= starts; index++) await startOnce();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  const [first, ...later] = seconds;
  return [
    {
      what: "start, second start to ready (the command of npm start)",
      value: median(later),
      unit: "s",
      beside: { what: "first start", value: first! },
      aim: valueAtMost(1.5),
    },
  ];
}
