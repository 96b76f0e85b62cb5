// Admission of events. Accepting an event takes less time than working on it, so clients that send without a pause would let
// the queue grow without bound. A request to trigger events is delayed by a quarter of the time for which the oldest waiting event of its
// environment has been in the queue, so that clients slow down to the speed of the workers; an environment whose events wait for minutes is
// refused with 429. Other environments are not affected.
import { setTimeout as sleep } from "node:timers/promises";
import { failure } from "../failure.ts";

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

export type Admission = {
  /**
   * Resolves when the events of the environment may be accepted, or throws 429. Requests with one event are not delayed: most of
   * them never wait in the queue (pipeline/trigger/trigger.ts, startAtOnce).
   */
  admit(environmentId: string, request: { isSingle: boolean }): Promise<void>;
};

type Source = { findAges(): Promise<Map<string, number>>; onError(error: unknown): void; now?(): number };

export function createAdmission({ findAges, onError, now = () => performance.now() }: Source): Admission {
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
  return {
    async admit(environmentId, { isSingle }) {
      const isKnown = now() - readAt < forgetMs;
      if (!isReading && now() - readAt > refreshMs) void refresh();
      const ageMs = isKnown ? (ages.get(environmentId) ?? 0) : 0;
      if (ageMs > refusedMs) throw backlogTooOld(ageMs);
      const delayMs = Math.min(longestDelayMs, (ageMs - freeMs) * delayPerAge);
      if (delayMs > 0 && !isSingle) await sleep(delayMs);
    },
  };
}

function backlogTooOld(ageMs: number) {
  const seconds = Math.min(longestRetrySeconds, Math.ceil(ageMs / 10_000));
  const message = `Events of this environment have been waiting for ${Math.round(ageMs / 1000)} seconds: send more when they are done`;
  return failure("RATE_LIMITED", {}, { message, headers: { "retry-after": String(seconds) } });
}
