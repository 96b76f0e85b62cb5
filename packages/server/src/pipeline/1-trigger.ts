// Stage 1: accepted events come in, a task per request. A few recipients go straight on; many are cut into slices, and
// audiences into pages, so that no transaction grows with the number of recipients.
import type { Ctx } from "../context.ts";
import { inTransaction } from "../store/db.ts";
import { lockEvents } from "../store/events.ts";
import type { NewTask, Task } from "../store/queue.ts";
import { startRuns } from "./2-fanout.ts";
import { firstPage } from "./audience.ts";
import { recipientsPerBatch, type TriggerTask } from "./tasks.ts";

export async function runTrigger(ctx: Ctx, tasks: Task<TriggerTask>[]): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const events = await lockEvents(
      tx,
      tasks.flatMap((task) => task.data.eventIds),
    );
    const fanout: NewTask[] = [];
    const starts = [];
    let room = recipientsPerBatch;
    for (const event of events) {
      if (event.audience) fanout.push({ data: firstPage(event) });
      const count = event.recipients.length;
      if (count <= room) {
        starts.push({ event, recipients: event.recipients });
        room -= count;
        continue;
      }
      for (let from = 0; from < count; from += recipientsPerBatch) {
        fanout.push({ data: { eventId: event.id, from, to: Math.min(count, from + recipientsPerBatch) } });
      }
    }
    await ctx.queue.finish(tx, "trigger", tasks);
    await ctx.queue.enqueue(tx, "fanout", fanout);
    await startRuns(ctx, tx, starts);
  });
}
