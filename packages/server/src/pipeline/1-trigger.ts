// Stage 1: accepted events come in, a task per request. Small audiences go straight on; large ones are cut into slices,
// so that no transaction grows with the size of an audience.
import type { Ctx } from "../context.ts";
import { inTransaction } from "../store/db.ts";
import { findEvents } from "../store/events.ts";
import type { NewTask, Task } from "../store/queue.ts";
import { startRuns } from "./2-fanout.ts";
import { recipientsPerBatch, type TriggerTask } from "./tasks.ts";

export async function runTrigger(ctx: Ctx, tasks: Task<TriggerTask>[]): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const events = await findEvents(
      tx,
      tasks.flatMap((task) => task.data.eventIds),
    );
    const slices: NewTask[] = [];
    const starts = [];
    let room = recipientsPerBatch;
    for (const event of events) {
      const count = event.recipients.length;
      if (count <= room) {
        starts.push({ event, recipients: event.recipients });
        room -= count;
        continue;
      }
      for (let from = 0; from < count; from += recipientsPerBatch) {
        slices.push({ data: { eventId: event.id, from, to: Math.min(count, from + recipientsPerBatch) } });
      }
    }
    await ctx.queue.finish(tx, "trigger", tasks);
    await ctx.queue.enqueue(tx, "fanout", slices);
    await startRuns(ctx, tx, starts);
  });
}
