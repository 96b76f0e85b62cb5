// Whether a workflow sends far more than it usually does. Pure.
import { hourMs } from "../../store/events/statistics.ts";

export type RunawayLimits = {
  /** How many times the messages of a usual hour are too many. */
  factor: number;
  /** Fewer messages are never too many. */
  atLeast: number;
  /** The same for workflows that began to send less than a week ago. */
  atLeastWhenNew: number;
};

/** Messages by hour. */
export type HourCount = { hour: Date; count: number };

const dayMs = 24 * hourMs;
/** How far back the same hour of the week, and that of the day, are compared. */
const weeks = 4;
const days = 7;
export const historyMs = weeks * 7 * dayMs + 4 * hourMs;
/** The last day is not used for the median: a loop may have been running since yesterday. */
export const settledMs = dayMs;
/** A workflow is new until it has sent something longer ago than that. */
export const newForMs = 7 * dayMs;

const floorHour = (time: number): number => Math.floor(time / hourMs) * hourMs;

/** The hours that a window is compared with. */
export type ComparedHours = {
  /** At the same time of the same weekday, in the last 4 weeks. */
  weekly: Date[];
  /** At the same time of the last 7 days, day by day. */
  daily: Date[][];
};

/** Each with an hour more on both sides: jobs do not begin on the second, and clocks change twice a year. */
export function comparedHours(now: Date, windowMs: number): ComparedHours {
  const first = floorHour(now.getTime() - windowMs) - hourMs;
  const last = floorHour(now.getTime()) + hourMs;
  const hoursBefore = (backMs: number): Date[] => {
    const count = (last - first) / hourMs + 1;
    return Array.from({ length: count }, (_, index) => new Date(first - backMs + index * hourMs));
  };
  return {
    weekly: Array.from({ length: weeks }, (_, index) => hoursBefore((index + 1) * 7 * dayMs)).flat(),
    daily: Array.from({ length: days }, (_, index) => hoursBefore((index + 1) * dayMs)),
  };
}

/** The middle of all hours in which it sent something; 0 without any. */
export function medianOf(counts: readonly number[]): number {
  const sorted = counts.filter((count) => count > 0).toSorted((a, b) => a - b);
  if (sorted.length === 0) return 0;
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * The messages of a usual hour: the most of what it sent at this time of this weekday, of what it sent at this time on
 * at least two of the last days (so that a weekly newsletter makes no other day usual), and of the median of its hours.
 * `hours`: all that are old enough.
 */
export function usualHour(
  compared: ComparedHours,
  countOf: (hour: Date) => number,
  hours: readonly HourCount[],
): number {
  const weekly = Math.max(...compared.weekly.map(countOf));
  const daily = compared.daily.map((day) => Math.max(...day.map(countOf))).toSorted((a, b) => b - a)[1]!;
  return Math.max(weekly, daily, medianOf(hours.map(({ count }) => count)));
}

/** How many messages within the window are too many. */
export function tooMany(usual: number, hasHistory: boolean, limits: RunawayLimits): number {
  return Math.max(hasHistory ? limits.atLeast : limits.atLeastWhenNew, limits.factor * usual);
}
