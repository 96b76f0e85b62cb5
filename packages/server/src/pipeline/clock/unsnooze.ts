// The end of a snooze: the message returns to the feed, as if it had just been delivered.
import type { Ctx } from "../../context.ts";
import { lockSnoozed, redeliverMessages } from "../../store/messages/snooze.batch.ts";
import type { Task } from "../../store/queue/queue.ts";
import { openBatch, transact } from "../batch.ts";
import { detail } from "../rules/details.ts";
import { keysIn, type UnsnoozeTask } from "../tasks.ts";
import { emitMessages } from "../webhooks/events.ts";
import { enqueueTimed } from "./clock.ts";

export async function runUnsnooze(ctx: Ctx, tasks: Task<UnsnoozeTask>[]): Promise<void> {
  await transact(ctx, async (tx) => {
    await tx.queue.finish(tx.db, "unsnooze", tasks);
    const locked = await lockSnoozed(
      tx.db,
      keysIn(tasks, ({ messageId }) => [messageId]),
    );
    const batch = await openBatch(
      tx,
      locked.map((message) => message.environment_id),
    );
    // A message that expired while it was snoozed does not return; housekeeping deletes it.
    const snoozed = locked.filter(
      ({ environment_id, expires_at }) => !expires_at || expires_at > batch.clock.now(environment_id),
    );
    const isDue = (message: (typeof snoozed)[number]) =>
      message.snoozed_until <= batch.clock.now(message.environment_id);
    for (const message of snoozed.filter(isDue)) tx.hints.add(message.subscriber_id);
    const due = snoozed.filter(isDue).map(({ id, environment_id: environmentId }) => ({
      environmentId,
      messageId: id,
      type: "message.unsnoozed" as const,
      at: batch.clock.now(environmentId),
    }));
    await redeliverMessages(
      batch.db,
      due.map(({ environmentId, messageId, at }) => ({
        environment_id: environmentId,
        id: messageId,
        at,
        detail: detail("unsnoozed", at),
      })),
    );
    await emitMessages(batch, due);
    // The message was snoozed again meanwhile, or the clock of the database is ahead of this process: it waits on.
    const early = snoozed.filter((message) => !isDue(message));
    await enqueueTimed(
      batch,
      "unsnooze",
      early.map(({ id, environment_id: environmentId, snoozed_until: at }) => ({
        environmentId,
        data: { messageId: id },
        at,
      })),
    );
  });
}
