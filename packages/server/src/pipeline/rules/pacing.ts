// How fast an integration is used by this process. Two limits: calls a second, where the integration or its provider has
// one, and calls under way at once, so that neither one slow provider nor one environment can hold every place. What is
// over a limit is given a time at which there will be room and goes back to the queue until then.

export type Lane = {
  /** Calls under way. */
  inFlight: number;
  /** How long a call takes, smoothed. */
  averageMs: number;
  /** When the next call is due by the rate, and by the room; ms. */
  nextByRate: number;
  nextByRoom: number;
};

export type LaneLimits = { inFlight: number; perSecond?: number };

/** With `isBooked`, the time is kept free; without, it is only a time to ask again. */
export type Admission = { kind: "go" } | { kind: "wait"; until: number; isBooked: boolean };

export const newLane = (): Lane => ({ inFlight: 0, averageMs: 500, nextByRate: 0, nextByRoom: 0 });

/** A second's worth may go at once. */
const burstMs = 1_000;
/** Nobody is sent away for longer: by then the limits may have changed. */
const longestWaitMs = 15 * 60_000;
/** How late a booked time may be taken up. */
const lateMs = 5_000;

/** Takes a place, or a time. The lane is changed in place. `bookedAt`: the time that was given before, ms. */
export function admit(lane: Lane, limits: LaneLimits, now: number, bookedAt?: number): Admission {
  if (lane.inFlight >= limits.inFlight) return askAgain(lane, limits.inFlight, now);
  const isOnTime = bookedAt !== undefined && now - bookedAt <= lateMs;
  if (limits.perSecond && !isOnTime) {
    const gap = 1_000 / limits.perSecond;
    const due = Math.max(lane.nextByRate, now);
    const until = due - Math.max(0, burstMs - gap);
    if (until - now > longestWaitMs) return { kind: "wait", until: now + longestWaitMs, isBooked: false };
    lane.nextByRate = due + gap;
    if (until > now) return { kind: "wait", until, isBooked: true };
  }
  lane.inFlight++;
  return { kind: "go" };
}

/** When one of the places is likely to be free for the one who asks: those who ask are spread over the calls that end. */
export function askAgain(lane: Lane, places: number, now: number): Admission {
  const gap = lane.averageMs / Math.max(1, places);
  const until = Math.max(lane.nextByRoom + gap, now + gap);
  if (until - now > longestWaitMs) return { kind: "wait", until: now + longestWaitMs, isBooked: false };
  lane.nextByRoom = until;
  return { kind: "wait", until, isBooked: false };
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
