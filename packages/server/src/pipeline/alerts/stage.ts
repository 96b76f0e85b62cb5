// The tasks of alerts: a pass over all rules every half minute, and the messages that it wrote, each as its own task,
// so that a target that hangs holds up neither the next pass nor other targets.
import type { Ctx, NetworkCtx } from "../../context.ts";
import { inTransaction } from "../../store/db.ts";
import type { Task } from "../../store/queue/queue.ts";
import { type AlertTask, environmentOf } from "../tasks.ts";
import { deliverMessage } from "./deliver/message.ts";
import { runPass } from "./pass.ts";

/** With a minute until a disturbance counts, people are notified within two minutes. */
const passMs = 30_000;

const passTask = (now: Date) => ({ name: "pass", startAfter: new Date(now.getTime() + passMs) });

/** Enqueues the pass unless it is in the queue. */
export async function scheduleAlerts(ctx: NetworkCtx): Promise<void> {
  await inTransaction(ctx.db, (tx) => ctx.queue.enqueueMissing(tx, "alert", [passTask(ctx.now())]));
}

export function createAlertStage(ctx: NetworkCtx): (tasks: Task<AlertTask>[]) => Promise<void> {
  return async (tasks) => {
    for (const task of tasks) await runTask(ctx, task);
  };
}

function runTask(ctx: NetworkCtx, task: Task<AlertTask>): Promise<void> {
  const finish = (tx: Ctx) => tx.queue.finish(tx.db, "alert", [task]);
  if ("messageId" in task.data) {
    const { messageId } = task.data;
    return deliverMessage(ctx, { environmentId: environmentOf(task), messageId }, finish);
  }
  return runPass(ctx, ctx.now(), async (tx) => {
    await finish(tx);
    await tx.queue.enqueueMissing(tx.db, "alert", [passTask(tx.now())]);
  });
}
