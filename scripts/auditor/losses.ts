// When writes of the service could get lost.
import type { FaultKind, FaultRecord } from "./evidence.ts";

/** Faults in which a process can lose what it is about to write: it ends or stops, or does not reach the database. */
const losing = new Set<FaultKind>([
  ...(["kill-process", "stop-process", "stop-thread", "upgrade"] as const),
  ...(["kill-database", "restart-database", "kill-backend", "failover", "disk-full"] as const),
  ...(["cut-network", "refuse-network", "slow-network", "connections", "lock-tables"] as const),
]);
/** After a fault, connections are opened again. */
const reconnectMs = 10_000;

/** Whether a fault in which writes get lost was in effect at a moment between the two. */
export const couldLose = (faults: readonly FaultRecord[], from: number, to: number): boolean =>
  faults.some(
    ({ fault, problem, startedAt, endedAt }) =>
      !problem && losing.has(fault) && startedAt <= to && from <= endedAt + reconnectMs,
  );
