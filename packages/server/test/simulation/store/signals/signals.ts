import type { NewSignal, ReachedRun } from "../../../../src/store/signals/signals.ts";
import type { WaitRow } from "../../../../src/store/tables.ts";
import { environmentId } from "../../workflows.ts";
import { statement, stored } from "../../world/session.ts";
import { lockNames } from "./signal-locks.ts";

export * from "../../../../src/store/signals/signals.ts";

/** Whether the signal ends a wait for this name and key. */
export const isMet = (
  wait: { subscriber_id: string; signal: string | null; signal_key: string | null },
  signal: Pick<NewSignal, "subscriber_id" | "name" | "key">,
): boolean =>
  wait.subscriber_id === signal.subscriber_id &&
  wait.signal === signal.name &&
  (wait.signal_key === null || wait.signal_key === signal.key);

export const recordSignals = statement(
  "recordSignals",
  async (tx, _environmentId: string, signals: NewSignal[]): Promise<ReachedRun[]> => {
    const names = signals.map(({ subscriber_id, name }) => ({
      environment_id: environmentId,
      subscriber_id,
      signal: name,
    }));
    await lockNames(tx, names);
    for (const signal of signals) {
      await tx.insert("signals", signal.id, { environment_id: environmentId, ...signal, data: stored(signal.data) });
    }
    const firstOf = (wait: WaitRow) => signals.find((signal) => isMet(wait, signal));
    const held = await tx.lockWhere<WaitRow>(
      "run_waits",
      (wait) => wait.arrived_at === null && firstOf(wait) !== undefined,
    );
    return held.map((wait) => {
      const { id, data, created_at } = firstOf(wait)!;
      tx.put("run_waits", wait.job_id, { ...wait, arrived_at: created_at, arrived_by: "signal", data: stored(data) });
      return { signal_id: id, notification_id: wait.notification_id };
    });
  },
);

export const deleteWaits = statement(
  "deleteWaits",
  async (tx, _environmentId: string, jobIds: string[]): Promise<void> => {
    const waits = await tx.lockWhere<WaitRow>("run_waits", ({ job_id }) => jobIds.includes(job_id));
    for (const { job_id } of waits) tx.put("run_waits", job_id, null);
  },
);
