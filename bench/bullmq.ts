// In-app notifications compared with a hand-built pipeline on BullMQ and Redis, the usual way to build this on Node
// (bullmq-pipeline.ts is the pipeline). What makes the comparison fair:
//
// - The same load: the same bulk triggers by the same eight clients, until the messages of all of them can be read. The
//   slower pipeline gets fewer events; both are measured for several seconds.
// - The same resources: one process of the same pinned Node (with its default heap), on the same cores, next to a
//   PostgreSQL with the same settings. The pipeline has a Redis in addition, with `appendonly yes` and `appendfsync
//   everysec`, as usually run: it may lose a second of accepted events, which the service may not.
// - Three hops, as such pipelines are built: a job for each event, for each recipient and for each message, with the
//   options that cost Redis least (finished jobs are removed at once). Jobs are added in bulk where a hop has several.
// - The pipeline does less: it writes one row per message (the service three), its feed has no unread counts, and it
//   has no idempotency keys, preferences, versions, execution details or fair shares.
// - Its concurrency is tuned: before the measurement it runs with 10, 50 and 200 jobs at once, and the fastest is used.
// - Both are warm: twice as many events as are measured go through each of them before, and their messages are deleted.
//
// The two run one after the other, each alone on the machine.
import { fork, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Db, openDb } from "@tidings/server/source/store/db";
import { startEmbedded } from "@tidings/server/source/store/embedded/embedded";
import { findFreePort } from "@tidings/server/source/store/embedded/process";
import { percentile } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { readDatabasePid } from "@tidings/testkit/postgres/postmaster";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import { createPipelineTables, messagesTable } from "./bullmq-pipeline.ts";
import { fireInApp, fireOne, prepareInApp } from "./load.ts";
import { clear, countSent, visible } from "./raw.ts";
import { makeDataDir, withService } from "./support.ts";
import { formatNumber, type Row, ratioAtLeast } from "./table.ts";
import { readCpuMs } from "./usage.ts";

const concurrencies = [10, 50, 200];
const singleTriggers = 50;

/** `events`: through the service; `hops`: through the pipeline. */
export async function benchBullmq({ events, hops }: { events: number; hops: number }): Promise<Row[]> {
  const what = "in-app beside a hand-built BullMQ pipeline of three hops";
  if (spawnSync("redis-server", ["--version"]).status !== 0) {
    const note =
      "not run: there is no redis-server on this machine (`apt-get install redis-server` or `brew install redis`)";
    return [{ what, value: Number.NaN, unit: "/s", aim: ratioAtLeast(12), note }];
  }
  const own = await measureService(events);
  const pipeline = await measurePipeline(hops);
  return [
    {
      what,
      value: own,
      unit: "/s",
      beside: { what: "BullMQ pipeline", value: pipeline.rate },
      ratio: own / pipeline.rate,
      aim: ratioAtLeast(12),
    },
    { what: "BullMQ pipeline, CPU of its process + Redis + PostgreSQL a message", value: pipeline.cpuMs, unit: "ms" },
    { what: "BullMQ pipeline, single trigger → visible, p50", value: pipeline.latencyMs, unit: "ms" },
  ];
}

const measureService = (events: number): Promise<number> =>
  withService(async (service) => {
    const db = openDb({ url: service.databaseUrl, poolSize: 1, onError: () => {} });
    try {
      await prepareInApp(service);
      progress(`${formatNumber(2 * events)} events through the service as a warm-up …`);
      await fireInApp(service, 2 * events);
      await visible(db, 2 * events);
      await clear(db);
      progress(`${formatNumber(events)} events through the service …`);
      const started = performance.now();
      await fireInApp(service, events);
      await visible(db, events);
      return rateOf(events, started);
    } finally {
      await db.destroy();
    }
  });

const rateOf = (events: number, started: number): number => events / ((performance.now() - started) / 1000);

type Setup = { db: Db; databaseUrl: string; databasePid: number; redis: Redis };

async function measurePipeline(events: number): Promise<{ rate: number; cpuMs: number; latencyMs: number }> {
  const dataDir = makeDataDir();
  const database = await startEmbedded({ dataDir });
  const redis = await startRedis();
  const db = openDb({ url: database.url, poolSize: 1, onError: () => {} });
  try {
    await createPipelineTables(db);
    const setup = { db, databaseUrl: database.url, databasePid: readDatabasePid(dataDir), redis };
    let best = { concurrency: 0, rate: 0 };
    for (const concurrency of concurrencies) {
      const { rate } = await runPipeline(setup, concurrency, { events: Math.min(2_000, events) });
      progress(`BullMQ, ${concurrency} jobs at once: ${formatNumber(rate)}/s`);
      if (rate > best.rate) best = { concurrency, rate };
    }
    progress(`${formatNumber(events)} events through the pipeline, ${best.concurrency} jobs at once …`);
    return await runPipeline(setup, best.concurrency, { events, warmUp: 2 * events, singles: singleTriggers });
  } finally {
    await db.destroy();
    await redis.stop();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** One process of the pipeline: warmed up, then `events` events in bulk, then `singles` one at a time. */
async function runPipeline(
  { db, databaseUrl, databasePid, redis }: Setup,
  concurrency: number,
  { events, warmUp = 500, singles = 0 }: { events: number; warmUp?: number; singles?: number },
) {
  const child = fork(new URL("bullmq-pipeline.ts", import.meta.url), {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      REDIS_PORT: `${redis.port}`,
      CONCURRENCY: `${concurrency}`,
    },
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const readCpu = () => readCpuMs(child.pid!) + readCpuMs(redis.pid) + readCpuMs(databasePid);
  const forget = () => sql`truncate ${sql.table(messagesTable)}`.execute(db);
  try {
    const port = await new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", (code) => reject(new Error(`the pipeline ended with code ${code}`)));
    });
    const target = { url: `http://127.0.0.1:${port}`, apiKey: "none" };
    await fireInApp(target, warmUp);
    await visible(db, warmUp, messagesTable);
    await forget();
    const cpuBefore = readCpu();
    const started = performance.now();
    await fireInApp(target, events);
    await visible(db, events, messagesTable);
    const rate = rateOf(events, started);
    const cpuMs = (readCpu() - cpuBefore) / events;
    await forget();
    const latencies: number[] = [];
    for (let index = 1; index <= singles; index++) {
      const begun = performance.now();
      await fireOne(target, index);
      while ((await countSent(db, messagesTable)) < index) await sleep(1);
      latencies.push(performance.now() - begun);
    }
    await forget();
    return { rate, cpuMs, latencyMs: percentile(latencies, 0.5) };
  } finally {
    child.kill("SIGTERM");
    await exited;
  }
}

type Redis = { port: number; pid: number; stop(): Promise<void> };

/** A Redis on a free port, with its data in a temporary folder. */
async function startRedis(): Promise<Redis> {
  const folder = mkdtempSync(join(tmpdir(), "tidings-bench-redis-"));
  const port = await findFreePort();
  const settings = {
    port: `${port}`,
    bind: "127.0.0.1",
    dir: folder,
    save: "",
    appendonly: "yes",
    appendfsync: "everysec",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => String(chunk).includes("Ready to accept connections") && resolve());
    child.once("exit", (code) => reject(new Error(`redis-server ended with code ${code}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, pid: child.pid!, stop };
}
