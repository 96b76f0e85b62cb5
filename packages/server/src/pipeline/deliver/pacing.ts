// How fast an integration is used. Two limits: calls under way at once in this process, so that neither one slow provider nor
// one environment can hold every place; and calls a second of all processes, where the integration or its provider has such
// a limit. What is over a limit is given a time at which there will be room and goes back to the queue until then.

export type Lane = {
  /** Calls under way. */
  inFlight: number;
  /** How long a call takes, smoothed. */
  averageMs: number;
  /** When the next of those that wait is to ask again: for a call by the rate, and for room; ms. */
  nextByRate: number;
  nextByRoom: number;
};

/** `until`: a time to ask again, no promise. */
export type Admission = { kind: "go" } | { kind: "wait"; until: number };

export const newLane = (): Lane => ({ inFlight: 0, averageMs: 500, nextByRate: 0, nextByRoom: 0 });

/** Nobody is sent away for longer: by then the limits may have changed. */
const longestWaitMs = 15 * 60_000;

/** Calls are given out this far ahead, and wait in the process for their moment: as long as workers take to look again. */
export const horizonMs = 1_000;
/** What was not used of the last quarter of a second may be made up for. */
export const sliceMs = 250;

/** Takes a place, or a time. The lane is changed in place. */
export function admit(lane: Lane, places: number, now: number): Admission {
  if (lane.inFlight >= places) return askAgain(lane, places, now);
  lane.inFlight++;
  return { kind: "go" };
}

/** A time for a message that got no call by the rate: those that wait are spread, as far apart as the calls may be. */
export function askLater(lane: Lane, perSecond: number, now: number): number {
  const until = Math.max(lane.nextByRate, now + horizonMs / 2) + 1_000 / perSecond;
  if (until - now > longestWaitMs) return now + longestWaitMs;
  lane.nextByRate = until;
  return until;
}

/** When one of the places is likely to be free for the one who asks: those who ask are spread over the calls that end. */
export function askAgain(lane: Lane, places: number, now: number): Admission {
  const gap = lane.averageMs / Math.max(1, places);
  const until = Math.max(lane.nextByRoom + gap, now + gap);
  if (until - now > longestWaitMs) return { kind: "wait", until: now + longestWaitMs };
  lane.nextByRoom = until;
  return { kind: "wait", until };
}

/**
 * Whether an environment may have another of the `free` places: it has no more calls under way than it leaves free. One
 * environment alone gets half of the window, n of them an n-plus-first part each, and the next one finds as much. (The
 * dynamic threshold of Choudhury and Hahne, 1998.)
 */
export const mayEnter = (environment: Lane, free: number): boolean => environment.inFlight < free;

/** Calls that take longer than this, on average, are waiting for each other. */
const slowMs = 2_000;

/** Places for an integration that may have `most`: when its provider is slow, more calls at once only run out of time. */
export const placesIn = (lane: Lane, most: number): number =>
  lane.averageMs > slowMs ? Math.max(1, Math.floor(most / 4)) : most;

/** A call has ended. */
export function leave(lane: Lane, tookMs: number): void {
  lane.inFlight--;
  lane.averageMs = 0.9 * lane.averageMs + 0.1 * tookMs;
}
