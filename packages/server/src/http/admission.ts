// Admission of events. Accepting an event takes less time than working on it, so clients that send without a pause would let
// the queue grow without bound. A request to trigger events is delayed by a quarter of the time for which the oldest waiting event of its
// environment has been in the queue, so that clients slow down to the speed of the workers; an environment whose events wait for minutes is
// refused with 429. Other environments are not affected.
//
// Environments also take turns at accepting: when all slots are in use, the next one goes to the environment that has waited longest
// for its turn. Without it, the requests of one environment would use all database connections, and every step of another
// environment's request would wait for a step of each of them.
import { setTimeout as sleep } from "node:timers/promises";
import { failure } from "../failure.ts";
import { createGatherer, type GatherOptions } from "../lib/load/gather.ts";
import { createFairSemaphore, type FairSemaphore, SemaphoreFull } from "../lib/load/semaphores.ts";

/** Below this age events are accepted without delay. */
const freeMs = 250;
const delayPerAge = 0.25;
const longestDelayMs = 2_000;
/** At this age no more events are accepted. */
const refusedMs = 5 * 60_000;
const longestRetrySeconds = 60;

/** How long the ages count. They are read in the background while events arrive, so that no request waits for the query. */
const refreshMs = 500;
const forgetMs = 5_000;

/**
 * Transactions of one environment at a time, for single events and for bulk requests. With more, requests that wait for their turn
 * would share fewer transactions. One thread needs three to be busy while they wait for PostgreSQL (more events were accepted than with two
 * or seven); several threads need one each.
 */
const transactionsFor = (threads: number): number => (threads === 1 ? 3 : threads);
const waiting = { waitingPerOwner: 1_000, waitMs: 30_000 };

type Arrival = { environmentId: string; isSingle: boolean };

export type Admission = {
  /**
   * Runs `accept` when the events of the environment may be accepted, or throws 429. Requests with one event are not delayed by the
   * age of the queue: most of them never wait there (pipeline/trigger/trigger.ts, startAtOnce).
   */
  run<T>(arrival: Arrival, accept: () => Promise<T>): Promise<T>;
  /** As `run`, for requests that may share a transaction: those of an environment that wait for their turn are accepted together. */
  gather<T, R>(isSingle: boolean, options: Omit<GatherOptions<T, R>, "acquire">): Gather<T, R>;
};

type Gather<T, R> = (environmentId: string, request: T) => Promise<R>;

type Source = {
  findAges(): Promise<Map<string, number>>;
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
  let ages = new Map<string, number>();
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
  const waitForQueue = async ({ environmentId, isSingle }: Arrival): Promise<void> => {
    const isKnown = now() - readAt < forgetMs;
    if (!isReading && now() - readAt > refreshMs) void refresh();
    const ageMs = isKnown ? (ages.get(environmentId) ?? 0) : 0;
    if (ageMs > refusedMs) throw backlogTooOld(ageMs);
    const delayMs = Math.min(longestDelayMs, (ageMs - freeMs) * delayPerAge);
    if (delayMs > 0 && !isSingle) await sleep(delayMs);
  };
  const acquireFor = (isSingle: boolean) => async (environmentId: string) => {
    const releaseKind = await acquire(isSingle ? singles : bulks, environmentId);
    try {
      const release = await acquire(slots, environmentId);
      return () => {
        release();
        releaseKind();
      };
    } catch (error) {
      releaseKind();
      throw error;
    }
  };
  return {
    async run(arrival, accept) {
      await waitForQueue(arrival);
      const release = await acquireFor(arrival.isSingle)(arrival.environmentId);
      return accept().finally(release);
    },
    gather(isSingle, options) {
      const gather = createGatherer({ ...options, acquire: acquireFor(isSingle) });
      return async (environmentId, request) => {
        await waitForQueue({ environmentId, isSingle });
        return gather(environmentId, request);
      };
    },
  };
}

const acquire = (slots: FairSemaphore, environmentId: string) =>
  slots.acquire(environmentId).catch((error) => {
    throw error instanceof SemaphoreFull ? failure("RATE_LIMITED", {}, { headers: { "retry-after": "1" } }) : error;
  });

function backlogTooOld(ageMs: number) {
  const seconds = Math.min(longestRetrySeconds, Math.ceil(ageMs / 10_000));
  const message = `Events of this environment have been waiting for ${Math.round(ageMs / 1000)} seconds: send more when they are done`;
  return failure("RATE_LIMITED", {}, { message, headers: { "retry-after": String(seconds) } });
}
