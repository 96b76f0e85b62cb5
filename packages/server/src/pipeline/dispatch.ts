// Workers: which stage takes which tasks, how many at once, and what happens when a batch fails. A stage finishes its
// tasks in the transaction of their result. When it throws, the queue repeats the tasks, and a task that fails every
// time is set aside (set-aside.ts).
import type { Ctx, NetworkCtx } from "../context.ts";
import { isDatabaseUnavailable } from "../store/faults.ts";
import { readSchemaState } from "../store/installation/schema-state.ts";
import { ClaimLostError, LeftToNewerError, type Task, type TaskKind } from "../store/queue/queue.ts";
import { createAlertStage, scheduleAlerts } from "./alerts/stage.ts";
import { askBatch } from "./asks/stage.ts";
import { runBacktest } from "./backtests/stage.ts";
import { createBridgeStage } from "./bridge/stage.ts";
import { createCheckStage } from "./broadcasts/check-stage.ts";
import { runMoveClock } from "./clock/move-clock.ts";
import { runUnsnooze } from "./clock/unsnooze.ts";
import { runRelease } from "./deliver/release.ts";
import { runReplay } from "./deliver/replay.ts";
import { createDeliverStage, deliverBatch } from "./deliver/stage.ts";
import { runErase } from "./erasure/stage.ts";
import { runHousekeeping, scheduleHousekeeping } from "./housekeeping.ts";
import { runImport } from "./imports/stage.ts";
import { createRequestStage } from "./requests/stage.ts";
import { runRetract } from "./retract/stage.ts";
import { createUnsendStage, unsendBatch } from "./retract/unsend.ts";
import { runWake } from "./run/wake.ts";
import { divideOrSetAside, suspectAfter } from "./set-aside.ts";
import { runRelay } from "./sources/stage.ts";
import { callCost, costOf, recipientsPerBatch } from "./tasks.ts";
import { runFanout, runTrigger } from "./trigger/trigger.ts";
import { createWebhookStage, webhookBatch } from "./webhooks/stage.ts";

type Stage<T> = {
  kind: TaskKind;
  run(ctx: Ctx, tasks: Task<T>[]): Promise<void>;
  batchSize: number;
  isSingle?: boolean;
  /** Whether worker threads work on these too. The others are few, or need more memory the more of them run. */
  isForThreads?: boolean;
  /** Whether tasks of different environments may share a transaction. */
  isMixed?: boolean;
  /** The cost of the tasks in one transaction (tasks.ts); without it `recipientsPerBatch`. */
  maxCost?: number;
};

// Trigger tasks carry up to 100 recipients each, so 5 of them make a batch of 500 notifications: at that size the cost
// per row has levelled off (bench/results.md).
const stagesOf = (ctx: NetworkCtx): Stage<never>[] => [
  { kind: "trigger", run: runTrigger, batchSize: 5, isForThreads: true },
  { kind: "fanout", run: runFanout, batchSize: 1 },
  { kind: "wake", run: runWake, batchSize: 20, isForThreads: true },
  {
    kind: "deliver",
    run: stateful(createDeliverStage(ctx)),
    batchSize: deliverBatch(ctx),
    isMixed: true,
    maxCost: deliverBatch(ctx) * callCost,
    isForThreads: true,
  },
  { kind: "bridge", run: stateful(createBridgeStage(ctx)), batchSize: askBatch, isMixed: true, isForThreads: true },
  { kind: "request", run: stateful(createRequestStage(ctx)), batchSize: askBatch, isMixed: true, isForThreads: true },
  {
    kind: "webhook",
    run: stateful(createWebhookStage(ctx)),
    batchSize: webhookBatch,
    isMixed: true,
    isForThreads: true,
  },
  { kind: "unsnooze", run: runUnsnooze, batchSize: 100 },
  { kind: "replay", run: runReplay, batchSize: 1 },
  { kind: "release", run: runRelease, batchSize: 1 },
  { kind: "clock", run: runMoveClock, batchSize: 1 },
  { kind: "import", run: runImport, batchSize: 1 },
  { kind: "alert", run: stateful(createAlertStage(ctx)), batchSize: 1 },
  { kind: "erase", run: runErase, batchSize: 1 },
  { kind: "retract", run: runRetract, batchSize: 1 },
  { kind: "unsend", run: stateful(createUnsendStage(ctx)), batchSize: unsendBatch, isMixed: true },
  { kind: "check", run: stateful(createCheckStage(ctx)), batchSize: 1 },
  { kind: "backtest", run: runBacktest, batchSize: 1 },
  { kind: "relay", run: runRelay, batchSize: 20 },
  { kind: "housekeeping", run: runHousekeeping, batchSize: 5, isSingle: true },
];

/** A stage that was created with its context, because it has calls in flight between batches. */
const stateful =
  <T>(run: (tasks: Task<T>[]) => Promise<void>): Stage<T>["run"] =>
  (_ctx, tasks) =>
    run(tasks);

/**
 * `isFirst`: of the main thread, which works on every kind of task. `onBatch`: worker threads could take such tasks
 * too.
 */
type WorkerOptions = { isFirst: boolean; onBatch?: () => void; countThreads: () => number };

export async function startWorkers(ctx: NetworkCtx, options: WorkerOptions): Promise<void> {
  const { isFirst, onBatch, countThreads } = options;
  if (isFirst) await scheduleHousekeeping(ctx);
  if (isFirst) await scheduleAlerts(ctx);
  for (const stage of stagesOf(ctx)) {
    const { kind, batchSize, isSingle = false, isForThreads = false } = stage;
    if (!isFirst && !isForThreads) continue;
    const concurrency = isSingle ? 1 : ctx.config.workerConcurrency;
    // The threads of a process share its concurrency: more batches at once would keep other environments waiting for
    // PostgreSQL.
    const allowed = () => Math.max(1, Math.floor(concurrency / (isForThreads ? countThreads() : 1)));
    const options = { batchSize, concurrency, allowed, hasReserve: !isSingle };
    ctx.queue.work<never>(kind, options, (tasks) => {
      if (isForThreads) onBatch?.();
      return runBatch(ctx, stage, tasks);
    });
  }
}

async function runBatch(ctx: Ctx, stage: Stage<never>, tasks: Task<never>[]): Promise<void> {
  const started = performance.now();
  try {
    const { alone = [], together = [] } = Object.groupBy(tasks, (task) =>
      task.attempt >= suspectAfter ? "alone" : "together",
    );
    const failures: Failed[] = [];
    for (const group of groupsOf(stage, together)) failures.push(await runTogether(ctx, stage, group));
    for (const task of alone) failures.push(await runSuspect(ctx, stage, task));
    const failed = failures.find((failure) => failure !== undefined);
    if (failed) throw failed.error;
  } finally {
    ctx.metrics.taskSeconds.observe({ kind: stage.kind }, (performance.now() - started) / 1000);
  }
}

/**
 * One transaction for each group: not more tasks than fit in a short one, and of one environment where they would wait
 * for each other's locks or roll each other back.
 */
function groupsOf(stage: Stage<never>, tasks: Task<never>[]): Task<never>[][] {
  const { isMixed, maxCost = recipientsPerBatch } = stage;
  return [...Map.groupBy(tasks, (task) => !isMixed && task.environmentId).values()].flatMap((own) => {
    const groups: { tasks: Task<never>[]; cost: number }[] = [];
    for (const task of own) {
      const cost = costOf(stage.kind, task.data);
      const last = groups.at(-1);
      if (last && last.cost + cost <= maxCost) {
        last.tasks.push(task);
        last.cost += cost;
      } else groups.push({ tasks: [task], cost });
    }
    return groups.map((group) => group.tasks);
  });
}

/** The error to throw, so that the queue repeats the unfinished tasks. */
type Failed = { error: unknown } | undefined;

/** When a batch fails, each of its tasks is tried alone, so that one failing task does not hold up the others. */
async function runTogether(ctx: Ctx, stage: Stage<never>, tasks: Task<never>[]): Promise<Failed> {
  const [only] = tasks;
  if (!only) return undefined;
  if (tasks.length === 1) return runAlone(ctx, stage, only);
  try {
    await stage.run(ctx, tasks);
    return undefined;
  } catch (error) {
    if (isDatabaseUnavailable(error)) return { error: report(ctx, stage, error, tasks) };
    let failed: Failed;
    for (const task of tasks) failed = (await runAlone(ctx, stage, task)) ?? failed;
    return failed;
  }
}

async function runAlone(ctx: Ctx, stage: Stage<never>, task: Task<never>): Promise<Failed> {
  try {
    await stage.run(ctx, [task]);
    return undefined;
  } catch (error) {
    // A lost claim is not a failure: another worker has the task, and this attempt was rolled back.
    if (error instanceof ClaimLostError) return undefined;
    if (isDatabaseUnavailable(error)) return { error: report(ctx, stage, error, [task]) };
    if (await isSharedWithNewer(ctx)) return { error: leave(ctx, stage, error, task) };
    const isDone = await removeFailing(ctx, stage, task, error);
    return isDone ? undefined : { error: report(ctx, stage, error, [task]) };
  }
}

/**
 * A task that returned several times without an error may crash this process too, so it is divided before it is tried.
 */
async function runSuspect(ctx: Ctx, stage: Stage<never>, task: Task<never>): Promise<Failed> {
  const isRemoved = !(await isSharedWithNewer(ctx)) && (await removeFailing(ctx, stage, task, undefined));
  return isRemoved ? undefined : runAlone(ctx, stage, task);
}

/** While a newer release shares the queue, a failing task may be one that only its processes understand. */
const isSharedWithNewer = (ctx: Ctx): Promise<boolean> =>
  readSchemaState(ctx.db).then(
    ({ isShared, isTooNew }) => isShared || isTooNew,
    () => false,
  );

function leave(ctx: Ctx, stage: Stage<never>, error: unknown, { id, attempt }: Task<never>): LeftToNewerError {
  ctx.metrics.taskFailures.inc({ kind: stage.kind });
  const context = { err: error, kind: stage.kind, tasks: [{ id, attempt }] };
  ctx.log.warn(context, "a task failed and is left to the newer version that shares the queue");
  return new LeftToNewerError(String(error));
}

/** Divides the task or sets it aside; returns whether it has left the queue. */
async function removeFailing(ctx: Ctx, stage: Stage<never>, task: Task<never>, error: unknown): Promise<boolean> {
  try {
    const result = await divideOrSetAside(ctx, stage.kind, task, error);
    if (result === "set aside") {
      ctx.metrics.failedTasks.inc({ kind: stage.kind });
      ctx.log.error({ err: error, kind: stage.kind, task: task.id }, "a task failed every time and was set aside");
    }
    return result !== "repeat";
  } catch (fault) {
    if (!(fault instanceof ClaimLostError)) ctx.log.error({ err: fault, task: task.id }, "a task could not be divided");
    return false;
  }
}

function report(ctx: Ctx, stage: Stage<never>, error: unknown, tasks: Task<never>[]): unknown {
  ctx.metrics.taskFailures.inc({ kind: stage.kind }, tasks.length);
  // Logged once, not for every batch.
  if (isDatabaseUnavailable(error)) {
    ctx.faults.note(error);
    return error;
  }
  const context = { err: error, kind: stage.kind, tasks: tasks.map(({ id, attempt }) => ({ id, attempt })) };
  ctx.log.error(context, "tasks failed and will be repeated");
  return error;
}
