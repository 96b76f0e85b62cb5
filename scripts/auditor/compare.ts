// What the promises share: how often an event may show up, for whom it is, and which clocks can be compared.
import type { FaultRecord } from "./evidence.ts";
import { type EventEntry, isUndone } from "./ledger.ts";
import { couldLose } from "./losses.ts";
import type { World } from "./world.ts";

export type Bounds = { least: number; most: number };

/**
 * How often an event has to show up for each of its people. What was undone while it waited never does, what was undone
 * later does.
 */
export function boundsOf(entry: EventEntry): Bounds {
  if (entry.outcome === "refused") return { least: 0, most: 0 };
  return { least: entry.outcome === "accepted" && !isUndone(entry) ? 1 : 0, most: 1 };
}

export function wordsOf(entry: EventEntry): string {
  const { outcome, cancel, retraction } = entry;
  const undone = retraction ? ", retracted" : cancel && isUndone(entry) ? ", canceled" : "";
  return outcome === "unknown" ? `of unknown outcome${undone}` : `${outcome}${undone}`;
}

const members = new WeakMap<readonly string[], Set<string>>();

export function isFor({ to }: EventEntry, person: string): boolean {
  let own = members.get(to);
  if (!own) {
    own = new Set(to);
    members.set(to, own);
  }
  return own.has(person);
}

/** How far a clock may be off after it was moved: the limit of docs/live.md. */
export const movedClockMs = 180_000;

const isClock = ({ fault, problem }: FaultRecord): boolean =>
  !problem && (fault === "clock-back" || fault === "clock-forward");

/**
 * Whether a process wrote its times with a clock that was moved, at any moment between the two. The second one may be
 * earlier than the first, if it was written by a clock that was behind.
 */
export function wasClockMoved({ faults }: Pick<World, "faults">, one: number, other: number): boolean {
  const [from, to] = [Math.min(one, other), Math.max(one, other)];
  return faults.some((fault) => isClock(fault) && fault.startedAt - 5_000 <= to && from <= fault.endedAt + 5_000);
}

/** How much later, or earlier, a time that a process wrote may be than the moment it names. */
export const clockSlack = (world: Pick<World, "faults">, at: number): number =>
  wasClockMoved(world, at - movedClockMs, at + movedClockMs) ? movedClockMs : 0;

/** How much later than a time that a process wrote the moment may be that it names: so much its clock was behind. */
export function behindMs({ faults }: Pick<World, "faults">, at: number): number {
  const offsets = faults
    .filter(({ fault, problem }) => fault === "clock-back" && !problem)
    .map(({ detail, startedAt, endedAt }) => ({ ms: offsetOf(detail), startedAt, endedAt }))
    .filter(({ ms, startedAt, endedAt }) => startedAt - 5_000 <= at + ms && at <= endedAt + 5_000);
  return Math.max(0, ...offsets.map(({ ms }) => ms));
}

/** The record of such a fault begins with its seconds, as "-118 s, seen in its responses". */
const offsetOf = (detail = ""): number => {
  const seconds = Number(/^-(\d+) s/.exec(detail)?.[1] ?? Number.NaN);
  return Number.isNaN(seconds) ? movedClockMs : (seconds + 5) * 1_000;
};

/** Why something may have been written late or not at all; `busy`: no fault was in effect, but other clients failed. */
export type Excuse = "fault" | "busy";

/** Whether a process could lose or delay what it wrote between the two: by a fault, or because of a busy machine. */
export function findExcuse({ faults, ledger }: Pick<World, "faults" | "ledger">, from: number, to: number) {
  if (couldLose(faults, from, to)) return "fault";
  return ledger.failures.some(({ at, endedAt }) => at <= to && from <= endedAt) ? "busy" : null;
}

/** Counts by key. */
export function tally<T>(items: Iterable<T>, key: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

export const secondsText = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
