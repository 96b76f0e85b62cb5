// Time, per environment. Most environments use real time. The time of one on a test clock stops until a request
// moves it, and tasks that are due later wait in the store until then. All tasks with a time are enqueued here.
import type { Ctx } from "../../context.ts";
import { holdTestClocks } from "../../store/environments/clocks.batch.ts";
import { findClock, insertClockTasks } from "../../store/environments/clocks.ts";
import type { TaskKind } from "../../store/queue/queue.ts";
import { costOf, rankIn } from "../tasks.ts";

/** The time of each environment. `isStopped`: the environment is on a test clock. */
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

/** Real time for every environment, for those known not to be on a test clock. */
export function realClock(ctx: Ctx): Clock {
  const real = ctx.now();
  return { now: () => real, isStopped: () => false };
}

/** The random number of retry waits. On a test clock it is constant, so that every run is the same. */
export const randomFor = (clock: Clock, environmentId: string): (() => number) =>
  clock.isStopped(environmentId) ? () => 0.5 : Math.random;

/**
 * Without `at`, the task is due at once. `lane` is an integration or a webhook; `lane`, `cost` and the priority in the
 * data are passed on to the queue.
 */
export type Timed = { environmentId: string; data: object; at?: Date; lane?: string; cost?: number };

/** The queue group of tasks that wait in real time: they are moved to the test clock when the environment gets one. */
export const waitingGroup = (environmentId: string): string => `waiting ${environmentId}`;

/** The queue group of tasks in flight in an environment on a test clock, which moves on when they are finished. */
export const inFlightGroup = (environmentId: string): string => environmentId;

/** Enqueues each task for its time. A task that is due later on a test clock is stored until the clock gets there. */
export async function enqueueTimed(batch: Ctx & { clock: Clock }, kind: TaskKind, tasks: Timed[]): Promise<void> {
  const { clock, db } = batch;
  const isStored = ({ environmentId, at }: Timed) =>
    at !== undefined && clock.isStopped(environmentId) && at > clock.now(environmentId);
  await insertClockTasks(
    db,
    tasks.filter(isStored).map(({ environmentId, data, at }) => ({
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
      .filter((task) => !isStored(task))
      .map(({ environmentId, data, at, lane, cost = costOf(kind, data) }) => {
        const task = { data, environmentId, lane, cost, ...rankIn(data) };
        if (clock.isStopped(environmentId)) return { ...task, group: inFlightGroup(environmentId) };
        return at === undefined ? task : { ...task, startAfter: at, group: waitingGroup(environmentId) };
      }),
  );
}
