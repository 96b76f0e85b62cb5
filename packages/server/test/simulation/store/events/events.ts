import type { CancelableEvent, EventRow } from "../../../../src/store/events/events.ts";
import { rowsStatement, statement } from "../../world/session.ts";

export * from "../../../../src/store/events/events.ts";

type Claim = { transaction_id: string; event_id: string };

const claim = statement("claimTransactionIds", async (tx, environmentId: string, claims: Claim[]) => {
  const won = new Set<string>();
  for (const one of claims.toSorted((a, b) => (a.transaction_id < b.transaction_id ? -1 : 1))) {
    const row = { environment_id: environmentId, ...one };
    if (await tx.insert("transaction_ids", one.transaction_id, row)) won.add(one.event_id);
  }
  return won;
});

export const claimTransactionIds: typeof claim = async (db, environmentId, claims) =>
  claims.length === 0 ? new Set() : claim(db, environmentId, claims);

export const findUsedTransactionIds = statement(
  "findUsedTransactionIds",
  (tx, _environmentId: string, ids: string[]) => new Set(ids.filter((id) => tx.get("transaction_ids", id))),
);

export const findEvents = statement("findEvents", (tx, _environmentId: string, ids: string[]) =>
  tx.where<EventRow>("events", ({ id }) => ids.includes(id)),
);

export const lockEventForCancel = statement(
  "lockEventForCancel",
  async (tx, _environmentId: string, transactionId: string): Promise<CancelableEvent | undefined> => {
    const [event] = await tx.lockWhere<EventRow>("events", (row) => row.transaction_id === transactionId);
    if (!event) return undefined;
    const { id, workflow_version_id, canceled_at, recipients } = event;
    const started = tx.where<{ event_id: string }>("notifications", (row) => row.event_id === id).length;
    return { id, workflow_version_id, is_open: canceled_at === null && started < recipients.length };
  },
);

export const markEventCanceled = statement(
  "markEventCanceled",
  async (tx, _environmentId: string, id: string, now: Date) => {
    await tx.change<EventRow>("events", id, () => ({ canceled_at: now }));
  },
);

export const takeHeldEvents = statement("takeHeldEvents", (): string[] => []);

export const insertEventParts = rowsStatement(
  "insertEventParts",
  () => undefined,
  (_tx, _attachments: unknown[], _values: unknown[]): void => {
    throw new Error("events of the simulation have no attachments");
  },
);
