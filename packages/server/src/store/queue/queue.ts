// The queue: pg-boss in the same database as the state it moves. A task is enqueued in the transaction that makes it
// necessary and finished in the transaction that holds its result, so the two can never disagree.
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { fromKysely, type JobWithMetadata, type PgBoss } from "pg-boss";
import type { Budgets } from "../../lib/load/budgets.ts";
import {
  type Backlog,
  createFairQueue,
  type FairQueue,
  maxLagMs,
  type QueueClocks,
  type TaskPriority,
  type VirtualClocks,
} from "../../lib/load/fair-queue.ts";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import { type Announcer, createAnnouncer, dueChannel } from "./announce.ts";
import { findChannel, openBoss, schema } from "./boss.ts";
import {
  claimsOf,
  giveUp,
  type Heartbeats,
  requireAllClaims,
  startHeartbeats,
  type Task,
  type TaskKind,
  taskKinds,
} from "./claims.ts";
import { type DueLoop, hintedMs, startDueLoop } from "./due.ts";
import { bringForward, type HeldSelection, lockHeldTasks } from "./held.ts";
import { type Listener, type ListenOptions, listen, type Notification } from "./listen.ts";
import { removeParts, type TaskPart } from "./parts.ts";
import { type OrderRange, startLoops, type Workers, type WorkOptions } from "./workers.ts";

export { ClaimLostError, LeftToNewerError, type Task, type TaskKind } from "./claims.ts";

/**
 * `startAfter`: a moment, or seconds from now by the clock of the database. `group`: a name under which tasks are
 * waited for or recalled (pipeline/clock/clock.ts). `environmentId`, `lane`, `cost` and `priority` decide the order of
 * tasks (lib/load/fair-queue.ts); tasks without an environment go first.
 */
export type NewTask = {
  data: object;
  startAfter?: Date | number;
  group?: string;
  environmentId?: string;
  lane?: string;
  cost?: number;
  priority?: TaskPriority;
};

/** A task withdrawn before its time. */
type RecalledTask = { kind: TaskKind; data: object; startAfter: Date };

export type Queue = {
  enqueue(tx: Db, kind: TaskKind, tasks: NewTask[]): Promise<void>;
  /** Enqueues a task `{ name }` for each name that no task of this kind in the queue has. */
  enqueueMissing(tx: Db, kind: TaskKind, tasks: { name: string; startAfter: Date }[]): Promise<void>;
  /** Throws ClaimLostError unless this process still holds all of these: called before work that cannot be undone. */
  confirm(tx: Db, kind: TaskKind, tasks: Task<unknown>[]): Promise<void>;
  /**
   * Detaches tasks from the worker that fetched them, which may then fetch others while these are worked on. Returns
   * the tasks with their new claims, and throws ClaimLostError as `confirm` does. Call `hold` once the transaction is
   * committed.
   */
  keep<T>(tx: Db, kind: TaskKind, tasks: Task<T>[]): Promise<Task<T>[]>;
  /**
   * Keeps the claims on these tasks alive until they are released, as often as they were acquired; tasks not finished
   * by then go to another worker.
   */
  hold(kind: TaskKind, tasks: Task<unknown>[]): void;
  letGo(tasks: Task<unknown>[]): void;
  /**
   * Removes finished tasks in the transaction of their result; throws ClaimLostError when another worker holds them.
   */
  finish(tx: Db, kind: TaskKind, tasks: Task<unknown>[]): Promise<void>;
  /**
   * Removes finished parts from the list `list` in the data of their tasks, and tasks without a part left from the
   * queue. Throws ClaimLostError as `finish` does, and when a part was finished before.
   */
  finishParts(tx: Db, kind: TaskKind, list: string, parts: TaskPart[]): Promise<void>;
  /** Whether any task of the group is left. */
  isBusy(tx: Db, group: string): Promise<boolean>;
  /** Withdraws up to `limit` tasks of the group that wait for a later time. */
  recall(tx: Db, group: string, limit: number): Promise<RecalledTask[]>;
  /**
   * Makes `deliver` tasks that integrations hold due, up to `limit` of them, spread over `spreadMs`. `cost`: of one
   * message. Returns how many.
   */
  wakeHeld(tx: Db, environmentId: string, held: HeldSelection & { spreadMs: number; cost: number }): Promise<number>;
  /** Stops fetching tasks, for good; those in work are finished. */
  pause(): void;
  /** Tasks that the handler neither finishes nor keeps are retried by another worker; when it throws, after a pause. */
  work<T>(kind: TaskKind, options: WorkOptions, handler: (tasks: Task<T>[]) => Promise<void>): void;
  /** Tasks that wait or are being worked on, by kind. */
  depth(): Promise<Record<string, number>>;
  /** Announces a text on a channel of the database, outside of transactions; see `onNotify`. */
  notify(channel: string, text: string): Promise<void>;
  ping(): Promise<void>;
  stop(): Promise<void>;
};

const jobs = sql.table(`${schema}.job_common`);

/** Read from the index `job_next`, which has the same condition. */
const countTasks = `
  select k.kind, count(j.name)::int as count
  from unnest($1::text[]) as k(kind) left join ${schema}.job_common j on j.name = k.kind and (j.state <= 'active') is true
  group by k.kind`;

/** A call to a provider takes at most 30 s; tasks not finished by then go to another process. */
const stopMs = 35_000;

/** Prefix of the names of a kind's budgets, one for each environment. */
const turnsPrefix = (kind: TaskKind, backlog: Backlog): string =>
  backlog === "low" ? `low turns ${kind} ` : `turns ${kind} `;

/** When a task may begin, in ms. */
const dueAt = (startAfter: Date | number | undefined, now: number): number =>
  startAfter instanceof Date ? startAfter.getTime() : now + (startAfter ?? 0) * 1000;

const toTask = <T>({ id, retryCount, data, singletonKey }: JobWithMetadata<T>): Task<T> => ({
  id,
  attempt: retryCount,
  data,
  environmentId: singletonKey ?? undefined,
});

export type QueueOptions = {
  url: string;
  /** The same database past a pooler, if `url` leads to one. */
  directUrl?: string;
  onError: (error: Error) => void;
  /** How far environments are behind, if it is shared with other processes. */
  budgets?: Budgets;
  /** Notifies the other processes that no environment is still behind in tasks whose budgets have this prefix. */
  forgetShared?(prefix: string): Promise<void>;
  /** The queue is that of a worker thread, which is not counted as a process. */
  isWorkerThread?: boolean;
  /** The wait before the first retry of a task that failed; a second unless given. */
  firstRetryMs?: number;
  /** Other channels that the connection of the queue listens to. */
  onNotify?: ListenOptions["onNotify"];
};

/** What the parts of the queue share. */
type Parts = {
  boss: PgBoss;
  heartbeats: Heartbeats;
  turns: Map<TaskKind, FairQueue>;
  workers: Map<TaskKind, Workers>;
  announcer: Announcer;
  /** Started with the first worker. */
  due?: DueLoop;
  isPaused: boolean;
};

export async function openQueue(options: QueueOptions): Promise<Queue> {
  const boss = await openBoss(options, taskKinds);
  const taskChannel = await findChannel(boss);
  let listener: Listener | null = null;
  const wakeWorkers = (kind?: string, mayBeLow = true) => {
    for (const [name, own] of parts.workers) if (kind === undefined || kind === name) own.wake(mayBeLow);
  };
  const hear = ({ channel, text }: Partial<Notification>) => {
    if (channel === dueChannel) return parts.due?.hear(text);
    const [kind, low] = text?.split(" ") ?? [];
    wakeWorkers(kind, kind === undefined || low !== undefined);
    parts.due?.lookSoon();
  };
  const parts: Parts = {
    boss,
    heartbeats: startHeartbeats(boss, options.onError),
    turns: new Map(taskKinds.map((kind) => [kind, createFairQueue(sharedClocks(kind, options.budgets))])),
    workers: new Map(),
    announcer: createAnnouncer({
      taskChannel,
      hintedMs,
      send: (notifications) => listener!.notify(notifications),
      hear,
    }),
    isPaused: false,
  };
  // What this process announced, its workers have heard at once.
  const hearOthers = (channel: string) => (text?: string, isOwn?: boolean) => void (isOwn || hear({ channel, text }));
  listener = await listen({
    url: options.directUrl || options.url,
    onNotify: {
      ...options.onNotify,
      [taskChannel]: hearOthers(taskChannel),
      [dueChannel]: hearOthers(dueChannel),
    },
    onError: options.onError,
    name: options.isWorkerThread ? "tidings-listen-thread" : undefined,
  });
  const startDue = () =>
    startDueLoop({
      listener,
      kinds: () => [...parts.workers.keys()],
      wakeWorkers,
      supervise: () => boss.supervise(),
      onError: options.onError,
    });
  return {
    ...taskWriters(parts),
    hold: parts.heartbeats.hold,
    letGo: parts.heartbeats.letGo,
    work(kind, work, handler) {
      startWorkers(parts, options, kind, work, handler);
      parts.due ??= startDue();
      parts.due.look();
    },
    pause() {
      parts.isPaused = true;
    },
    async depth() {
      const { rows } = await boss.getDb().executeSql(countTasks, [[...taskKinds]]);
      return Object.fromEntries(rows.map(({ kind, count }: { kind: string; count: number }) => [kind, count]));
    },
    notify: (channel, text) => listener.notify([{ channel, text }]),
    async ping() {
      await boss.getDb().executeSql("select 1");
    },
    async stop() {
      await parts.due?.stop();
      await drainWorkers(parts, options.onError);
      parts.heartbeats.stop();
      parts.announcer.close();
      await listener.close();
      await boss.stop({ graceful: true, timeout: 30_000 });
    },
  };
}

function sharedClocks(kind: TaskKind, budgets: Budgets | undefined): QueueClocks | undefined {
  if (!budgets) return undefined;
  const clocksOf = (backlog: Backlog): VirtualClocks => {
    const prefix = turnsPrefix(kind, backlog);
    return {
      advance: (name, costMs) => budgets.spend(`${prefix}${name}`, costMs, maxLagMs),
      clear: () => budgets.forget(prefix),
    };
  };
  return { low: clocksOf("low"), others: clocksOf("others") };
}

type TaskWriter =
  | "enqueue"
  | "enqueueMissing"
  | "confirm"
  | "keep"
  | "finish"
  | "finishParts"
  | "isBusy"
  | "recall"
  | "wakeHeld";

/** What the queue does with tasks inside a transaction of the caller. */
function taskWriters({ boss, turns, announcer }: Parts): Pick<Queue, TaskWriter> {
  const enqueue: Queue["enqueue"] = async (tx, kind, tasks) => {
    if (tasks.length === 0) return;
    const now = Date.now();
    const rows = tasks.map(({ data, startAfter, group, environmentId, lane, cost = 1, priority }) => ({
      data,
      startAfter,
      ...(group === undefined ? {} : { group: { id: group } }),
      ...(environmentId === undefined
        ? {}
        : {
            // No pg-boss policy of these queues reads the key: it only carries the environment.
            singletonKey: environmentId,
            priority: turns
              .get(kind)!
              .assignPriority({ environmentId, lane, cost, priority, dueAt: dueAt(startAfter, now) }, now),
          }),
    }));
    await boss.insert(kind, rows, { db: fromKysely(tx), returnId: false });
    const { low = [], others = [] } = Object.groupBy(tasks, (task) => (task.priority === "low" ? "low" : "others"));
    const startsOf = (own: NewTask[]) => own.map(({ startAfter }) => startAfter);
    announcer.announce(tx, kind, startsOf(others));
    announcer.announce(tx, `${kind} low`, startsOf(low));
  };
  const finish: Queue["finish"] = async (tx, kind, tasks) => {
    if (tasks.length === 0) return;
    const { affected } = (await boss.deleteJob(kind, claimsOf(tasks), { db: fromKysely(tx) })) as Affected;
    requireAllClaims(kind, tasks, affected);
  };
  return {
    enqueue,
    finish,
    finishParts: async (tx, kind, list, parts) => finish(tx, kind, await removeParts(tx, kind, list, parts)),
    async enqueueMissing(tx, kind, tasks) {
      // Until the transaction ends, no other process can add the same names.
      await sql`select pg_advisory_xact_lock(7465004)`.execute(tx);
      const { rows } = await sql<{ name: string }>`
        select distinct data->>'name' as name from ${jobs} where name = ${kind} and state <= 'active'`.execute(tx);
      const found = new Set(rows.map((row) => row.name));
      const missing = tasks.filter((task) => !found.has(task.name));
      await enqueue(
        tx,
        kind,
        missing.map(({ name, startAfter }) => ({ data: { name }, startAfter })),
      );
    },
    async confirm(tx, kind, tasks) {
      const { affected } = (await boss.touch(kind, claimsOf(tasks), { db: fromKysely(tx) })) as Affected;
      requireAllClaims(kind, tasks, affected);
    },
    async keep(tx, kind, tasks) {
      // A worker that fails gives back the tasks whose claims it holds; the new attempt number prevents
      // that.
      const { rows } = await sql`
        update ${jobs} j set retry_count = r.attempt + 1, heartbeat_on = clock_timestamp()
        from ${rowsOf("r", { id: "uuid", attempt: "int" }, tasks)}
        where j.name = ${kind} and j.id = r.id and j.state = 'active' and j.retry_count = r.attempt
        returning 1`.execute(tx);
      requireAllClaims(kind, tasks, rows.length);
      return tasks.map((task) => ({ ...task, attempt: task.attempt + 1 }));
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
    async wakeHeld(tx, environmentId, { spreadMs, cost, ...selection }) {
      const held = await lockHeldTasks(tx, environmentId, selection);
      if (held.length === 0) return 0;
      const now = Date.now();
      // Their turn was that of a later time. They get one as if they were new, so that other environments go first.
      const woken = held.map(({ id, lane, messages, priority }, index) => ({
        id,
        after_ms: (index * spreadMs) / held.length,
        priority: turns
          .get("deliver")!
          .assignPriority({ environmentId, lane, cost: messages * cost, dueAt: now, priority }, now),
      }));
      await bringForward(tx, environmentId, woken);
      announcer.announce(tx, "deliver", [0]);
      return held.length;
    },
  };
}

/** What pg-boss returns for a touch or a deletion; its types leave it open. */
type Affected = { affected: number };

function startWorkers<T>(
  parts: Parts,
  { onError, forgetShared, firstRetryMs = 1_000 }: QueueOptions,
  kind: TaskKind,
  options: WorkOptions,
  handler: (tasks: Task<T>[]) => Promise<void>,
): void {
  const { boss, heartbeats, turns, workers } = parts;
  const handle = (tasks: Task<T>[]): Promise<void> =>
    heartbeats.during(kind, tasks, async () => {
      try {
        await handler(tasks);
      } catch (error) {
        await giveUp(boss, kind, tasks, { error, firstRetryMs }).catch(onError);
        // They are retried after a pause that only the database knows.
        parts.due?.look();
      }
    });
  const fetch = async (batchSize: number, { from, to }: OrderRange): Promise<Task<T>[]> =>
    (await boss.fetch<T>(kind, { batchSize, minPriority: from, maxPriority: to, includeMetadata: true })).map(toTask);
  const onEmpty = (backlog: Backlog, hadBacklog: boolean) => {
    const isKnown = turns.get(kind)!.resetLags(backlog);
    if (hadBacklog || isKnown) forgetShared?.(turnsPrefix(kind, backlog)).catch(onError);
  };
  workers.set(kind, startLoops(options, { fetch, handle, onEmpty, onError, isPaused: () => parts.isPaused }));
}

/** Waits until the workers have stopped and all held tasks are let go, for 35 s at most. */
async function drainWorkers({ workers, heartbeats }: Parts, onError: (error: Error) => void): Promise<void> {
  const deadline = Date.now() + stopMs;
  let areHandled = false;
  Promise.all([...workers.values()].map((own) => own.stop())).then(() => (areHandled = true), onError);
  while ((!areHandled || heartbeats.hasHeld()) && Date.now() < deadline) await delay(20);
}
