// Reads the metrics of this process, and the gauges of the installation. Each reading has a time limit, and a gauge
// that cannot be read has no value: an old one would look like a healthy one.
import { statfs } from "node:fs/promises";
import type { Gauge, MetricObject, Registry } from "prom-client";
import type { Ctx } from "../context.ts";
import { shareDone } from "../pipeline/background/run.ts";
import { listBackgroundMigrations } from "../store/installation/background-migrations.ts";
import { countOpenAlerts, countOpenCircuits } from "../store/installation/installation.ts";
import {
  countMonthsAhead,
  countOpenFaults,
  findChoreSuccesses,
  readDatabaseBytes,
  readSources,
  type SourceFigures,
} from "../store/installation/metrics.ts";
import { findLastComplete } from "../store/installation/retention-runs.ts";
import { countLowTasks, findQueueLags } from "../store/installation/system.ts";
import type { Readiness } from "./readiness.ts";

const countLimit = 10_000;
const lowLimit = 100_000;
const sourceLimit = 100;
/** One failed call is normal, and is repeated. */
const failingFrom = 5;
/** For all readings. Prometheus waits for ten seconds unless its configuration has another number. */
const limitMs = 4_000;

type Value = { labels?: Record<string, string>; value: number };
/** `read` returns the values of each gauge, in their order. */
type Reading = { gauges: Gauge<string>[]; read(): Promise<Value[][]> };

type Threads = { readMetrics(): Promise<MetricObject[][]>; count(): number };

/** Reads all metrics of this process, with those that are measured when they are read. */
export function createMetricsReader(
  ctx: Ctx,
  workers: Threads,
  readiness: () => Promise<Readiness>,
): () => Promise<Registry> {
  const measure = createInstallationReader(ctx, readiness);
  return async () => {
    ctx.metrics.threads.set(workers.count());
    // Before the queries of the installation, which need connections of the pools that are measured.
    const threads = [await ctx.metrics.registry.getMetricsAsJSON(), ...(await workers.readMetrics())];
    await measure();
    return ctx.metrics.merge(threads);
  };
}

/** Calls at the same time share one reading, because anyone may ask for the metrics. */
function createInstallationReader(ctx: Ctx, readiness: () => Promise<Readiness>): () => Promise<void> {
  const readings = listReadings(ctx, readiness);
  let current: Promise<void> | null = null;
  return () => {
    current ??= takeAll(readings).finally(() => {
      current = null;
    });
    return current;
  };
}

/** One after the other, so that they use one connection of the pool. */
async function takeAll(readings: Reading[]): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (const { gauges, read } of readings) {
    const leftMs = deadline - performance.now();
    const values = leftMs > 0 ? await withLimit(read(), leftMs).catch(() => null) : null;
    for (const [index, gauge] of gauges.entries()) setGauge(gauge, values?.[index] ?? []);
  }
}

function setGauge(gauge: Gauge<string>, values: Value[]): void {
  gauge.reset();
  // Without labels, a reset is the value 0.
  gauge.remove({});
  for (const { labels, value } of values) gauge.set(labels ?? {}, value);
}

async function withLimit<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("the reading took too long")), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

function listReadings(ctx: Ctx, readiness: () => Promise<Readiness>): Reading[] {
  const { config, db, metrics, queue } = ctx;
  const all = metrics.installation;
  const one = (gauge: Gauge<never>, read: () => Promise<number>): Reading => ({
    gauges: [gauge],
    read: async () => [[{ value: await read() }]],
  });
  const labelled = (gauge: Gauge<string>, read: () => Promise<Value[]>): Reading => ({
    gauges: [gauge],
    read: async () => [await read()],
  });
  return [
    labelled(all.retentionSuccess, async () => {
      const at = await findLastComplete(db);
      return at ? [{ value: at.getTime() / 1000 }] : [];
    }),
    one(all.ready, async () => ((await readiness()).isReady ? 1 : 0)),
    labelled(all.queueDepth, async () =>
      Object.entries(await queue.depth()).map(([kind, value]) => ({ labels: { kind }, value })),
    ),
    labelled(all.queueOldest, async () =>
      (await findQueueLags(db, 1)).map(({ kind, lag_seconds }) => ({ labels: { kind }, value: lag_seconds })),
    ),
    labelled(all.queueLow, async () =>
      (await countLowTasks(db, lowLimit)).map(({ kind, count }) => ({ labels: { kind }, value: count })),
    ),
    labelled(all.openAlerts, async () =>
      (await countOpenAlerts(db)).map(({ kind, count }) => ({ labels: { kind }, value: count })),
    ),
    labelled(all.openCircuits, async () =>
      (await countOpenCircuits(db)).map(({ provider_id, count }) => ({
        labels: { provider: provider_id },
        value: count,
      })),
    ),
    {
      gauges: [all.deadLetters, all.setAsideTasks, all.failingWebhooks, all.disabledWebhooks],
      async read() {
        const found = await countOpenFaults(db, { limit: countLimit, failures: failingFrom });
        const { dead_letters, failed_tasks, failing_webhooks, disabled_webhooks } = found;
        return [dead_letters, failed_tasks, failing_webhooks, disabled_webhooks].map((value) => [{ value }]);
      },
    },
    {
      gauges: [all.sourceWaiting, all.sourceLag, all.sourceFailing],
      async read() {
        const found = await readSources(db, ctx.now(), sourceLimit);
        const valuesOf = (value: (source: SourceFigures) => number) =>
          found.map((source) => ({ labels: { source: source.id }, value: value(source) }));
        return [
          valuesOf(({ waiting }) => waiting),
          valuesOf(({ lag_seconds }) => lag_seconds),
          valuesOf(({ is_failing }) => (is_failing ? 1 : 0)),
        ];
      },
    },
    one(all.databaseBytes, () => readDatabaseBytes(db)),
    one(all.partitionsAhead, () => countMonthsAhead(db, ctx.now())),
    labelled(all.choreSuccess, async () =>
      (await findChoreSuccesses(db)).map(({ chore, at }) => ({ labels: { chore }, value: at.getTime() / 1000 })),
    ),
    labelled(all.backgroundMigrations, async () =>
      (await listBackgroundMigrations(db)).map((row) => ({ labels: { migration: row.name }, value: shareDone(row) })),
    ),
    ...(config.roles.has("api") ? [one(all.liveLimit, async () => config.live.connections)] : []),
    ...(config.databaseUrl ? [] : [{ gauges: [all.diskFree, all.diskSize], read: () => readDisk(config.dataDir) }]),
  ];
}

async function readDisk(folder: string): Promise<Value[][]> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return [bavail, blocks].map((count) => [{ value: count * bsize }]);
}
