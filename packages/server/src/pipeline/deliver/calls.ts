// A stage whose work is network calls (deliver, webhook): prepare the tasks in a transaction, make the calls outside of
// it, settle their results in another. A worker does not wait for the calls it started: it takes the next tasks as soon
// as there are slots for them, so a slow receiver delays only its own environment. Meanwhile the claims on the tasks in
// flight are kept alive, and results that arrive together share a transaction.
import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../context.ts";
import { isDatabaseUnavailable } from "../../store/faults.ts";
import { ClaimLostError, type Task, type TaskKind } from "../../store/queue/queue.ts";
import { transact } from "../batch.ts";
import { createConcurrencyWindow } from "./concurrency.ts";
import type { Admission, Slot } from "./pacing.ts";

type WithTask = { task: Task<unknown> };

type Settling<Finished extends WithTask> = {
  kind: TaskKind;
  /** How often settling is tried, and the pause between two tries. */
  settleTries: number;
  settlePauseMs: number;
  /** Writes results, in the transaction that `transact` opens. Returns what is done after its commit, if anything. */
  settle(tx: Ctx, group: Finished[]): Promise<(() => void) | undefined>;
  transact: typeof transact;
};

type CallStage<Data, Prepared extends WithTask, Finished extends WithTask> = Settling<Finished> & {
  /** Calls in flight at once in this process. */
  window: number;
  /** Tasks taken at once. */
  batch: number;
  /** How long a result may wait for others, to share a transaction with them. */
  gatherMs: number;
  /** Returns the calls to make now, with their slots taken; finishes all other tasks. */
  prepare(tx: Ctx, tasks: Task<Data>[], admission: Admission): Promise<Prepared[]>;
  slotOf(prepared: Prepared): Slot;
  /** The time of the call (ms), if it is not due immediately. */
  startOf?(prepared: Prepared): number | undefined;
  /** Never rejects. A result that is not a promise was known beforehand: no call was made and no slot was taken. */
  call(prepared: Prepared): Promise<Finished> | Finished;
};

/** The handler of a stage, with its calls in flight: one for each service. */
export function createCallStage<Data, Prepared extends WithTask, Finished extends WithTask>(
  ctx: Ctx,
  stage: CallStage<Data, Prepared, Finished>,
) {
  const window = createConcurrencyWindow(stage.window);
  let finished: Finished[] = [];

  const gatherResult = (result: Finished) => {
    finished.push(result);
    if (finished.length > 1) return;
    setTimeout(() => {
      const group = finished;
      finished = [];
      void writeResults(ctx, stage, group).finally(() => ctx.queue.letGo(group.map((one) => one.task)));
    }, stage.gatherMs);
  };

  const makeCall = async (prepared: Prepared): Promise<void> => {
    const waitMs = (stage.startOf?.(prepared) ?? 0) - Date.now();
    if (waitMs > 0) await sleep(waitMs);
    const began = performance.now();
    const called = stage.call(prepared);
    const result = await called;
    if (called instanceof Promise) window.release(stage.slotOf(prepared), performance.now() - began);
    gatherResult(result);
  };

  return async (tasks: Task<Data>[]): Promise<void> => {
    const admission = window.openAdmission();
    let prepared: Prepared[];
    try {
      prepared = await transact(ctx, (tx) => stage.prepare(tx, tasks, admission));
    } catch (error) {
      admission.releaseAll();
      throw error;
    }
    ctx.queue.hold(
      stage.kind,
      prepared.map((one) => one.task),
    );
    for (const one of prepared) void makeCall(one);
    await window.waitForRoom(stage.batch, prepared.map(stage.slotOf));
  };
}

/** A result that cannot be written is lost: once its claim has lapsed, another worker repeats the task. */
async function writeResults<Finished extends WithTask>(
  ctx: Ctx,
  stage: Settling<Finished>,
  group: Finished[],
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const afterCommit = await stage.transact(ctx, (tx) => stage.settle(tx, group));
      return afterCommit?.();
    } catch (error) {
      // One result that the database refuses must not keep back the others.
      if (group.length > 1 && !isDatabaseUnavailable(error)) {
        await Promise.all(group.map((one) => writeResults(ctx, stage, [one])));
        return;
      }
      // Another worker has claimed the task and will write its result, or our last try was committed after all.
      if (error instanceof ClaimLostError) return;
      if (tries >= stage.settleTries) {
        ctx.metrics.taskFailures.inc({ kind: stage.kind }, group.length);
        const facts = { err: error, kind: stage.kind, tasks: group.map(({ task }) => task.id) };
        ctx.log.error(facts, "the results of calls could not be written");
        return;
      }
      await sleep(stage.settlePauseMs);
    }
  }
}
