// Stage 1: accepted events come in, a task per request. As many recipients as a transaction should have go straight on;
// the other events go back to the queue, an event with more than that is cut into slices, an audience into pages.
import type { Ctx } from "../context.ts";
import { inTransaction } from "../store/db.ts";
import { type EventRow, lockEvents } from "../store/events.ts";
import type { Task } from "../store/queue.ts";
import { type Start, startRuns } from "./2-fanout.ts";
import { firstPage } from "./audience.ts";
import { enqueueTimed, readClock, type Timed } from "./clock.ts";
import { recipientsPerBatch, type TriggerTask } from "./tasks.ts";

export async function runTrigger(ctx: Ctx, tasks: Task<TriggerTask>[]): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const events = await lockEvents(
      tx,
      tasks.flatMap((task) => task.data.eventIds),
    );
    const clock = await readClock(
      ctx,
      tx,
      events.map((event) => event.environment_id),
    );
    const fanout: Timed[] = [];
    const starts: Start[] = [];
    const later: EventRow[] = [];
    let room = recipientsPerBatch;
    for (const event of events) {
      const { environment_id: environmentId, recipients, id: eventId } = event;
      const count = recipients.length;
      if (count > room && count <= recipientsPerBatch) {
        later.push(event);
        continue;
      }
      if (event.audience) fanout.push({ environmentId, data: firstPage(event) });
      if (count <= room) {
        starts.push({ event, recipients });
        room -= count;
        continue;
      }
      for (let from = 0; from < count; from += recipientsPerBatch) {
        const to = Math.min(count, from + recipientsPerBatch);
        fanout.push({ environmentId, data: { eventId, from, to } });
      }
    }
    await ctx.queue.finish(tx, "trigger", tasks);
    await enqueueTimed(
      ctx,
      tx,
      clock,
      "trigger",
      [...Map.groupBy(later, (event) => event.environment_id)].flatMap(batches),
    );
    await enqueueTimed(ctx, tx, clock, "fanout", fanout);
    await startRuns(ctx, tx, starts, clock);
  });
}

/** Events that found no room go back to the queue, as many in a task as fill a transaction. */
function batches([environmentId, events]: [string, EventRow[]]): Timed[] {
  const tasks: { environmentId: string; data: TriggerTask }[] = [];
  let room = 0;
  for (const { id, recipients } of events) {
    if (recipients.length > room) {
      tasks.push({ environmentId, data: { eventIds: [] } });
      room = recipientsPerBatch;
    }
    tasks.at(-1)!.data.eventIds.push(id);
    room -= recipients.length;
  }
  return tasks;
}
