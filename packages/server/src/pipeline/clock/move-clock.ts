// Moving a test clock. It stops at every moment for which a task waits, hands the tasks over, and goes on when the
// environment has come to rest: so a month of delays happens in order, each step at its own time. The way is in the
// store, one transaction per stop; whoever dies on it, the next worker goes on from there.
import type { Ctx } from "../../context.ts";
import {
  type ClockState,
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
import { enqueueTimed, realClock, underWayIn, waitingIn } from "./clock.ts";

/** A long way is walked in turns, so that other environments get theirs. */
const turnMs = 10_000;
const firstPauseMs = 2;
const longestPauseMs = 25;
/** After a turn in which the environment did not come to rest: something in it fails and is being repeated. */
const restSeconds = 2;

/** Tasks moved between the queue and the clock in one transaction. */
const tasksPerStep = 1_000;
/** Tasks of one moment that are handed over together; wakes count by their runs. */
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
        await tx.queue.enqueue(tx.db, "clock", [{ data: task.data, startAfter: next === "busy" ? restSeconds : 0 }]);
      }
      return next;
    });
    if (isOver || step === "done") return;
    if (step === "busy") await rest(ctx, task.data.environmentId, end);
  }
}

/** Until the environment has come to rest, or the turn is over. Asked without holding the clock, which others need. */
async function rest(ctx: Ctx, environmentId: string, end: number): Promise<void> {
  for (let pauseMs = firstPauseMs; performance.now() <= end; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (!(await ctx.queue.isBusy(ctx.db, underWayIn(environmentId)))) return;
  }
}

async function takeStep(ctx: Ctx, environmentId: string): Promise<Step> {
  const clock = await lockClock(ctx.db, environmentId);
  if (!clock) return "done";
  if (clock.now === null) return giveBack(ctx, environmentId);
  if (await takeIn(ctx, environmentId)) return "moved";
  if (clock.target === null) return "done";
  if (await ctx.queue.isBusy(ctx.db, underWayIn(environmentId))) return "busy";
  return goOn(ctx, environmentId, clock as ClockState & { now: Date; target: Date });
}

/** Off the clock: what waited for it waits in the queue, for the same time. */
async function giveBack(ctx: Ctx, environmentId: string): Promise<Step> {
  const taken = await takeClockTasks(ctx.db, environmentId, tasksPerStep);
  for (const [kind, tasks] of Map.groupBy(taken, (task) => task.kind)) {
    const timed = tasks.map(({ data, due_at: at }) => ({ environmentId, data, at }));
    await enqueueTimed({ ...ctx, clock: realClock(ctx) }, kind, timed);
  }
  return taken.length === tasksPerStep ? "moved" : "done";
}

/** Tasks that began to wait in real time wait for the clock from now on. Answers whether there may be more. */
async function takeIn(ctx: Ctx, environmentId: string): Promise<boolean> {
  const recalled = await ctx.queue.recall(ctx.db, waitingIn(environmentId), tasksPerStep);
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

/** To the next moment for which something waits, or to the end of the way. */
async function goOn(ctx: Ctx, environmentId: string, { now, target }: { now: Date; target: Date }): Promise<Step> {
  const due = await findDueTasks(ctx.db, environmentId, target, loadPerStep);
  const [first] = due;
  if (!first) {
    await setClock(ctx.db, environmentId, { now: target, target: null });
    return "done";
  }
  await setClock(ctx.db, environmentId, { now: first.due_at > now ? first.due_at : now, target });
  const { taken, tasks } = nextLoad(due);
  await deleteClockTasks(ctx.db, environmentId, taken);
  const group = underWayIn(environmentId);
  await ctx.queue.enqueue(
    ctx.db,
    first.kind,
    tasks.map((data) => ({ data, group, environmentId, cost: costOf(first.kind, data) })),
  );
  return "moved";
}

/**
 * The first tasks of a moment, of one kind: the rest follows when these have been worked, so that the order is the same
 * every time. Wakes become one task, whose runs go on in one transaction.
 */
function nextLoad(due: ClockTask[]): { taken: string[]; tasks: object[] } {
  const { kind } = due[0]!;
  const runsOf = (task: ClockTask) => (kind === "wake" ? (task.data as WakeTask).notificationIds : []);
  const load: ClockTask[] = [];
  let weight = 0;
  for (const task of due) {
    if (task.kind !== kind) break;
    weight += Math.max(1, runsOf(task).length);
    if (load.length > 0 && weight > loadPerStep) break;
    load.push(task);
  }
  const taken = load.map((task) => task.id);
  if (kind !== "wake") return { taken, tasks: load.map((task) => task.data) };
  return { taken, tasks: [{ notificationIds: [...new Set(load.flatMap(runsOf))] }] };
}
