import type { SignalName } from "../../../../src/store/signals/signal-locks.ts";
import type { Transaction } from "../../world/disk.ts";

export * from "../../../../src/store/signals/signal-locks.ts";

/** Locks are taken in one order, whichever it is. */
export const lockNames = (tx: Transaction, names: readonly SignalName[]): Promise<void> =>
  tx.lock("signal_locks", [...new Set(names.map(({ subscriber_id, signal }) => `${subscriber_id} ${signal}`))].sort());
