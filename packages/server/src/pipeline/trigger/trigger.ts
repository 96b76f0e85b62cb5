// Stage 1: accepted events come in, a task per 100 recipients of a request. As many recipients as a transaction should have
// go straight on; the other events go back to the queue, an event with more than that is cut into slices, an audience into
// pages.
import type { Ctx } from "../../context.ts";
import { lockEvents } from "../../store/events/events.batch.ts";
import type { EventRow } from "../../store/events/events.ts";
import type { Task } from "../../store/queue/queue.ts";
import { openBatch, transact } from "../batch.ts";
import { enqueueTimed, type Timed } from "../clock/clock.ts";
import { recipientsPerBatch, recipientsPerTask, type TriggerTask } from "../tasks.ts";
import { firstPage } from "./audience.ts";
import { type Start, startRuns } from "./fanout.ts";

export async function runTrigger(ctx: Ctx, tasks: Task<TriggerTask>[]): Promise<void> {
  await transact(ctx, async (tx) => {
    const events = await lockEvents(
      tx.db,
      tasks.flatMap((task) => task.data.eventIds),
    );
    const batch = await openBatch(
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
    await batch.queue.finish(batch.db, "trigger", tasks);
    await enqueueTimed(
      batch,
      "trigger",
      [...Map.groupBy(later, (event) => event.environment_id)].flatMap(([id, own]) => triggerTasks(id, own)),
    );
    await enqueueTimed(batch, "fanout", fanout);
    await startRuns(batch, starts);
  });
}

/** Events as tasks of about the same cost: several fill a transaction. */
export function triggerTasks(environmentId: string, events: Pick<EventRow, "id" | "recipients">[]): Timed[] {
  const tasks: { environmentId: string; data: TriggerTask; cost: number }[] = [];
  for (const { id, recipients } of events) {
    const cost = Math.max(1, recipients.length);
    const last = tasks.at(-1);
    if (last && last.cost + cost <= recipientsPerTask) {
      last.data.eventIds.push(id);
      last.cost += cost;
    } else tasks.push({ environmentId, data: { eventIds: [id] }, cost });
  }
  return tasks;
}
