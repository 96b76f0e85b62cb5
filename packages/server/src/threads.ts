// The threads of a process. JavaScript runs in one thread, so a process would use one core, however many there are. Under load
// the first thread starts others (lib/load/thread-load.ts), each with an engine of its own (thread.ts): they take tasks from the queue, and
// answer requests to trigger events, which the first thread receives and hands over. Without load they end, so that an idle
// process needs the memory of one (docs/decisions/0025-threads.md).
import { cpus } from "node:os";
import { performance } from "node:perf_hooks";
import type { Logger } from "pino";
import type { MetricObject } from "prom-client";
import type { Thread, Threads } from "./http/handed-requests.ts";
import { createBusyReader, createIdleReader, createThreadRule } from "./lib/load/thread-load.ts";
import { addMetrics } from "./metrics.ts";
import { type OtherThread, startThread, type ThreadData } from "./thread-client.ts";

/** How often the load is looked at: while work arrives, and while there may be too many threads. */
const lookMs = 500;
const lookForQuietMs = 5_000;
/** How long after a failure no thread is started. */
const pauseMs = 30_000;

export type ThreadPool = Threads & {
  /** Starts the threads that there are without load. */
  start(): Promise<void>;
  /** There is work that other threads could do too. */
  noteWork(): void;
  /** Ends the other threads. Each finishes its requests and tasks first. */
  stop(): Promise<void>;
};

type Options = ThreadData & { log: Logger; readIdleCores?: () => number };

export function createThreads({ config, databaseUrl, log, ...options }: Options): ThreadPool {
  const limits = config.threads;
  const decide = createThreadRule(limits);
  const readOwnBusy = createBusyReader(() => performance.eventLoopUtilization());
  const { readIdleCores = createIdleReader(cpus) } = options;
  /** Work under way that was given out by `run`, by thread; null is this one. */
  const running = new Map<OtherThread | null, number>([[null, 0]]);
  let pastMetrics: MetricObject[] = [];
  let change: Promise<void> | null = null;
  let isStopping = false;
  let lookedAt = performance.now();
  let pausedUntil = 0;

  const others = (): OtherThread[] => [...running.keys()].filter((thread) => thread !== null);
  const onEnd = (thread: OtherThread, error: Error | null) => {
    running.delete(thread);
    if (!error) return;
    pausedUntil = performance.now() + pauseMs;
    log.error({ err: error }, "a thread has failed; its tasks go to other threads");
  };
  const add = async () => {
    try {
      const thread = await startThread({ config, databaseUrl }, { log, onEnd });
      running.set(thread, 0);
      log.info({ threads: running.size }, "a thread was added");
    } catch (error) {
      pausedUntil = performance.now() + pauseMs;
      log.warn({ err: error }, "a thread could not be added");
    }
  };
  const addLeast = async () => {
    for (let missing = limits.least - running.size; missing > 0; missing--) await add();
  };
  const end = async (thread: OtherThread) => {
    running.delete(thread);
    try {
      pastMetrics = await addMetrics([pastMetrics, await thread.stop()]).getMetricsAsJSON();
      log.info({ threads: running.size }, "a thread was ended");
    } catch (error) {
      log.warn({ err: error }, "a thread did not end in time");
    }
  };
  /** One change at a time. */
  const begin = (work: Promise<void>): Promise<void> => {
    change = work.finally(() => {
      change = null;
    });
    return change;
  };
  const look = () => {
    const now = performance.now();
    lookedAt = now;
    const busy = [readOwnBusy(), ...others().map((thread) => thread.readBusy())];
    const wish = decide({ busy, idleCores: readIdleCores() }, now);
    if (change || isStopping || wish === "enough" || now < pausedUntil) return;
    void begin(wish === "more" ? add() : end(others().at(-1)!));
  };
  const noteWork = () => {
    if (limits.most > 1 && performance.now() - lookedAt >= lookMs) look();
  };
  const timer = setInterval(() => running.size > limits.least && look(), lookForQuietMs).unref();

  return {
    start: () => begin(addLeast()),
    noteWork,
    async run(isSmall, work) {
      noteWork();
      const thread = chooseThread(running, isSmall);
      const count = (step: number) => running.has(thread) && running.set(thread, running.get(thread)! + step);
      count(1);
      return work(thread).finally(() => count(-1));
    },
    count: () => running.size,
    async readMetrics() {
      const current = await Promise.allSettled(others().map((thread) => thread.readMetrics()));
      return [pastMetrics, ...current.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []))];
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await change;
      await Promise.all(others().map(end));
    },
  };
}

/** The thread with least work under way. Small work stays in this one when it is free; else this one, which receives requests, comes last. */
function chooseThread<T extends Thread>(running: Map<T | null, number>, isSmall: boolean): T | null {
  if (isSmall && running.get(null) === 0) return null;
  const [own, ...others] = [...running];
  return [...others, own!].reduce((best, next) => (next[1] < best[1] ? next : best))[0];
}
