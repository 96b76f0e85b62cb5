// Admission of events. Accepting an event takes less time than working on it, so clients that send without a pause
// would let the queue grow without bound. A request to trigger events is delayed by a quarter of the time for which the
// oldest waiting event of its environment has been in the queue, so that clients slow down to the speed of the workers;
// an environment whose events wait for minutes is refused with 429. Other environments are not affected. Events of low
// priority wait by design: they neither delay nor refuse others, until they are so old that no more of them are taken.
//
// Environments also take turns at accepting: when all slots are in use, the next one goes to the environment that has
// waited longest for its turn. Without it, the requests of one environment would use all database connections, and
// every step of another environment's request would wait for a step of each of them.
import { setTimeout as sleep } from "node:timers/promises";
import { failure } from "../../failure.ts";
import { createFairSemaphore, type FairSemaphore, SemaphoreFullError } from "../../lib/load/semaphores.ts";
import type { BacklogAges } from "../../store/queue/backlog.ts";

/** Below this age events are accepted without delay. */
const freeMs = 250;
const delayPerAge = 0.25;
const maxDelayMs = 2_000;
/** At this age no more events are accepted. */
const refusedMs = 5 * 60_000;
/** While events of low priority have waited so long, bulk requests are refused: most low events come with them. */
const lowRefusedMs = 60 * 60_000;
const maxRetrySeconds = 60;

/**
 * How long the ages count. They are read in the background while events arrive, so that no request waits for the query.
 */
const refreshMs = 500;
const forgetMs = 5_000;

/**
 * Transactions of one environment at a time, for single events and for bulk requests. With more, requests that wait for
 * their turn would share fewer transactions. One thread needs three to be busy while they wait for PostgreSQL (more
 * events were accepted than with two or seven); several threads need one each.
 */
const transactionsFor = (threads: number): number => (threads === 1 ? 3 : threads);
const waiting = { waitingPerOwner: 1_000, waitMs: 30_000 };

/**
 * A request. Those with one event have their own slots, and are not delayed by the age of the queue: most of them never
 * wait there.
 */
type Arrival = { environmentId: string; isSingle: boolean };

export type Admission = {
  /** Resolves when the events of the environment may be accepted, or throws 429. */
  waitForQueue(arrival: Arrival): Promise<void>;
  /**
   * Waits for a slot, for one transaction. Resolves to the function that releases it; throws 429 when too many wait.
   */
  acquire(arrival: Arrival): Promise<() => void>;
};

type Source = {
  findAges(): Promise<Map<string, BacklogAges>>;
  onError(error: unknown): void;
  /** Database connections; some are left to the workers. */
  connections: number;
  /** Threads of this process. */
  countThreads(): number;
};

export function createAdmission({ findAges, onError, connections, countThreads }: Source): Admission {
  const total = Math.max(2, connections - 2);
  const slots = createFairSemaphore({ total, perOwner: total - 1, ...waiting });
  const perOwner = () => transactionsFor(countThreads());
  const singles = createFairSemaphore({
    ...waiting,
    total: Number.POSITIVE_INFINITY,
    get perOwner() {
      return perOwner();
    },
  });
  const bulks = createFairSemaphore({
    ...waiting,
    // Bulk requests keep the processor busy for longer, so few of them run at a time.
    get total() {
      return perOwner() + 1;
    },
    get perOwner() {
      return perOwner();
    },
  });
  const now = () => performance.now();
  let ages = new Map<string, BacklogAges>();
  let readAt = -Infinity;
  let isReading = false;
  const refresh = async () => {
    isReading = true;
    try {
      ages = await findAges();
    } catch (error) {
      ages = new Map();
      onError(error);
    } finally {
      readAt = now();
      isReading = false;
    }
  };
  return {
    async waitForQueue({ environmentId, isSingle }) {
      const isKnown = now() - readAt < forgetMs;
      if (!isReading && now() - readAt > refreshMs) void refresh();
      const { others: ageMs, low: lowAgeMs } = (isKnown && ages.get(environmentId)) || { others: 0, low: 0 };
      if (ageMs > refusedMs) throw backlogTooOld(ageMs);
      if (lowAgeMs > lowRefusedMs && !isSingle) throw backlogTooOld(lowAgeMs);
      const delayMs = Math.min(maxDelayMs, (ageMs - freeMs) * delayPerAge);
      if (delayMs > 0 && !isSingle) await sleep(delayMs);
    },
    async acquire({ environmentId, isSingle }) {
      const releaseKind = await acquireSlot(isSingle ? singles : bulks, environmentId);
      try {
        const release = await acquireSlot(slots, environmentId);
        return () => {
          release();
          releaseKind();
        };
      } catch (error) {
        releaseKind();
        throw error;
      }
    },
  };
}

const acquireSlot = (slots: FairSemaphore, environmentId: string) =>
  slots.acquire(environmentId).catch((error) => {
    throw error instanceof SemaphoreFullError
      ? failure("RATE_LIMITED", {}, { headers: { "retry-after": "1" } })
      : error;
  });

function backlogTooOld(ageMs: number) {
  const seconds = Math.min(maxRetrySeconds, Math.ceil(ageMs / 10_000));
  const message = `Events of this environment have been waiting for ${Math.round(ageMs / 1000)} seconds: send more when they are done`;
  return failure("RATE_LIMITED", {}, { message, headers: { "retry-after": String(seconds) } });
}
