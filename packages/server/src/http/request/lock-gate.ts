// Requests behind a lock. A table that is locked by hand makes every request that needs it wait until the lock timeout
// of its connection (store/db.ts). Without a limit they would use all connections, and requests that need other tables
// would fail with them. So the writes to one resource use all connections but two, and once per request of an
// environment has met a lock, one at a time tries again: the others get a response immediately.
import type { OperationId } from "@tidings/contract";
import { LRUCache } from "lru-cache";
import { Failure, failure } from "../../failure.ts";
import { createFairSemaphore, SemaphoreFullError } from "../../lib/load/semaphores.ts";
import { findDatabaseFault } from "../../store/faults.ts";
import { failureOfFault } from "../errors.ts";

/** How long after a lock was met requests try one at a time. */
const lockedMs = 10_000;
/** Connections that are left to other resources. */
const connectionsLeft = 2;
const waiting = { waitingPerOwner: 1_000, waitMs: 5_000 };

/**
 * Runs a request of an environment; throws 503 instead when the request would wait for a lock that another one has met.
 */
type LockGate = <T extends { status: number }>(environmentId: string, work: () => Promise<T>) => Promise<T>;

/** `isLimited`: whether the requests share a number of connections; not needed where another limit holds. */
export type LockGates = { gateOf(id: OperationId, isLimited: boolean): LockGate };

/** `connections`: of the pool. `lockMs`: the lock timeout of a connection. */
type GateOptions = { connections: number; lockMs: number };

/** The operations on one resource (`subscribers`) share a gate: they need the same tables. */
export function createLockGates({ connections, lockMs }: GateOptions): LockGates {
  const gates = new Map<string, LockGate>();
  return {
    gateOf(id, isLimited) {
      const name = `${id.slice(0, id.indexOf("."))} ${isLimited}`;
      const gate = gates.get(name) ?? createGate(isLimited ? Math.max(1, connections - connectionsLeft) : null, lockMs);
      gates.set(name, gate);
      return gate;
    },
  };
}

function createGate(connections: number | null, lockMs: number): LockGate {
  // Created when a lock is met: the empty caches of all resources would take a third of the time of a start.
  let locked: LRUCache<string, true> | null = null;
  const running = new Map<string, number>();
  const slots = connections && createFairSemaphore({ total: connections, perOwner: connections, ...waiting });
  const count = (environmentId: string, step: number) => {
    const left = (running.get(environmentId) ?? 0) + step;
    if (left > 0) running.set(environmentId, left);
    else running.delete(environmentId);
  };
  const acquire = async (environmentId: string): Promise<() => void> => {
    if (!slots) return () => {};
    return slots.acquire(environmentId).catch((error) => {
      throw error instanceof SemaphoreFullError
        ? failure("UNAVAILABLE", {}, { headers: { "retry-after": "2" } })
        : error;
    });
  };
  const mayTry = (environmentId: string) => !locked?.has(environmentId) || !running.has(environmentId);
  return async (environmentId, work) => {
    if (!mayTry(environmentId)) throw failureOfFault("locked");
    const release = await acquire(environmentId);
    // Another request may have met a lock meanwhile.
    const isAllowed = mayTry(environmentId);
    const startedAt = performance.now();
    count(environmentId, 1);
    try {
      if (!isAllowed) throw failureOfFault("locked");
      const response = await work();
      // A request that is refused may not have needed the lock.
      if (response.status < 400) locked?.delete(environmentId);
      return response;
    } catch (error) {
      // Some waits are shorter (inSavepoint): they say nothing about other requests.
      const hasWaited = performance.now() - startedAt >= lockMs * 0.9;
      if (hasWaited && isLock(error)) {
        locked ??= new LRUCache({ max: 10_000, ttl: lockedMs });
        locked.set(environmentId, true);
      }
      throw error;
    } finally {
      count(environmentId, -1);
      release();
    }
  };
}

const isLock = (error: unknown): boolean =>
  error instanceof Failure ? error.code === "DATABASE_LOCKED" : findDatabaseFault(error) === "locked";
