// Messages for providers, as tasks of the stages that call them.
import type { Timed } from "../clock/clock.ts";
import { messagesPerTask } from "../tasks.ts";

/** A message for a provider. `lane`: its integration. */
export type Delivery = { environmentId: string; lane?: string; messageId: string };

/** Messages of one integration share tasks. */
export function groupDeliveries(deliveries: Delivery[]): Timed[] {
  const lanes = Map.groupBy(deliveries, ({ environmentId, lane }) => `${environmentId} ${lane}`);
  return [...lanes.values()].flatMap((own) => {
    const tasks: Timed[] = [];
    const { environmentId, lane } = own[0]!;
    for (let from = 0; from < own.length; from += messagesPerTask) {
      const messageIds = own.slice(from, from + messagesPerTask).map(({ messageId }) => messageId);
      tasks.push({ environmentId, lane, data: { messageIds } });
    }
    return tasks;
  });
}
