// Claims on tasks: a process keeps the tasks it works on by a heartbeat, and a lapsed claim cannot finish its task.
import type { PgBoss } from "pg-boss";
import { isDatabaseUnavailable } from "../faults.ts";
import { heartbeatSeconds, schema } from "./boss.ts";

export const taskKinds = [
  "trigger",
  "fanout",
  "wake",
  "bridge",
  "request",
  "deliver",
  "webhook",
  "unsnooze",
  "replay",
  "release",
  "clock",
  "import",
  "alert",
  "erase",
  "retract",
  "unsend",
  "check",
  "backtest",
  "relay",
  "housekeeping",
] as const;
export type TaskKind = (typeof taskKinds)[number];

/** A task as a worker holds it: `attempt` fences the claim, so that a lapsed holder cannot finish the task. */
export type Task<T> = { id: string; attempt: number; data: T; environmentId?: string };

export class ClaimLostError extends Error {}

/** This program cannot do the task, and a newer one that shares the queue may: it goes back without counting a try. */
export class LeftToNewerError extends Error {}

export const claimsOf = (tasks: Task<unknown>[]) => tasks.map((task) => ({ id: task.id, retryCount: task.attempt }));

/** `affected`: how many of the tasks are still claimed by this process. */
export function requireAllClaims(kind: TaskKind, tasks: Task<unknown>[], affected: number): void {
  if (affected === tasks.length) return;
  throw new ClaimLostError(`${tasks.length - affected} of ${tasks.length} ${kind} tasks are held by another process`);
}

/** How long tasks wait that were given back: because of an error of the database, or to a newer program. */
const giveBackSeconds = { database: 2, newer: 30 };

/**
 * Gives tasks back as if they had not been fetched: the try does not count, because the task did not cause the failure.
 * The next fetch leaves `retry_count` unchanged, which is safe: the worker that gives its claim back does not use it
 * again.
 */
const giveBack = `
  update ${schema}.job_common
  set state = 'retry', started_on = null, heartbeat_on = null, start_after = clock_timestamp() + $4 * interval '1 s'
  where name = $1 and state = 'active' and (id, retry_count) in (select * from unnest($2::uuid[], $3::int[]))`;

/** After this, tasks that fail are tried every five minutes, or set aside (pipeline/set-aside.ts). */
const maxRetryMs = 300_000;

/**
 * Lets other workers try failed tasks again, after a wait that doubles with every try. pg-boss waits for a second at
 * least, and writes each row twice.
 */
const retryLater = `
  update ${schema}.job_common
  set state = 'retry', heartbeat_on = null, output = jsonb_build_object('message', $4::text),
    start_after = clock_timestamp() + interval '1 ms'
      * least(${maxRetryMs}, $5 * power(2, least(retry_count, 16)) * (1 + random()))
  where name = $1 and state = 'active' and (id, retry_count) in (select * from unnest($2::uuid[], $3::int[]))`;

/** Lets other workers have the tasks, after a failure of this one. */
export async function giveUp(
  boss: PgBoss,
  kind: TaskKind,
  tasks: Task<unknown>[],
  { error, firstRetryMs }: { error: unknown; firstRetryMs: number },
): Promise<void> {
  const claims = [kind, tasks.map((task) => task.id), tasks.map((task) => task.attempt)];
  const isLeft = error instanceof LeftToNewerError;
  if (isLeft || isDatabaseUnavailable(error)) {
    await boss.getDb().executeSql(giveBack, [...claims, isLeft ? giveBackSeconds.newer : giveBackSeconds.database]);
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  await boss.getDb().executeSql(retryLater, [...claims, message, firstRetryMs]);
}

type ClaimedTask = { kind: TaskKind; task: Task<unknown> };

export type Heartbeats = {
  /** Keeps the claims alive while the work runs. */
  during(kind: TaskKind, tasks: Task<unknown>[], work: () => Promise<void>): Promise<void>;
  /** Keeps the claims alive until they are released as often as they were acquired: once for each part of a task. */
  hold(kind: TaskKind, tasks: Task<unknown>[]): void;
  letGo(tasks: Task<unknown>[]): void;
  hasHeld(): boolean;
  stop(): void;
};

/**
 * A task whose row is locked is being finished, so it needs no heartbeat: waiting for its lock would deadlock with a
 * transaction that finishes parts of several tasks.
 */
const keepAlive = `
  update ${schema}.job_common j set heartbeat_on = clock_timestamp()
  from (
    select name, id from ${schema}.job_common
    where name = $1 and state = 'active' and (id, retry_count) in (select * from unnest($2::uuid[], $3::int[]))
    for update skip locked
  ) claimed
  where j.name = claimed.name and j.id = claimed.id`;

export function startHeartbeats(boss: PgBoss, onError: (error: Error) => void): Heartbeats {
  const held = new Map<string, ClaimedTask & { times: number }>();
  const batches = new Set<ClaimedTask[]>();
  const timer = setInterval(() => {
    for (const [kind, group] of Map.groupBy([...held.values(), ...[...batches].flat()], (one) => one.kind)) {
      const ids = group.map(({ task }) => task.id);
      const attempts = group.map(({ task }) => task.attempt);
      boss.getDb().executeSql(keepAlive, [kind, ids, attempts]).catch(onError);
    }
  }, heartbeatSeconds * 250);
  return {
    async during(kind, tasks, work) {
      const batch = tasks.map((task) => ({ kind, task }));
      batches.add(batch);
      await work().finally(() => batches.delete(batch));
    },
    hold(kind, tasks) {
      for (const task of tasks) held.set(task.id, { kind, task, times: 1 + (held.get(task.id)?.times ?? 0) });
    },
    letGo(tasks) {
      for (const { id } of tasks) {
        const one = held.get(id);
        if (one && --one.times === 0) held.delete(id);
      }
    },
    hasHeld: () => held.size > 0,
    stop: () => clearInterval(timer),
  };
}
