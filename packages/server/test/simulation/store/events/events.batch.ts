import type { EventRow } from "../../../../src/store/events/events.ts";
import type { RowKey } from "../../../../src/store/keys.ts";
import { rowsStatement } from "../../world/session.ts";

export * from "../../../../src/store/events/events.batch.ts";

export const findEventsOfBatch = rowsStatement(
  "findEventsOfBatch",
  () => [],
  (tx, keys: RowKey[]): EventRow[] => {
    const ids = [...new Set(keys.map(({ id }) => id))].sort();
    return ids.flatMap((id) => tx.get<EventRow>("events", id) ?? []);
  },
);

export const lockEvents = rowsStatement(
  "lockEvents",
  () => [],
  (tx, keys: RowKey[]): Promise<EventRow[]> => {
    const ids = new Set(keys.map(({ id }) => id));
    return tx.lockWhere<EventRow>("events", ({ id, canceled_at }) => ids.has(id) && canceled_at === null, "share");
  },
);
