// Workers: loops that fetch due tasks, hand them to a stage and fetch again. Some take whatever is next. One of each kind is
// kept free for tasks whose turn has come: while the others work on the backlog of one environment, a task of another begins
// at once. New tasks announce themselves; tasks for later are found by looking.
import { priorityAt } from "../../lib/fair-queue.ts";

export type WorkOptions = {
  batchSize: number;
  /** Loops that take whatever is next. */
  concurrency: number;
  /** Whether one more loop is kept for tasks whose turn has come. */
  hasReserve?: boolean;
  pollSeconds: number;
};

/** What the loops of one kind do. `from`: only tasks with this turn or an earlier one. */
export type Work<Job> = {
  fetch(limit: number, from: number): Promise<Job[]>;
  /** Never rejects. */
  handle(jobs: Job[]): Promise<void>;
  /** No due task is left; `hadBacklog`: before, there were more than fit into a batch. */
  onEmpty(hadBacklog: boolean): void;
  onError(error: Error): void;
};

/** No due task has a later turn than this (`longestLagMs`), with a margin for clocks that differ. */
const latestTurnMs = 20 * 60_000;

export type Workers = {
  /** Makes the loops look again now. */
  call(): void;
  stop(): Promise<void>;
};

export function startLoops<Job>(options: WorkOptions, work: Work<Job>): Workers {
  const { batchSize, concurrency, pollSeconds, hasReserve = false } = options;
  let isStopping = false;
  let busy = 0;
  let hadBacklog = false;
  const loops: ReturnType<typeof createLoop>[] = [];

  function createLoop(isReserve: boolean) {
    let isCalled = false;
    let wake = () => {};
    const pause = () =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollSeconds * 1000);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    /** Answers how many tasks it found. */
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
      // There may be more, of others, and this was the last loop that could have taken it.
      if (!isReserve && busy === concurrency && jobs.length === batchSize) reserve?.call();
      await work.handle(jobs);
      if (!isReserve) busy--;
      return jobs.length;
    };
    const run = async (): Promise<void> => {
      while (!isStopping) {
        isCalled = false;
        let found = 0;
        // While another loop is free, it takes what has come.
        if (!isReserve || busy === concurrency) {
          found = await takeBatch().catch((error: Error) => {
            work.onError(error);
            return 0;
          });
        }
        if (found < batchSize && !isCalled && !isStopping) await pause();
      }
    };
    return {
      run,
      call() {
        isCalled = true;
        wake();
      },
    };
  }

  for (let index = 0; index < concurrency; index++) loops.push(createLoop(false));
  const reserve = hasReserve ? createLoop(true) : undefined;
  if (reserve) loops.push(reserve);
  const ended = Promise.all(loops.map((loop) => loop.run()));
  const call = () => {
    for (const loop of loops) loop.call();
  };
  return {
    call,
    async stop() {
      isStopping = true;
      call();
      await ended;
    },
  };
}
