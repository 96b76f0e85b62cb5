// The queue: pg-boss in the same database as the state it moves. A task is enqueued in the transaction that makes it
// necessary and finished in the transaction that holds its result, so the two can never disagree.
import { fromKysely, type Job, PgBoss } from "pg-boss";
import type { Db } from "./db.ts";

export const taskKinds = ["trigger", "fanout", "wake", "deliver", "housekeeping"] as const;
export type TaskKind = (typeof taskKinds)[number];

export type NewTask = { data: object; startAfter?: Date };

/** A task as a worker holds it: `attempt` fences the claim, so that a lapsed holder cannot finish it. */
export type Task<T> = { id: string; attempt: number; data: T };

export class ClaimLost extends Error {}

export type WorkOptions = { batchSize: number; concurrency: number; pollSeconds: number };

export type Queue = {
  enqueue(tx: Db, kind: TaskKind, tasks: NewTask[]): Promise<void>;
  /** Removes finished tasks inside the transaction of their result; throws ClaimLost when another worker has them. */
  finish(tx: Db, kind: TaskKind, tasks: Task<unknown>[]): Promise<void>;
  work<T>(kind: TaskKind, options: WorkOptions, handler: (tasks: Task<T>[]) => Promise<void>): Promise<void>;
  schedule(name: string, cron: string): Promise<void>;
  /** Tasks that wait or are being worked on, by kind. */
  depth(): Promise<Record<string, number>>;
  ping(): Promise<void>;
  stop(): Promise<void>;
};

const schema = "queue";

// A worker that dies stops its heartbeat; the next supervision gives its tasks to another: at most 10 + 10 s later.
const heartbeatSeconds = 10;
const superviseSeconds = 5;

const queueOptions = {
  notify: true,
  heartbeatSeconds,
  expireInSeconds: 15 * 60,
  // Nothing accepted is ever given up: a task that keeps failing is repeated every five minutes until someone looks.
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 300,
  retentionSeconds: 5 * 365 * 24 * 3600,
};

export async function openQueue(options: { url: string; onError: (error: Error) => void }): Promise<Queue> {
  const boss = new PgBoss({
    connectionString: options.url,
    schema,
    application_name: "tidings-queue",
    max: 5,
    connectionTimeoutMillis: 5_000,
    useListenNotify: true,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  });
  boss.on("error", options.onError);
  await boss.start();
  for (const kind of taskKinds) await boss.createQueue(kind, queueOptions);

  return {
    async enqueue(tx, kind, tasks) {
      if (tasks.length === 0) return;
      await boss.insert(kind, tasks, { db: fromKysely(tx), returnId: false });
    },
    async finish(tx, kind, tasks) {
      const attempts = tasks.map((task) => ({ id: task.id, retryCount: task.attempt }));
      const result = (await boss.deleteJob(kind, attempts, { db: fromKysely(tx) })) as { affected: number };
      if (result.affected !== tasks.length) {
        throw new ClaimLost(`${tasks.length - result.affected} of ${tasks.length} ${kind} tasks are held elsewhere`);
      }
    },
    async work<T>(kind: TaskKind, work: WorkOptions, handler: (tasks: Task<T>[]) => Promise<void>) {
      const poll = { pollingIntervalSeconds: work.pollSeconds, notifyPollingIntervalSeconds: work.pollSeconds };
      await boss.work<T, void>(
        kind,
        {
          batchSize: work.batchSize,
          localConcurrency: work.concurrency,
          burstWhenBatchFull: work.batchSize > 1,
          ...poll,
        },
        (jobs: Job<T>[]) => handler(jobs.map((job) => ({ id: job.id, attempt: job.retryCount, data: job.data }))),
      );
    },
    async schedule(name, cron) {
      await boss.schedule("housekeeping", cron, { name }, { key: name });
    },
    async depth() {
      const queues = await boss.getQueues([...taskKinds]);
      return Object.fromEntries(queues.map((queue) => [queue.name, queue.queuedCount + queue.activeCount]));
    },
    async ping() {
      await boss.getDb().executeSql("select 1");
    },
    async stop() {
      await boss.stop({ graceful: true, timeout: 30_000 });
    },
  };
}
