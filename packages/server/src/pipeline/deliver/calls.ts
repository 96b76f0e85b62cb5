// Calls to the outside, for stages whose work is waiting for others. A worker does not wait for the calls it started: it
// takes the next tasks as soon as there is room for them, so a slow receiver holds up calls of its own environment only. The
// claims on tasks that are under way are kept alive meanwhile, and results that come in together share a transaction.
import type { Ctx } from "../../context.ts";
import type { Task, TaskKind } from "../../store/queue/queue.ts";
import { transact } from "../batch.ts";
import { type Boarding, createLanes, type Place } from "./lanes.ts";

type Held = { task: Task<unknown> };

export type Calls<Data, Due extends Held, Done extends Held> = {
  kind: TaskKind;
  /** Calls under way at once in this process. */
  window: number;
  /** Tasks taken at once. */
  batch: number;
  /** How long a result may wait for others. */
  gatherMs: number;
  /** Answers what is to be called now, with its place in a lane taken; everything else is finished there. */
  prepare(tx: Ctx, tasks: Task<Data>[], boarding: Boarding): Promise<Due[]>;
  placeOf(due: Due): Place;
  /** The moment of the call (ms), if it is not to be made at once. */
  startOf?(due: Due): number | undefined;
  /** Never rejects. A result that is no promise was known beforehand: nothing was called, and no place was taken. */
  call(due: Due): Promise<Done> | Done;
  write(group: Done[]): Promise<void>;
};

/** The stage, with the calls it has under way: one for each service. */
export function createCalls<Data, Due extends Held, Done extends Held>(ctx: Ctx, calls: Calls<Data, Due, Done>) {
  const lanes = createLanes(calls.window);
  let finished: Done[] = [];

  const add = (done: Done) => {
    finished.push(done);
    if (finished.length > 1) return;
    setTimeout(() => {
      const group = finished;
      finished = [];
      void calls.write(group).finally(() => ctx.queue.letGo(group.map((one) => one.task)));
    }, calls.gatherMs);
  };

  const start = async (due: Due): Promise<void> => {
    const waitMs = (calls.startOf?.(due) ?? 0) - Date.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const began = performance.now();
    const called = calls.call(due);
    const done = await called;
    if (called instanceof Promise) lanes.left(calls.placeOf(due), performance.now() - began);
    add(done);
  };

  return async (tasks: Task<Data>[]): Promise<void> => {
    const boarding = lanes.board();
    let due: Due[];
    try {
      due = await transact(ctx, (tx) => calls.prepare(tx, tasks, boarding));
    } catch (error) {
      boarding.giveBack();
      throw error;
    }
    ctx.queue.hold(
      calls.kind,
      due.map((one) => one.task),
    );
    for (const one of due) void start(one);
    await lanes.room(calls.batch, due.map(calls.placeOf));
  };
}
