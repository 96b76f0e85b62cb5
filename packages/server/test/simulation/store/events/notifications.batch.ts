import type { DigestedNotification } from "../../../../src/store/events/notifications.batch.ts";
import type { NotificationRow } from "../../../../src/store/events/notifications.ts";
import type { RowKey } from "../../../../src/store/keys.ts";
import { rowsStatement } from "../../world/session.ts";

export * from "../../../../src/store/events/notifications.batch.ts";

export const lockNotifications = rowsStatement(
  "lockNotifications",
  () => [],
  (tx, keys: RowKey[]): Promise<NotificationRow[]> => {
    const ids = new Set(keys.map(({ id }) => id));
    return tx.lockWhere<NotificationRow>("notifications", ({ id }) => ids.has(id));
  },
);

export const markDigested = rowsStatement(
  "markDigested",
  () => undefined,
  async (tx, digested: DigestedNotification[]): Promise<void> => {
    for (const { id, into, at } of digested) {
      await tx.change<NotificationRow>("notifications", id, () => ({ digested_into: into, updated_at: at }));
    }
  },
);
