import type { SignalName } from "../../../../src/store/signals/signal-locks.ts";
import type { NewSignal } from "../../../../src/store/signals/signals.ts";
import type {
  EndedWait,
  EndingWait,
  FoundSignal,
  LookBack,
  NewWait,
} from "../../../../src/store/signals/waits.batch.ts";
import type { WaitRow } from "../../../../src/store/tables.ts";
import { rowsStatement } from "../../world/session.ts";
import { lockNames } from "./signal-locks.ts";
import { isMet } from "./signals.ts";

export * from "../../../../src/store/signals/waits.batch.ts";

export const insertWaits = rowsStatement(
  "insertWaits",
  () => undefined,
  async (tx, waits: NewWait[]): Promise<void> => {
    for (const wait of waits) {
      await tx.insert("run_waits", wait.job_id, { ...wait, arrived_at: null, arrived_by: null, data: null });
    }
  },
);

export const lockSignals = rowsStatement(
  "lockSignals",
  () => undefined,
  (tx, names: readonly SignalName[]): Promise<void> => lockNames(tx, names),
);

export const findSignals = rowsStatement(
  "findSignals",
  () => [],
  (tx, wanted: LookBack[]): FoundSignal[] =>
    wanted.flatMap((wait) => {
      const [last] = tx
        .where<NewSignal>("signals", (signal) => isMet(wait, signal) && signal.created_at >= wait.since)
        .sort((a, b) => b.created_at.getTime() - a.created_at.getTime());
      return last ? [{ job_id: wait.job_id, data: last.data, created_at: last.created_at }] : [];
    }),
);

export const endWaits = rowsStatement(
  "endWaits",
  () => [],
  async (tx, ending: EndingWait[]): Promise<EndedWait[]> => {
    const isDue = new Map(ending.map(({ job_id, is_due }) => [job_id, is_due]));
    const held = await tx.lockWhere<WaitRow>("run_waits", ({ job_id }) => isDue.has(job_id));
    const ended = held.filter(({ job_id, arrived_at }) => isDue.get(job_id) || arrived_at !== null);
    for (const { job_id } of ended) tx.put("run_waits", job_id, null);
    return ended.map(({ job_id, arrived_at, arrived_by, data }) => ({ job_id, arrived_at, arrived_by, data }));
  },
);
