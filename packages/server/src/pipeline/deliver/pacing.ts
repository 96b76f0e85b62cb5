// How fast an integration or a webhook is called. Two limits: concurrency, the calls in flight in this process, so that
// neither one slow provider nor one environment can take every slot; and a rate limit in calls a second over all
// processes, where the integration or its provider has one. A message over a limit gets a time to try again and returns
// to the queue.
import type { Db } from "../../store/db.ts";
import { reserveCalls } from "../../store/installation/budgets.ts";
import type { PlannedSend } from "./plan.ts";

/** What a call occupies: a slot of its environment, and in it one of its lane (an integration or a webhook). */
export type Slot = { environmentId: string; lane: string };

export type SlotRequest = { isProbe: boolean; now: number };

/** `until`: a time to try again (ms), without a promised slot. */
export type AdmissionResult = { kind: "go" } | { kind: "wait"; until: number };

/** Takes slots for one batch, until its attempts are committed. */
export type Admission = {
  /** `isProbe` passes every limit: a probe that was claimed has to be sent. */
  admit(slot: Slot, request: SlotRequest): AdmissionResult;
  /** Releases a slot because of the rate limit; returns when to try again. */
  postpone(slot: Slot, perSecond: number, now: number): number;
  releaseAll(): void;
};

/** The calls of one environment or one lane. */
export type Load = {
  inFlight: number;
  /** Duration of a call, as a moving average. */
  averageMs: number;
  /** When the next waiting message is to try again (ms): for the rate limit, and for a slot. */
  nextRateTry: number;
  nextSlotTry: number;
};

export const newLoad = (): Load => ({ inFlight: 0, averageMs: 500, nextRateTry: 0, nextSlotTry: 0 });

/** No message waits longer for a limit: it may have been changed by then. */
const maxWaitMs = 15 * 60_000;

/** Calls are reserved this far ahead and wait in the process for their time: as long as workers take to poll again. */
const horizonMs = 1_000;
/** Calls that were not made in the last quarter of a second may be made up for. */
const sliceMs = 250;

/** Takes a slot or returns when to try again. Changes `load`. */
export function takeSlot(load: Load, slots: number, now: number): AdmissionResult {
  if (load.inFlight >= slots) return waitForSlot(load, slots, now);
  load.inFlight++;
  return { kind: "go" };
}

/** When a slot is likely to be free. Waiting messages are spread over the calls that are expected to end. */
export function waitForSlot(load: Load, slots: number, now: number): AdmissionResult {
  const gap = load.averageMs / Math.max(1, slots);
  const until = Math.max(load.nextSlotTry + gap, now + gap);
  if (until - now > maxWaitMs) return { kind: "wait", until: now + maxWaitMs };
  load.nextSlotTry = until;
  return { kind: "wait", until };
}

/** When a message over the rate limit is to try again. Waiting messages are spread as far apart as calls may be. */
export function nextTryByRate(load: Load, perSecond: number, now: number): number {
  const until = Math.max(load.nextRateTry, now + horizonMs / 2) + 1_000 / perSecond;
  if (until - now > maxWaitMs) return now + maxWaitMs;
  load.nextRateTry = until;
  return until;
}

/**
 * Whether an environment may take another of the `free` slots: only while it has fewer calls in flight than it leaves
 * free. One environment alone gets half of the window, n of them get 1/(n+1) each, and as much is left for the next
 * one. (The dynamic threshold of Choudhury and Hahne, 1998.)
 */
export const canTakeSlot = (environment: Load, free: number): boolean => environment.inFlight < free;

/** A provider whose calls take longer than this on average is overloaded. */
const slowMs = 2_000;

/** Slots of a lane that may have `most`: more calls at once to a slow provider would only time out. */
export const slotsFor = (load: Load, most: number): number =>
  load.averageMs > slowMs ? Math.max(1, Math.floor(most / 4)) : most;

export function endCall(load: Load, tookMs: number): void {
  load.inFlight--;
  load.averageMs = 0.9 * load.averageMs + 0.1 * tookMs;
}

/** A message that has a slot, through an integration with a rate limit. */
export type RateLimitedSend = { send: PlannedSend; slot: Slot; perSecond: number };

/** `startAt`: when the call is due (ms). Without it, `until`: when the message is to try again. */
type ReservedSend = { send: PlannedSend } & (
  | { startAt: number; until?: undefined }
  | { startAt?: undefined; until: number }
);

/**
 * Reserves the calls that a batch may make within the next second under limits that all processes share. Each call
 * waits in this process for its own time; a message without a reserved call returns to the queue.
 */
export async function reserveCallTimes(
  db: Db,
  limited: RateLimitedSend[],
  admission: Admission,
  now: number,
): Promise<ReservedSend[]> {
  const byBudget = Map.groupBy(limited, ({ slot }) => `calls ${slot.lane}`);
  const wanted = [...byBudget].map(([name, sends]) => ({
    name,
    gapMs: 1_000 / sends[0]!.perSecond,
    wanted: sends.length,
  }));
  const reserved = await reserveCalls(db, wanted, { horizonMs, sliceMs });
  // Counted from the clock of this process: those of the database and of other processes may differ.
  const from = Date.now();
  return reserved.flatMap(({ name, granted, offsetMs }) =>
    byBudget.get(name)!.map(({ send, slot, perSecond }, index): ReservedSend => {
      if (index < granted) return { send, startAt: from + offsetMs + (index * 1_000) / perSecond };
      return { send, until: admission.postpone(slot, perSecond, now) };
    }),
  );
}
