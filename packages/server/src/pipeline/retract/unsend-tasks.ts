// The tasks of the stage `unsend`.
import type { Batch } from "../batch.ts";
import { enqueueTimed, type Timed } from "../clock/clock.ts";
import { messagesPerTask, type UnsendTask } from "../tasks.ts";

type Sent = { id: string; integration_id: string | null };

/**
 * Messages that may have been taken back while a worker had them: their result is known now, or will never be. The
 * stage leaves those alone that were not.
 */
export async function passOnRetracted(batch: Batch, messages: (Sent & { environment_id: string })[]): Promise<void> {
  if (messages.length === 0) return;
  for (const [environmentId, own] of Map.groupBy(messages, (message) => message.environment_id)) {
    await enqueueTimed(batch, "unsend", unsendTasks(environmentId, own));
  }
}

/** Messages of one integration share tasks. */
export function unsendTasks(environmentId: string, messages: Sent[]): Timed[] {
  return [...Map.groupBy(messages, ({ integration_id }) => integration_id)].flatMap(([lane, own]) => {
    const tasks: Timed[] = [];
    for (let from = 0; from < own.length; from += messagesPerTask) {
      const data: UnsendTask = { messageIds: own.slice(from, from + messagesPerTask).map(({ id }) => id) };
      tasks.push({ environmentId, lane: lane ?? undefined, data });
    }
    return tasks;
  });
}
