// Messages for providers, as tasks of the stages that call them.
import type { Timed } from "../clock/clock.ts";
import { type DeliverTask, messagesPerTask, type Ranked } from "../tasks.ts";

/** A message for a provider. `lane`: its integration. */
export type Delivery = { environmentId: string; lane?: string; messageId: string; rank?: Ranked };

/** Messages of one integration and priority share tasks. */
export function groupDeliveries(deliveries: Delivery[]): Timed[] {
  const lanes = Map.groupBy(
    deliveries,
    ({ environmentId, lane, rank }) => `${environmentId} ${lane} ${rank?.priority}`,
  );
  return [...lanes.values()].flatMap((own) => {
    const tasks: Timed[] = [];
    const { environmentId, lane, rank } = own[0]!;
    for (let from = 0; from < own.length; from += messagesPerTask) {
      const messageIds = own.slice(from, from + messagesPerTask).map(({ messageId }) => messageId);
      const data: DeliverTask = { messageIds, ...rank };
      tasks.push({ environmentId, lane, data });
    }
    return tasks;
  });
}
