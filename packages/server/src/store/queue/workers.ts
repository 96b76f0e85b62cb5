// Workers: loops that fetch due tasks, hand them to a stage and fetch again. Most take the next task, whatever its turn
// (lib/load/fair-queue.ts). One loop of each kind is reserved for tasks whose turn has come: while the others work on
// the backlog of one environment, a task of another begins at once. A loop that finds nothing sleeps until it is woken:
// NOTIFY announces new tasks, and due.ts those that have become due.
import { priorityAt } from "../../lib/load/fair-queue.ts";
export type WorkOptions = {
  batchSize: number;
  /** Loops that take the next task, whatever its turn. */
  concurrency: number;
  /** How many of them may begin a batch now; without it, all. */
  allowed?: () => number;
  /** Whether one more loop is reserved for tasks whose turn has come. */
  hasReserve?: boolean;
};

/** What the loops of one kind do. `from`: only tasks with this turn or an earlier one. */
export type Work<Job> = {
  fetch(limit: number, from: number): Promise<Job[]>;
  /** Never rejects. */
  handle(jobs: Job[]): Promise<void>;
  /** No due task is left; `hadBacklog`: before, there were more than fit into a batch. */
  onEmpty(hadBacklog: boolean): void;
  onError(error: Error): void;
  /** Whether no more tasks are fetched. */
  isPaused?: () => boolean;
};

/** No due task has a later turn than this (`maxLagMs`), with a margin for clock skew between processes. */
const latestTurnMs = 20 * 60_000;

/** When to fetch again after the database refused. */
const retryFetchMs = 1_000;

export type Workers = {
  /** Makes the loops fetch now. */
  wake(): void;
  stop(): Promise<void>;
};

export function startLoops<Job>(options: WorkOptions, work: Work<Job>): Workers {
  const { batchSize, concurrency, allowed = () => concurrency, hasReserve = false } = options;
  let isStopping = false;
  let busy = 0;
  let hadBacklog = false;
  const loops: ReturnType<typeof createLoop>[] = [];

  function createLoop(index: number, isReserve = false) {
    let isWoken = false;
    let endPause = () => {};
    const pause = () =>
      new Promise<void>((resolve) => {
        endPause = resolve;
      });
    /** Returns how many tasks it found. */
    const takeBatch = async (): Promise<number> => {
      const from = priorityAt(Date.now() + (isReserve ? 0 : latestTurnMs));
      const jobs = await work.fetch(batchSize, from);
      if (!isReserve && jobs.length < batchSize) {
        work.onEmpty(hadBacklog);
        hadBacklog = false;
      }
      if (!isReserve && jobs.length === batchSize) hadBacklog = true;
      if (jobs.length === 0) return 0;
      if (!isReserve) busy++;
      // Tasks of other environments may be left, and all ordinary loops are busy now.
      if (!isReserve && busy >= allowed() && jobs.length === batchSize) reserve?.wake();
      await work.handle(jobs);
      if (!isReserve) busy--;
      return jobs.length;
    };
    const run = async (): Promise<void> => {
      while (!isStopping) {
        isWoken = false;
        let found = 0;
        // While an ordinary loop is free, it takes new tasks.
        if (!work.isPaused?.() && (isReserve ? busy >= allowed() : index < allowed())) {
          found = await takeBatch().catch((error: Error) => {
            work.onError(error);
            setTimeout(wake, retryFetchMs).unref();
            return 0;
          });
        }
        if (found < batchSize && !isWoken && !isStopping) await pause();
      }
    };
    function wake() {
      isWoken = true;
      endPause();
    }
    return { run, wake };
  }

  for (let index = 0; index < concurrency; index++) loops.push(createLoop(index));
  const reserve = hasReserve ? createLoop(concurrency, true) : undefined;
  if (reserve) loops.push(reserve);
  const ended = Promise.all(loops.map((loop) => loop.run()));
  const wakeAll = () => {
    for (const loop of loops) loop.wake();
  };
  return {
    wake: wakeAll,
    async stop() {
      isStopping = true;
      wakeAll();
      await ended;
    },
  };
}
