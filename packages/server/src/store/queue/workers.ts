// Workers: loops that fetch due tasks, hand them to a stage and fetch again. Most take the next task, whatever its turn
// (lib/load/fair-queue.ts). One loop of each kind is reserved for tasks whose turn has come: while the others work on
// the backlog of one environment, a task of another begins at once. Low tasks are fetched when no other task waits, and
// first in every tenth batch. A loop sleeps from its start, and whenever it finds nothing, until it is woken: NOTIFY
// announces new tasks, and due.ts finds those that are due. So a start asks once for the tasks of all kinds, instead of
// once in each of 60 loops.
import { type Backlog, lowRange, priorityAt } from "../../lib/load/fair-queue.ts";

export type WorkOptions = {
  batchSize: number;
  /** Loops that take the next task, whatever its turn. */
  concurrency: number;
  /** How many of them may begin a batch now; without it, all. */
  allowed?: () => number;
  /** Whether one more loop is reserved for tasks whose turn has come. */
  hasReserve?: boolean;
};

/** Tasks with this order or a higher one, up to `to`. */
export type OrderRange = { from: number; to?: number };

/** What the loops of one kind do. */
export type Work<Job> = {
  fetch(limit: number, range: OrderRange): Promise<Job[]>;
  /** Never rejects. */
  handle(jobs: Job[]): Promise<void>;
  /** No due task of these is left; `hadBacklog`: before, there were more than fit into a batch. */
  onEmpty(backlog: Backlog, hadBacklog: boolean): void;
  onError(error: Error): void;
  /** Whether no more tasks are fetched. */
  isPaused?: () => boolean;
};

/** No due task has a later turn than this (`maxLagMs`), with a margin for clock skew between processes. */
const latestTurnMs = 20 * 60_000;

/** When to fetch again after the database refused. */
const retryFetchMs = 1_000;

/** One in this many batches takes low tasks first. */
const lowEvery = 10;

/**
 * The part of the loops that may work on low tasks at once: a few keep the processor busy, and what arrives meanwhile
 * shares it with few.
 */
const lowPart = 1 / 4;

export type Workers = {
  /** Makes the loops fetch now. `mayBeLow`: there may be low tasks; only then are they asked for. */
  wake(mayBeLow: boolean): void;
  stop(): Promise<void>;
};

export function startLoops<Job>(options: WorkOptions, work: Work<Job>): Workers {
  const { batchSize, concurrency, allowed = () => concurrency, hasReserve = false } = options;
  let isStopping = false;
  let busy = 0;
  let busyWithLow = 0;
  const hadBacklog = { low: false, others: false };
  let batches = 0;
  /** Whether low tasks may wait, and how often that was announced. */
  let mayHaveLow = true;
  let announced = 0;
  const loops: ReturnType<typeof createLoop>[] = [];

  const fetchBatch = async (backlog: Backlog): Promise<Job[]> => {
    const latest = Date.now() + latestTurnMs;
    const announcedBefore = announced;
    const jobs = await work.fetch(batchSize, backlog === "low" ? lowRange(latest) : { from: priorityAt(latest) });
    const isFull = jobs.length === batchSize;
    if (!isFull) work.onEmpty(backlog, hadBacklog[backlog]);
    hadBacklog[backlog] = isFull;
    if (backlog === "low" && !isFull && announced === announcedBefore) mayHaveLow = false;
    return jobs;
  };
  const mayTakeLow = () => mayHaveLow && busyWithLow < Math.max(1, Math.floor(allowed() * lowPart));
  /** Counted from the fetch on, so that loops that fetch at the same time do not all take low tasks. */
  const fetchLow = async (): Promise<Job[]> => {
    busyWithLow++;
    let jobs: Job[] = [];
    try {
      jobs = await fetchBatch("low");
      return jobs;
    } finally {
      if (jobs.length === 0) busyWithLow--;
    }
  };
  const fetchNext = async (): Promise<{ jobs: Job[]; isLow: boolean }> => {
    const isLowFirst = mayHaveLow && ++batches % lowEvery === 0 && mayTakeLow();
    const first = await (isLowFirst ? fetchLow() : fetchBatch("others"));
    if (first.length > 0) return { jobs: first, isLow: isLowFirst };
    if (isLowFirst) return { jobs: await fetchBatch("others"), isLow: false };
    return { jobs: mayTakeLow() ? await fetchLow() : [], isLow: true };
  };

  function createLoop(index: number, isReserve = false) {
    let isWoken = false;
    let endPause = () => {};
    const pause = () =>
      new Promise<void>((resolve) => {
        endPause = resolve;
      });
    /** Returns whether there may be more tasks. */
    const takeReserved = async (): Promise<boolean> => {
      const jobs = await work.fetch(batchSize, { from: priorityAt(Date.now()) });
      if (jobs.length > 0) await work.handle(jobs);
      return jobs.length === batchSize;
    };
    /** Returns whether there may be more tasks. */
    const takeBatch = async (): Promise<boolean> => {
      const { jobs, isLow } = await fetchNext();
      if (jobs.length > 0) {
        busy++;
        // Tasks of other environments may be left, or have come meanwhile, and all ordinary loops are busy now.
        if (busy >= allowed() && (jobs.length === batchSize || isLow)) reserve?.wake();
        await work.handle(jobs);
        busy--;
        if (isLow) busyWithLow--;
      }
      return jobs.length === batchSize || mayTakeLow();
    };
    const run = async (): Promise<void> => {
      for (let hasMore = false; ; ) {
        if (!hasMore && !isWoken) await pause();
        if (isStopping) return;
        isWoken = false;
        hasMore = false;
        // While an ordinary loop is free, it takes new tasks.
        if (!work.isPaused?.() && (isReserve ? busy >= allowed() : index < allowed())) {
          hasMore = await (isReserve ? takeReserved() : takeBatch()).catch((error: Error) => {
            work.onError(error);
            setTimeout(wake, retryFetchMs).unref();
            return false;
          });
        }
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
    wake(mayBeLow) {
      if (mayBeLow) announced++;
      mayHaveLow ||= mayBeLow;
      wakeAll();
    },
    async stop() {
      isStopping = true;
      wakeAll();
      await ended;
    },
  };
}
