// How fast an integration or a webhook is called. Two limits: concurrency, the calls in flight in this process, so that
// neither one slow provider nor one environment can take every slot; and a rate limit in calls a second over all
// processes, where the integration or its provider has one. A message over a limit gets a time to try again and returns
// to the queue. Messages of high and low priority have a few slots for themselves, and the lower the priority, the less
// far ahead are calls reserved: so a high message waits behind few others, whatever is queued.
import type { TaskPriority } from "../../lib/load/fair-queue.ts";
import type { Db } from "../../store/db.ts";
import { reserveCalls } from "../../store/installation/budgets.ts";
import type { PlannedSend } from "./plan.ts";

/** What a call occupies: a slot of its environment, and in it one of its lane (an integration or a webhook). */
export type Slot = { environmentId: string; lane: string; priority?: TaskPriority };

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
  /** The calls of a lane. */
  loadOf(lane: string): Load;
};

/** The calls of one environment or one lane. */
export type Load = {
  inFlight: number;
  /** Those of each priority. */
  inFlightBy: Record<TaskPriority, number>;
  /** Duration of a call, as a moving average. */
  averageMs: number;
  /** When the next waiting message of each priority is to try again (ms): for the rate limit, and for a slot. */
  nextRateTry: Record<TaskPriority, number>;
  nextSlotTry: Record<TaskPriority, number>;
  /** How many calls of others were reserved since this priority had its tenth. */
  passedBy: Record<TaskPriority, number>;
};

const zeros = (): Record<TaskPriority, number> => ({ high: 0, normal: 0, low: 0 });

export const newLoad = (): Load => ({
  inFlight: 0,
  inFlightBy: zeros(),
  averageMs: 500,
  nextRateTry: zeros(),
  nextSlotTry: zeros(),
  passedBy: zeros(),
});

/** No message waits longer for a limit: it may have been changed by then. */
const maxWaitMs = 15 * 60_000;

/**
 * Calls are reserved this far ahead and wait in the process for their time: long enough that a limit is used up. A call
 * of a higher priority starts after those that were reserved before it, so the others leave it room.
 */
const horizonsMs: Record<TaskPriority, number> = { high: 1_250, normal: 1_000, low: 500 };
/** Calls that were not made in the last quarter of a second may be made up for. */
const sliceMs = 250;

/** High and low messages have this part of the slots for themselves, in addition to those that all share. */
const ownPart = 1 / 10;

/** One call in so many is of the priority that would be passed over otherwise. */
const fairEvery = 10;

type Asking = { priority?: TaskPriority; now: number };

/** Takes a slot or returns when to try again. Changes `load`. */
export function takeSlot(load: Load, slots: number, { priority = "normal", now }: Asking): AdmissionResult {
  const own = Math.max(1, Math.floor(slots * ownPart));
  const hasOwn = priority !== "normal" && load.inFlightBy[priority] < own;
  if (load.inFlight >= slots && !hasOwn) return waitForSlot(load, slots, { priority, now });
  beginCall(load, priority);
  return { kind: "go" };
}

/** When a slot is likely to be free. Waiting messages are spread over the calls that are expected to end. */
export function waitForSlot(load: Load, slots: number, { priority = "normal", now }: Asking): AdmissionResult {
  const gap = load.averageMs / Math.max(1, slots);
  const until = Math.max(load.nextSlotTry[priority] + gap, now + gap);
  if (until - now > maxWaitMs) return { kind: "wait", until: now + maxWaitMs };
  load.nextSlotTry[priority] = until;
  return { kind: "wait", until };
}

/** When a message over the rate limit is to try again. Waiting messages are spread as far apart as calls may be. */
export function nextTryByRate(load: Load, perSecond: number, { priority = "normal", now }: Asking): number {
  const until = Math.max(load.nextRateTry[priority], now + horizonsMs[priority] / 2) + 1_000 / perSecond;
  if (until - now > maxWaitMs) return now + maxWaitMs;
  load.nextRateTry[priority] = until;
  return until;
}

/**
 * Whether an environment may take another of the `free` slots: only while it has fewer calls in flight than it leaves
 * free. One environment alone gets half of the window, n of them get 1/(n+1) each, and as much is left for the next
 * one. (The dynamic threshold of Choudhury and Hahne, 1998.) High and low messages have a tenth of that for themselves.
 */
export const canTakeSlot = (environment: Load, free: number, priority: TaskPriority = "normal"): boolean =>
  environment.inFlight < free || (priority !== "normal" && environment.inFlightBy[priority] < free * ownPart);

/** A provider whose calls take longer than this on average is overloaded. */
const slowMs = 2_000;

/** Slots of a lane that may have `most`: more calls at once to a slow provider would only time out. */
export const slotsFor = (load: Load, most: number): number =>
  load.averageMs > slowMs ? Math.max(1, Math.floor(most / 4)) : most;

export function beginCall(load: Load, priority: TaskPriority = "normal"): void {
  load.inFlight++;
  load.inFlightBy[priority]++;
}

export function endCall(load: Load, tookMs: number, priority: TaskPriority = "normal"): void {
  load.inFlight--;
  load.inFlightBy[priority]--;
  load.averageMs = 0.9 * load.averageMs + 0.1 * tookMs;
}

/** A message that has a slot, through an integration with a rate limit. */
export type RateLimitedSend = { send: PlannedSend; slot: Slot; perSecond: number };

/** `startAt`: when the call is due (ms). Without it, `until`: when the message is to try again. */
type ReservedSend = { send: PlannedSend } & (
  | { startAt: number; until?: undefined }
  | { startAt?: undefined; until: number }
);

const highestFirst: TaskPriority[] = ["high", "normal", "low"];

/** The calls of one integration, in the order in which they get their times. */
type Line = { name: string; perSecond: number; load: Load; groups: { sends: RateLimitedSend[]; horizonMs: number }[] };

/**
 * High calls first, together with the normal and low ones that are owed because others had nine calls each.
 */
function lineUp(name: string, limited: RateLimitedSend[], load: Load): Line {
  const first: RateLimitedSend[] = [];
  const rest: Line["groups"] = [];
  for (const priority of highestFirst) {
    const own = limited.filter(({ slot }) => (slot.priority ?? "normal") === priority);
    const owed = priority === "high" ? own.length : Math.floor(load.passedBy[priority] / (fairEvery - 1));
    first.push(...own.slice(0, owed));
    rest.push({ sends: own.slice(owed), horizonMs: horizonsMs[priority] });
  }
  const groups = [{ sends: first, horizonMs: horizonsMs.high }, ...rest].filter(({ sends }) => sends.length > 0);
  return { name, perSecond: limited[0]!.perSecond, load, groups };
}

/** A priority that had no call while others had ten is owed one; at most ten are owed. */
function countPassed({ passedBy }: Load, granted: RateLimitedSend[]): void {
  for (const priority of highestFirst) {
    const own = granted.filter(({ slot }) => (slot.priority ?? "normal") === priority).length;
    const passed = passedBy[priority] + granted.length - own - own * (fairEvery - 1);
    passedBy[priority] = Math.min(Math.max(0, passed), 10 * fairEvery);
  }
}

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
  const lines = [...Map.groupBy(limited, ({ slot }) => slot.lane)].map(([lane, sends]) =>
    lineUp(`calls ${lane}`, sends, admission.loadOf(lane)),
  );
  const wanted = lines.map(({ name, perSecond, groups }) => ({
    name,
    gapMs: 1_000 / perSecond,
    groups: groups.map(({ sends, horizonMs }) => ({ calls: sends.length, horizonMs })),
  }));
  const reserved = new Map((await reserveCalls(db, wanted, sliceMs)).map((one) => [one.name, one]));
  // Counted from the clock of this process: those of the database and of other processes may differ.
  const from = Date.now();
  return lines.flatMap(({ name, perSecond, load, groups }) => {
    const { granted, offsetMs } = reserved.get(name)!;
    const going = groups.flatMap(({ sends }, index) => sends.slice(0, granted[index]));
    const waiting = groups.flatMap(({ sends }, index) => sends.slice(granted[index]));
    countPassed(load, going);
    return [
      ...going.map(({ send }, index) => ({ send, startAt: from + offsetMs + (index * 1_000) / perSecond })),
      ...waiting.map(({ send, slot }) => ({ send, until: admission.postpone(slot, perSecond, now) })),
    ];
  });
}
