// The queue: pg-boss in the same database as the state it moves. A task is enqueued in the transaction that makes it
// necessary and finished in the transaction that holds its result, so the two can never disagree.
import { randomUUID } from "node:crypto";
import { fromKysely, type Job, PgBoss } from "pg-boss";
import type { Db } from "./db.ts";

export const taskKinds = ["trigger", "fanout", "wake", "deliver", "housekeeping"] as const;
export type TaskKind = (typeof taskKinds)[number];

/** `startAfter`: a moment, or seconds from now by the clock of the database. */
export type NewTask = { data: object; startAfter?: Date | number };

/** A task as a worker holds it: `attempt` fences the claim, so that a lapsed holder cannot finish it. */
export type Task<T> = { id: string; attempt: number; data: T };

export class ClaimLost extends Error {}

export type WorkOptions = { batchSize: number; concurrency: number; pollSeconds: number };

export type Queue = {
  enqueue(tx: Db, kind: TaskKind, tasks: NewTask[]): Promise<void>;
  /** Throws ClaimLost unless all of these are still ours: asked before work that cannot be taken back. */
  confirm(tx: Db, kind: TaskKind, tasks: Task<unknown>[]): Promise<void>;
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

const namePrefix = "tidings-queue ";

/**
 * When nobody else is connected, every claim belongs to a process that died: its tasks need not wait for their
 * heartbeat to lapse. Claims are fenced, so if somebody is alive after all (cut off for a moment, say), what he still
 * does with them is rolled back, exactly as after a lapse.
 */
async function takeOver(boss: PgBoss, name: string): Promise<void> {
  const db = boss.getDb();
  const { rows } = await db.executeSql(
    `select 1 from pg_stat_activity where datname = current_database()
       and starts_with(application_name, $1) and application_name <> $2 limit 1`,
    [namePrefix, name],
  );
  if (rows.length > 0) return;
  const stale = await db.executeSql(
    `update ${schema}.job set heartbeat_on = '-infinity'
     where state = 'active' and heartbeat_seconds is not null returning 1`,
  );
  if (stale.rows.length > 0) await boss.supervise();
}

type Affected = { affected: number };

const claims = (tasks: Task<unknown>[]) => tasks.map((task) => ({ id: task.id, retryCount: task.attempt }));

function requireAll(kind: TaskKind, tasks: Task<unknown>[], { affected }: Affected): void {
  if (affected === tasks.length) return;
  throw new ClaimLost(`${tasks.length - affected} of ${tasks.length} ${kind} tasks are held elsewhere`);
}

export async function openQueue(options: { url: string; onError: (error: Error) => void }): Promise<Queue> {
  // One name per process: it tells whether others are alive.
  const name = `${namePrefix}${randomUUID()}`;
  const boss = new PgBoss({
    connectionString: options.url,
    schema,
    application_name: name,
    max: 5,
    connectionTimeoutMillis: 5_000,
    useListenNotify: true,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  });
  boss.on("error", options.onError);
  await boss.start();
  for (const kind of taskKinds) await boss.createQueue(kind, queueOptions);
  await takeOver(boss, name);

  return {
    async enqueue(tx, kind, tasks) {
      if (tasks.length === 0) return;
      await boss.insert(kind, tasks, { db: fromKysely(tx), returnId: false });
    },
    async confirm(tx, kind, tasks) {
      const result = (await boss.touch(kind, claims(tasks), { db: fromKysely(tx) })) as Affected;
      requireAll(kind, tasks, result);
    },
    async finish(tx, kind, tasks) {
      const result = (await boss.deleteJob(kind, claims(tasks), { db: fromKysely(tx) })) as Affected;
      requireAll(kind, tasks, result);
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
