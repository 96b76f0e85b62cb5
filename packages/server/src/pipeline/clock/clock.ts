// Time, per environment. Most environments live in real time; one on a test clock stands still until somebody moves it,
// and what falls due later waits in the store until then. Everything that happens "at" or "after" goes through here.
import type { Ctx } from "../../context.ts";
import { holdTestClocks } from "../../store/environments/clocks.batch.ts";
import { findClock, insertClockTasks } from "../../store/environments/clocks.ts";
import type { TaskKind } from "../../store/queue/queue.ts";
import { costOf } from "../tasks.ts";

/** The time of each environment: one on a test clock has a time of its own, which stands still until it is moved. */
export type Clock = { now(environmentId: string): Date; isStopped(environmentId: string): boolean };

/** The clocks of these environments. Test clocks are locked: they do not move until the transaction of `tx` ends. */
export async function readClock(tx: Ctx, environmentIds: Iterable<string>): Promise<Clock> {
  const real = tx.now();
  const stopped = await holdTestClocks(tx.db, [...new Set(environmentIds)]);
  return {
    now: (environmentId) => stopped.get(environmentId) ?? real,
    isStopped: (environmentId) => stopped.has(environmentId),
  };
}

/** The clock of one environment, without a lock, for operations that only read. */
export async function peekClock(ctx: Ctx, environmentId: string): Promise<Clock> {
  const { now } = (await findClock(ctx.db, environmentId)) ?? { now: null };
  const real = ctx.now();
  return { now: () => now ?? real, isStopped: () => now !== null };
}

/** The clock of environments that can have no other than the real one. */
export function realClock(ctx: Ctx): Clock {
  const real = ctx.now();
  return { now: () => real, isStopped: () => false };
}

/** Chance, for what is spread at random. On a test clock there is none: the same happens every time. */
export const chanceIn = (clock: Clock, environmentId: string): (() => number) =>
  clock.isStopped(environmentId) ? () => 0.5 : Math.random;

/** Without `at`, the task is due at once. `lane` and `cost` as the queue has them. */
export type Timed = { environmentId: string; data: object; at?: Date; lane?: string; cost?: number };

/** The group of tasks that wait in real time: a test clock takes them in when the environment is put on it. */
export const waitingIn = (environmentId: string): string => `waiting ${environmentId}`;

/** The group of tasks under way in an environment on a test clock, which waits for them before it goes on. */
export const underWayIn = (environmentId: string): string => environmentId;

/** Enqueues each task for its time; what falls due later on a test clock is kept for the clock to hand over. */
export async function enqueueTimed(batch: Ctx & { clock: Clock }, kind: TaskKind, tasks: Timed[]): Promise<void> {
  const { clock, db } = batch;
  const isParked = ({ environmentId, at }: Timed) =>
    at !== undefined && clock.isStopped(environmentId) && at > clock.now(environmentId);
  await insertClockTasks(
    db,
    tasks.filter(isParked).map(({ environmentId, data, at }) => ({
      id: batch.newId(),
      environment_id: environmentId,
      due_at: at!,
      kind,
      data,
    })),
  );
  await batch.queue.enqueue(
    db,
    kind,
    tasks
      .filter((task) => !isParked(task))
      .map(({ environmentId, data, at, lane, cost = costOf(kind, data) }) => {
        const task = { data, environmentId, lane, cost };
        if (clock.isStopped(environmentId)) return { ...task, group: underWayIn(environmentId) };
        return at === undefined ? task : { ...task, startAfter: at, group: waitingIn(environmentId) };
      }),
  );
}
