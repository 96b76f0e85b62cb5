// Workers: which stage takes which tasks, how many at once, and what happens when a batch fails. A stage finishes its
// tasks in the transaction of their result; what it throws goes back to the queue and is repeated.
import type { Ctx, OutsideCtx } from "../context.ts";
import { isDatabaseAway } from "../store/db.ts";
import { ClaimLost, type Task, type TaskKind } from "../store/queue.ts";
import { runTrigger } from "./1-trigger.ts";
import { runFanout } from "./2-fanout.ts";
import { runWake } from "./3-step.ts";
import { createDeliver, deliverBatch } from "./4-deliver.ts";
import { createWebhooks, webhookBatch } from "./5-webhooks.ts";
import { runHousekeeping, scheduleHousekeeping } from "./housekeeping.ts";
import { runMoveClock } from "./move-clock.ts";
import { runUnsnooze } from "./unsnooze.ts";

type Stage<T> = {
  kind: TaskKind;
  run(ctx: Ctx, tasks: Task<T>[]): Promise<void>;
  batchSize: number;
  /** How often to look for tasks that have become due; new ones announce themselves. */
  pollSeconds: number;
  isSingle?: boolean;
};

// Trigger tasks carry up to 100 events each, so 5 of them make a batch of 500 notifications: at that size the cost per
// row has levelled off (bench/results.md).
const stagesOf = (ctx: OutsideCtx): Stage<never>[] => [
  { kind: "trigger", run: runTrigger, batchSize: 5, pollSeconds: 2 },
  { kind: "fanout", run: runFanout, batchSize: 1, pollSeconds: 2 },
  { kind: "wake", run: runWake, batchSize: 20, pollSeconds: 0.5 },
  { kind: "deliver", run: stateful(createDeliver(ctx)), batchSize: deliverBatch(ctx), pollSeconds: 0.5 },
  { kind: "webhook", run: stateful(createWebhooks(ctx)), batchSize: webhookBatch, pollSeconds: 1 },
  { kind: "unsnooze", run: runUnsnooze, batchSize: 100, pollSeconds: 2 },
  { kind: "clock", run: runMoveClock, batchSize: 1, pollSeconds: 2 },
  { kind: "housekeeping", run: runHousekeeping, batchSize: 5, pollSeconds: 30, isSingle: true },
];

/** A stage with a state of its own: what it has under way. */
const stateful =
  <T>(work: (tasks: Task<T>[]) => Promise<void>): Stage<T>["run"] =>
  (_ctx, tasks) =>
    work(tasks);

export async function startWorkers(ctx: OutsideCtx): Promise<void> {
  await scheduleHousekeeping(ctx);
  for (const stage of stagesOf(ctx)) {
    const concurrency = stage.isSingle ? 1 : ctx.config.workerConcurrency;
    const options = { batchSize: stage.batchSize, concurrency, pollSeconds: stage.pollSeconds };
    await ctx.queue.work<never>(stage.kind, options, (tasks) => runBatch(ctx, stage, tasks));
  }
}

async function runBatch(ctx: Ctx, stage: Stage<never>, tasks: Task<never>[]): Promise<void> {
  const started = performance.now();
  try {
    await stage.run(ctx, tasks);
  } catch (error) {
    if (isDatabaseAway(error)) throw report(ctx, stage, error, tasks);
    if (tasks.length > 1) await runOneByOne(ctx, stage, tasks);
    // A lost claim is no fault: another worker has the task, and nothing of this attempt was kept.
    else if (!(error instanceof ClaimLost)) throw report(ctx, stage, error, tasks);
  } finally {
    ctx.metrics.taskSeconds.observe({ kind: stage.kind }, (performance.now() - started) / 1000);
  }
}

/** One task that cannot be worked must not hold up its neighbours: each is tried alone, the faulty ones go back. */
async function runOneByOne(ctx: Ctx, stage: Stage<never>, tasks: Task<never>[]): Promise<void> {
  let failed: unknown;
  for (const task of tasks) {
    try {
      await stage.run(ctx, [task]);
    } catch (error) {
      if (!(error instanceof ClaimLost)) failed = report(ctx, stage, error, [task]);
    }
  }
  if (failed) throw failed;
}

function report(ctx: Ctx, stage: Stage<never>, error: unknown, tasks: Task<never>[]): unknown {
  ctx.metrics.taskFailures.inc({ kind: stage.kind }, tasks.length);
  const context = { err: error, kind: stage.kind, tasks: tasks.map(({ id, attempt }) => ({ id, attempt })) };
  ctx.log.error(context, "tasks failed and will be repeated");
  return error;
}
