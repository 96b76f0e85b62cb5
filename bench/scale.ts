// Several processes of the same build on one PostgreSQL: one `api` process for every two `worker` processes, with 1, 2
// and 4 workers. The rate only grows while there are free cores: on a machine whose cores are full with one worker the
// curve is flat, and the CPU of each group of processes is what to read.
import { cpus } from "node:os";
import { openDb } from "@tidings/server/source/store/db";
import { progress } from "@tidings/testkit/load/progress";
import type { Running } from "@tidings/testkit/programs/service";
import { fireInApp, prepareInApp } from "./load.ts";
import { clear, visible } from "./raw.ts";
import { startBenchService } from "./support.ts";
import { formatNumber, type Row } from "./table.ts";
import { readCpuMs } from "./usage.ts";

const workerCounts = [1, 2, 4];

/** CPU in cores. */
type Cpu = { API: number; workers: number; PostgreSQL: number; "load generator": number; "all programs": number };
type Point = { workers: number; rate: number; cpu: Cpu };

/** CPU time of the whole machine, in ms. */
const readMachineMs = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);

export async function benchScale(events: number): Promise<Row[]> {
  const service = await startBenchService({ TIDINGS_ROLE: "api" });
  const db = openDb({ url: service.databaseUrl, poolSize: 1, onError: () => {} });
  const apis: Pick<Running, "url" | "pid">[] = [service];
  const workers: Running[] = [];
  const points: Point[] = [];
  const fire = (count: number) =>
    Promise.all(
      apis.map(({ url }) => fireInApp({ url, apiKey: service.apiKey }, Math.ceil(count / apis.length / 100) * 100)),
    );
  try {
    for (const count of workerCounts) {
      progress(`${count} worker processes …`);
      while (workers.length < count) workers.push(await service.startAnother({ TIDINGS_ROLE: "worker" }));
      while (apis.length < count / 2) apis.push(await service.startAnother({ TIDINGS_ROLE: "api" }));
      if (points.length === 0) await prepareInApp(service);
      await fire(5_000);
      await visible(db, 5_000);
      await clear(db);
      const sumCpu = (group: { pid: number }[]) =>
        group.reduce((sum, { pid }) => sum + readCpuMs(pid, service.databasePid), 0);
      const readCpu = (): Cpu => ({
        API: sumCpu(apis),
        workers: sumCpu(workers),
        PostgreSQL: readCpuMs(service.databasePid),
        "load generator": (process.cpuUsage().user + process.cpuUsage().system) / 1000,
        "all programs": readMachineMs(),
      });
      const before = readCpu();
      const started = performance.now();
      await fire(events);
      await visible(db, events);
      const ms = performance.now() - started;
      const after = readCpu();
      const groups = Object.keys(before) as (keyof Cpu)[];
      const cpu = Object.fromEntries(groups.map((group) => [group, (after[group] - before[group]) / ms])) as Cpu;
      points.push({ workers: count, rate: (events / ms) * 1000, cpu });
      progress(`${formatNumber(points.at(-1)!.rate)}/s`);
    }
    return points.flatMap((point) => toRows(point, points[0]!));
  } finally {
    await db.destroy();
    await service.stop();
  }
}

function toRows({ workers, rate, cpu }: Point, first: Point): Row[] {
  const busy = cpu.API + cpu.workers + cpu.PostgreSQL;
  const shares = Object.entries(cpu).map(([group, cores]) => `${group} ${cores.toFixed(2)}`);
  const isFull = cpu["all programs"] > cpus().length * 0.9;
  return [
    {
      what: `scale, in-app with ${workers} worker ${workers === 1 ? "process" : "processes"}`,
      value: rate,
      unit: "/s",
      ...(workers === first.workers
        ? {}
        : { beside: { what: "with one", value: first.rate }, ratio: rate / first.rate }),
      note: `cores in use of ${cpus().length}: ${shares.join(", ")}${isFull ? "; all are full, so more processes cannot be faster here" : ""}`,
    },
    {
      what: `scale, CPU of service + PostgreSQL a notification with ${workers}`,
      value: (busy * 1000) / rate,
      unit: "ms",
    },
  ];
}
