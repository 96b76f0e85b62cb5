// The queue: pg-boss in the same database as the state it moves. A task is enqueued in the transaction that makes it
// necessary and finished in the transaction that holds its result, so the two can never disagree.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { fromKysely, type JobWithMetadata, PgBoss } from "pg-boss";
import type { Budgets } from "../../lib/budgets.ts";
import { createFairQueue, longestLagMs, type VirtualClocks } from "../../lib/fair-queue.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { listen } from "./listen.ts";
import { startLoops, type Workers, type WorkOptions } from "./workers.ts";

export const taskKinds = [
  "trigger",
  "fanout",
  "wake",
  "deliver",
  "webhook",
  "unsnooze",
  "clock",
  "housekeeping",
] as const;
export type TaskKind = (typeof taskKinds)[number];

/**
 * `startAfter`: a moment, or seconds from now by the clock of the database. `group`: a name for tasks that somebody has
 * to wait for or take back (pipeline/clock/clock.ts). `environmentId`, `lane` and `cost` decide whose turn it is
 * (lib/fair-queue.ts); tasks without an environment go first.
 */
export type NewTask = {
  data: object;
  startAfter?: Date | number;
  group?: string;
  environmentId?: string;
  lane?: string;
  cost?: number;
};

/** A task taken back before its time. */
export type RecalledTask = { kind: TaskKind; data: object; startAfter: Date };

/** A task as a worker holds it: `attempt` fences the claim, so that a lapsed holder cannot finish it. */
export type Task<T> = { id: string; attempt: number; data: T; environmentId?: string };

export class ClaimLost extends Error {}

export type Queue = {
  enqueue(tx: Db, kind: TaskKind, tasks: NewTask[]): Promise<void>;
  /** Throws ClaimLost unless all of these are still ours: asked before work that cannot be taken back. */
  confirm(tx: Db, kind: TaskKind, tasks: Task<unknown>[]): Promise<void>;
  /**
   * Takes tasks out of the hands of the worker that brought them: it may return and bring others while these are worked
   * on. Answers them as they are held now, and throws ClaimLost as `confirm` does. Once the transaction is committed,
   * they have to be held.
   */
  keep<T>(tx: Db, kind: TaskKind, tasks: Task<T>[]): Promise<Task<T>[]>;
  /** Keeps the claims on these tasks alive until they are let go; what was not finished by then goes to another worker. */
  hold(kind: TaskKind, tasks: Task<unknown>[]): void;
  letGo(tasks: Task<unknown>[]): void;
  /** Removes finished tasks inside the transaction of their result; throws ClaimLost when another worker has them. */
  finish(tx: Db, kind: TaskKind, tasks: Task<unknown>[]): Promise<void>;
  /** Whether any task of the group is left. */
  isBusy(tx: Db, group: string): Promise<boolean>;
  /** Takes back up to `limit` tasks of the group that wait for a later time. */
  recall(tx: Db, group: string, limit: number): Promise<RecalledTask[]>;
  /** What the handler neither finishes nor keeps is given to another worker; when it throws, after a pause. */
  work<T>(kind: TaskKind, options: WorkOptions, handler: (tasks: Task<T>[]) => Promise<void>): void;
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

const jobs = sql.table(`${schema}.job_common`);

/** Groups are few and their questions frequent. Looked up first: creating takes a lock that writers would wait for. */
const createGroupIndex = `
  do $$ begin
    perform pg_advisory_xact_lock(7465003);
    if to_regclass('${schema}.job_group') is null then
      create index job_group on ${schema}.job_common (group_id) where group_id is not null;
    end if;
  end $$`;

/** On which pg-boss announces new tasks, with the name of their queue. */
const channelOf = async (boss: PgBoss): Promise<string> => {
  const { rows } = await boss
    .getDb()
    .executeSql(`select 'pgboss_' || left(encode(sha224('${schema}'::bytea), 'hex'), 24) as channel`);
  return rows[0].channel as string;
};

type Affected = { affected: number };
type Held = { kind: TaskKind; task: Task<unknown> };

/** A call to a provider takes at most 30 s; what is not finished by then goes to another process. */
const stopMs = 35_000;

/** The budgets of a kind, one for each environment. */
const turnsOf = (kind: TaskKind): string => `turns ${kind} `;

/** When a task may begin, in ms. */
const dueAt = (startAfter: Date | number | undefined, now: number): number =>
  startAfter instanceof Date ? startAfter.getTime() : now + (startAfter ?? 0) * 1000;

const claims = (tasks: Task<unknown>[]) => tasks.map((task) => ({ id: task.id, retryCount: task.attempt }));

const toTask = <T>({ id, retryCount, data, singletonKey }: JobWithMetadata<T>): Task<T> => ({
  id,
  attempt: retryCount,
  data,
  environmentId: singletonKey ?? undefined,
});

function requireAll(kind: TaskKind, tasks: Task<unknown>[], { affected }: Affected): void {
  if (affected === tasks.length) return;
  throw new ClaimLost(`${tasks.length - affected} of ${tasks.length} ${kind} tasks are held elsewhere`);
}

export type QueueOptions = {
  url: string;
  onError: (error: Error) => void;
  /** How far environments are behind, if other processes are to know. */
  budgets?: Budgets;
  /** Tells the other processes that no environment is behind any more in tasks of these names. */
  forgetShared?(beginning: string): Promise<void>;
};

export async function openQueue(options: QueueOptions): Promise<Queue> {
  // One name per process: it tells whether others are alive.
  const name = `${namePrefix}${randomUUID()}`;
  const boss = new PgBoss({
    connectionString: options.url,
    schema,
    application_name: name,
    max: 5,
    connectionTimeoutMillis: 5_000,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  });
  boss.on("error", options.onError);
  await boss.start();
  for (const kind of taskKinds) await boss.createQueue(kind, queueOptions);
  await boss.getDb().executeSql(createGroupIndex);
  await takeOver(boss, name);
  const { budgets } = options;
  const clocksOf = (kind: TaskKind): VirtualClocks | undefined =>
    budgets && {
      advance: (environmentId, costMs) => budgets.spend(`${turnsOf(kind)}${environmentId}`, costMs, longestLagMs),
      clear: () => budgets.forget(turnsOf(kind)),
    };
  const turns = new Map(taskKinds.map((kind) => [kind, createFairQueue(clocksOf(kind))]));
  const workers = new Map<string, Workers>();
  const callWorkers = (kind?: string) => {
    for (const [name, own] of workers) if (kind === undefined || kind === name) own.call();
  };
  const announced = { [await channelOf(boss)]: callWorkers };
  const listener = await listen({ url: options.url, announced, onError: options.onError });
  const held = new Map<string, Held>();
  const inHand = new Set<Held[]>();
  const beating = setInterval(() => {
    for (const [kind, group] of Map.groupBy([...held.values(), ...[...inHand].flat()], (one) => one.kind)) {
      boss.touch(kind, claims(group.map((one) => one.task))).catch(options.onError);
    }
  }, heartbeatSeconds * 250);

  return {
    async enqueue(tx, kind, tasks) {
      if (tasks.length === 0) return;
      const now = Date.now();
      const rows = tasks.map(({ data, startAfter, group, environmentId, lane, cost = 1 }) => ({
        data,
        startAfter,
        ...(group === undefined ? {} : { group: { id: group } }),
        ...(environmentId === undefined
          ? {}
          : {
              // No policy of ours looks at the key: it only carries the environment.
              singletonKey: environmentId,
              priority: turns
                .get(kind)!
                .assignPriority({ environmentId, lane, cost, dueAt: dueAt(startAfter, now) }, now),
            }),
      }));
      await boss.insert(kind, rows, { db: fromKysely(tx), returnId: false });
    },
    async confirm(tx, kind, tasks) {
      const result = (await boss.touch(kind, claims(tasks), { db: fromKysely(tx) })) as Affected;
      requireAll(kind, tasks, result);
    },
    async keep(tx, kind, tasks) {
      // The worker that brought the tasks gives them back when it fails, if their claim is still the one it made.
      const { rows } = await sql`
        update ${jobs} j set retry_count = r.attempt + 1, heartbeat_on = clock_timestamp()
        from ${rowsOf("r", { id: "uuid", attempt: "int" }, tasks)}
        where j.name = ${kind} and j.id = r.id and j.state = 'active' and j.retry_count = r.attempt
        returning 1`.execute(tx);
      requireAll(kind, tasks, { affected: rows.length });
      return tasks.map((task) => ({ ...task, attempt: task.attempt + 1 }));
    },
    hold(kind, tasks) {
      for (const task of tasks) held.set(task.id, { kind, task });
    },
    letGo(tasks) {
      for (const { id } of tasks) held.delete(id);
    },
    async finish(tx, kind, tasks) {
      const result = (await boss.deleteJob(kind, claims(tasks), { db: fromKysely(tx) })) as Affected;
      requireAll(kind, tasks, result);
    },
    async isBusy(tx, group) {
      const { rows } = await sql`
        select 1 from ${jobs} where group_id = ${group} and state < 'completed' limit 1`.execute(tx);
      return rows.length > 0;
    },
    async recall(tx, group, limit) {
      const { rows } = await sql<RecalledTask>`
        delete from ${jobs} where (name, id) in (
          select name, id from ${jobs}
          where group_id = ${group} and state = 'created' and start_after > clock_timestamp()
          order by start_after, id limit ${limit} for update skip locked)
        returning name as kind, data, start_after as "startAfter"`.execute(tx);
      return rows;
    },
    work<T>(kind: TaskKind, work: WorkOptions, handler: (tasks: Task<T>[]) => Promise<void>) {
      const handle = async (tasks: Task<T>[]): Promise<void> => {
        const mine = tasks.map((task) => ({ kind, task }));
        inHand.add(mine);
        try {
          await handler(tasks);
        } catch (error) {
          const { message } = error instanceof Error ? error : new Error(String(error));
          await boss.fail(kind, claims(tasks), { message }).catch(options.onError);
        } finally {
          inHand.delete(mine);
        }
      };
      const fetch = async (batchSize: number, minPriority: number): Promise<Task<T>[]> =>
        (await boss.fetch<T>(kind, { batchSize, minPriority, includeMetadata: true })).map(toTask);
      const onEmpty = (hadBacklog: boolean) => {
        const isKnown = turns.get(kind)!.resetLags();
        if (hadBacklog || isKnown) options.forgetShared?.(turnsOf(kind)).catch(options.onError);
      };
      workers.set(kind, startLoops(work, { fetch, handle, onEmpty, onError: options.onError }));
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
      const deadline = Date.now() + stopMs;
      const isOver = () => Date.now() >= deadline;
      let areHandled = false;
      Promise.all([...workers.values()].map((own) => own.stop())).then(() => (areHandled = true), options.onError);
      while ((!areHandled || held.size > 0) && !isOver()) await new Promise((resolve) => setTimeout(resolve, 20));
      clearInterval(beating);
      await listener.close();
      await boss.stop({ graceful: true, timeout: 30_000 });
    },
  };
}
