// The threads of a process. JavaScript runs in one thread, so a process would use one core, however many there are.
// Under load the main thread starts worker threads (lib/load/thread-load.ts), each with its own engine (worker.ts):
// they take tasks from the queue, and run batches of requests to trigger events, which the main thread receives.
// Without load they end, so that an idle process needs the memory of one (docs/decisions/0025-threads.md).
import { cpus } from "node:os";
import { performance } from "node:perf_hooks";
import type { Logger } from "pino";
import type { MetricObject } from "prom-client";
import type { WorkerPool, WorkerThread } from "../http/triggers/worker-handover.ts";
import { createBusyReader, createIdleReader, createThreadRule } from "../lib/load/thread-load.ts";
import { addMetrics } from "../metrics.ts";
import { type StartedThread, startWorkerThread, type WorkerData } from "./client.ts";

/** How often the load is measured: while work arrives, and while there may be too many threads. */
const measureMs = 500;
const measureQuietMs = 5_000;
/** How long after a failure no thread is started. */
const pauseMs = 30_000;

export type ManagedPool = WorkerPool & {
  /** Starts the threads that a process without load has. */
  start(): Promise<void>;
  /** There is work that worker threads could do too. */
  noteWork(): void;
  /** Ends the worker threads. Each finishes its batches and tasks first. */
  stop(): Promise<void>;
};

type Options = WorkerData & { log: Logger; readIdleCores?: () => number };

export function createWorkerPool({ config, databaseUrl, log, readIdleCores }: Options): ManagedPool {
  const limits = config.threads;
  const threads = createThreads({ config, databaseUrl }, log);
  const readBusy = createBusyReader(() => performance.eventLoopUtilization());
  const readIdle = readIdleCores ?? createIdleReader(cpus);
  const decide = createThreadRule(limits);
  let change: Promise<void> | null = null;
  let isStopping = false;
  let measuredAt = performance.now();

  /** One change at a time. */
  const begin = (work: Promise<void>): Promise<void> => {
    change = work.finally(() => {
      change = null;
    });
    return change;
  };
  const measure = () => {
    const now = performance.now();
    measuredAt = now;
    const busy = [readBusy(), ...threads.workers().map((thread) => thread.readBusy())];
    const wish = decide({ busy, idleCores: readIdle() }, now);
    if (change || isStopping || wish === "enough" || threads.isPaused(now)) return;
    void begin(wish === "more" ? threads.add() : threads.end(threads.workers().at(-1)!));
  };
  const addMissing = async () => {
    for (let missing = limits.min - threads.count(); missing > 0; missing--) await threads.add();
  };
  const noteWork = () => {
    if (limits.max > 1 && performance.now() - measuredAt >= measureMs) measure();
  };
  const timer = setInterval(() => threads.count() > limits.min && measure(), measureQuietMs).unref();

  return {
    start: () => begin(addMissing()),
    noteWork,
    run(isSmall, work) {
      noteWork();
      return threads.run(isSmall, work);
    },
    count: threads.count,
    readMetrics: threads.readMetrics,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await change;
      await Promise.all(threads.workers().map(threads.end));
    },
  };
}

/** The threads that run now, and how many batches each of them has. */
function createThreads(workerData: WorkerData, log: Logger) {
  /** Batches in progress that were given out by `run`, by thread; null is the main thread. */
  const running = new Map<StartedThread | null, number>([[null, 0]]);
  let pastMetrics: MetricObject[] = [];
  let pausedUntil = 0;

  const workers = (): StartedThread[] => [...running.keys()].filter((thread) => thread !== null);
  const pause = () => {
    pausedUntil = performance.now() + pauseMs;
  };
  const onEnd = (thread: StartedThread, error: Error | null) => {
    running.delete(thread);
    if (!error) return;
    pause();
    log.error({ err: error }, "a thread has failed; its tasks go to other threads");
  };
  return {
    workers,
    isPaused: (now: number) => now < pausedUntil,
    count: () => running.size,
    async add(): Promise<void> {
      try {
        const thread = await startWorkerThread(workerData, { log, onEnd });
        running.set(thread, 0);
        log.info({ threads: running.size }, "a thread was added");
      } catch (error) {
        pause();
        log.warn({ err: error }, "a thread could not be added");
      }
    },
    async end(thread: StartedThread): Promise<void> {
      running.delete(thread);
      try {
        pastMetrics = await addMetrics([pastMetrics, await thread.stop()]).getMetricsAsJSON();
        log.info({ threads: running.size }, "a thread was ended");
      } catch (error) {
        log.warn({ err: error }, "a thread did not end in time");
      }
    },
    async run<T>(isSmall: boolean, work: (thread: WorkerThread | null) => Promise<T>): Promise<T> {
      const thread = chooseThread(running, isSmall);
      const count = (step: number) => running.has(thread) && running.set(thread, running.get(thread)! + step);
      count(1);
      return work(thread).finally(() => count(-1));
    },
    async readMetrics(): Promise<MetricObject[][]> {
      const current = await Promise.allSettled(workers().map((thread) => thread.readMetrics()));
      return [pastMetrics, ...current.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []))];
    },
  };
}

/**
 * The thread with the fewest batches. Small work stays in the main thread while that has none; otherwise the main
 * thread, which receives requests, comes last.
 */
function chooseThread<T extends WorkerThread>(running: Map<T | null, number>, isSmall: boolean): T | null {
  if (isSmall && running.get(null) === 0) return null;
  const [own, ...workers] = [...running];
  return [...workers, own!].reduce((best, next) => (next[1] < best[1] ? next : best))[0];
}
