// Moves a test clock to its target. The clock stops at every time for which a task waits, enqueues the tasks of that
// time, and moves on when the environment is idle: so a month of delays happens in order, each step at its own time.
// Each stop is one transaction, and the position is stored: after a crash another worker continues from there.
import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../context.ts";
import {
  type ClockTask,
  deleteClockTasks,
  findDueTasks,
  insertClockTasks,
  lockClock,
  setClock,
  takeClockTasks,
} from "../../store/environments/clocks.ts";
import type { Task } from "../../store/queue/queue.ts";
import { transact } from "../batch.ts";
import { type ClockMoveTask, costOf, type WakeTask } from "../tasks.ts";
import { enqueueTimed, inFlightGroup, realClock, waitingGroup } from "./clock.ts";

/**
 * How long one task may move the clock; then it is enqueued again, so that the clocks of other environments move too.
 */
const turnMs = 10_000;
const firstPauseMs = 2;
const maxPauseMs = 25;
/** The pause after a turn in which the environment did not become idle: a task of it fails and is being repeated. */
const busyPauseSeconds = 2;

/** Tasks moved between the queue and the clock in one transaction. */
const tasksPerStep = 1_000;
/** Tasks of the same time that are enqueued together; a wake task counts as the number of its runs. */
const loadPerStep = 500;

export async function runMoveClock(ctx: Ctx, tasks: Task<ClockMoveTask>[]): Promise<void> {
  for (const task of tasks) await takeTurn(ctx, task);
}

type Step = "moved" | "busy" | "done";

async function takeTurn(ctx: Ctx, task: Task<ClockMoveTask>): Promise<void> {
  const end = performance.now() + turnMs;
  for (;;) {
    const isOver = performance.now() > end;
    const step: Step = await transact(ctx, async (tx) => {
      const next = await takeStep(tx, task.data.environmentId);
      if (isOver || next === "done") await tx.queue.finish(tx.db, "clock", [task]);
      if (isOver && next !== "done") {
        await tx.queue.enqueue(tx.db, "clock", [
          { data: task.data, startAfter: next === "busy" ? busyPauseSeconds : 0 },
        ]);
      }
      return next;
    });
    if (isOver || step === "done") return;
    if (step === "busy") await waitUntilIdle(ctx, task.data.environmentId, end);
  }
}

/** Waits until the environment is idle, or the turn is over. The clock is not locked meanwhile: its tasks need it. */
async function waitUntilIdle(ctx: Ctx, environmentId: string, end: number): Promise<void> {
  for (let pauseMs = firstPauseMs; performance.now() <= end; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
    await sleep(pauseMs);
    if (!(await ctx.queue.isBusy(ctx.db, inFlightGroup(environmentId)))) return;
  }
}

async function takeStep(ctx: Ctx, environmentId: string): Promise<Step> {
  const clock = await lockClock(ctx.db, environmentId);
  if (!clock) return "done";
  if (clock.now === null) return returnTasks(ctx, environmentId);
  if (await collectTasks(ctx, environmentId)) return "moved";
  const { now, target } = clock;
  if (target === null) return "done";
  if (await ctx.queue.isBusy(ctx.db, inFlightGroup(environmentId))) return "busy";
  return moveToNextTask(ctx, environmentId, now, target);
}

/** The test clock was removed: its tasks return to the queue, for the same times. */
async function returnTasks(ctx: Ctx, environmentId: string): Promise<Step> {
  const taken = await takeClockTasks(ctx.db, environmentId, tasksPerStep);
  for (const [kind, tasks] of Map.groupBy(taken, (task) => task.kind)) {
    const timed = tasks.map(({ data, due_at: at }) => ({ environmentId, data, at }));
    await enqueueTimed({ ...ctx, clock: realClock(ctx) }, kind, timed);
  }
  return taken.length === tasksPerStep ? "moved" : "done";
}

/** Moves tasks that wait in real time to the test clock. Returns whether there may be more. */
async function collectTasks(ctx: Ctx, environmentId: string): Promise<boolean> {
  const recalled = await ctx.queue.recall(ctx.db, waitingGroup(environmentId), tasksPerStep);
  const rows = recalled.map(({ kind, data, startAfter }) => ({
    id: ctx.newId(),
    environment_id: environmentId,
    due_at: startAfter,
    kind,
    data,
  }));
  await insertClockTasks(ctx.db, rows);
  return recalled.length === tasksPerStep;
}

/** Moves the clock to the next time for which a task waits, or to its target. */
async function moveToNextTask(ctx: Ctx, environmentId: string, now: Date, target: Date): Promise<Step> {
  const due = await findDueTasks(ctx.db, environmentId, target, loadPerStep);
  const [first] = due;
  if (!first) {
    await setClock(ctx.db, environmentId, { now: target, target: null });
    return "done";
  }
  await setClock(ctx.db, environmentId, { now: first.due_at > now ? first.due_at : now, target });
  const { taken, tasks } = selectTasks(due);
  await deleteClockTasks(ctx.db, environmentId, taken);
  const group = inFlightGroup(environmentId);
  await ctx.queue.enqueue(
    ctx.db,
    first.kind,
    tasks.map((data) => ({ data, group, environmentId, cost: costOf(first.kind, data) })),
  );
  return "moved";
}

/**
 * The first tasks, all of one kind: the others follow when these are finished, so that the order is the same every
 * time. Wake tasks are joined in one, whose runs continue in one transaction.
 */
function selectTasks(due: ClockTask[]): { taken: string[]; tasks: object[] } {
  const { kind } = due[0]!;
  const runsOf = (task: ClockTask) => (kind === "wake" ? (task.data as WakeTask).notificationIds : []);
  const selected: ClockTask[] = [];
  let weight = 0;
  for (const task of due) {
    if (task.kind !== kind) break;
    weight += Math.max(1, runsOf(task).length);
    if (selected.length > 0 && weight > loadPerStep) break;
    selected.push(task);
  }
  const taken = selected.map((task) => task.id);
  if (kind !== "wake") return { taken, tasks: selected.map((task) => task.data) };
  return { taken, tasks: [{ notificationIds: [...new Set(selected.flatMap(runsOf))] }] };
}
