// The subscriber's weekly schedule: the hours in which it may get messages, in its local time. What a step does while
// it is closed: steps/gate.ts. An instant is open when its local weekday and time are in an open range, start included
// and end excluded. For daylight saving that means:
// - Clocks go forward, 02:00 to 03:00: a range from 02:30 to 05:00 opens at 03:00, the next minute that exists. One
//   from 02:15 to 02:45 does not open that day.
// - Clocks go back, 03:00 to 02:00: a range from 02:30 to 05:00 opens at the first 02:30, closes at 03:00 when the
//   clock shows 02:00 again, and opens at the second 02:30. One from 02:00 to 03:00 is open for two hours.
// A schedule that is not enabled, or has no weekly hours, is always open.
import { type Schedule, weekDays } from "@tidings/contract";
import { changeBetween, offsetAt, type Zone } from "./zones.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const week = 7 * day;
/** Local times count from 1 January 1970, a Thursday; weeks begin on Monday. */
const mondayBefore1970 = 3 * day;

/** Start within the week, and length; a range may continue into the next week. */
type Range = { start: number; length: number };

export type Opening = { open: true } | { open: false; opensAt: Date | null };

/** `opensAt` is null when no range opens within the next seven days. */
export function nextOpening(schedule: Schedule | null | undefined, now: Date, zone: Zone): Opening {
  if (!schedule?.isEnabled || !schedule.weeklySchedule) return { open: true };
  const ranges = rangesOf(schedule.weeklySchedule);
  let at = now.getTime();
  let offset = offsetAt(zone, at);
  let wait = untilOpen(ranges, at + offset);
  if (wait === 0) return { open: true };
  const lastWall = at + offset + week;
  while (at + offset + wait <= lastWall) {
    const opensAt = at + wait;
    if (offsetAt(zone, opensAt) === offset) return { open: false, opensAt: new Date(opensAt) };
    // The offset changes before the opening: search again from the local time after the change.
    at = changeBetween(zone, at, opensAt);
    offset = offsetAt(zone, at);
    wait = untilOpen(ranges, at + offset);
  }
  return { open: false, opensAt: null };
}

function rangesOf(weekly: NonNullable<Schedule["weeklySchedule"]>): Range[] {
  return weekDays.flatMap((name, index) => {
    const given = weekly[name];
    const midnight = index * day;
    if (!given?.isEnabled) return [];
    if (!given.hours?.length) return [{ start: midnight, length: day }];
    return given.hours.map(({ start, end }) => {
      const [from, to] = [readClock(start), readClock(end)];
      return { start: midnight + from, length: to > from ? to - from : to - from + day };
    });
  });
}

/** `hh:mm AM|PM`: 12:00 AM is midnight, 12:00 PM noon. */
function readClock(text: string): number {
  const hours = (Number(text.slice(0, 2)) % 12) + (text.endsWith("PM") ? 12 : 0);
  return (hours * 60 + Number(text.slice(3, 5))) * minute;
}

/** Time until an open range when the offset does not change: 0 inside one, Infinity without any. */
function untilOpen(ranges: readonly Range[], wall: number): number {
  const position = (wall + mondayBefore1970) % week;
  let shortest = Number.POSITIVE_INFINITY;
  for (const { start, length } of ranges) {
    const since = (position - start + week) % week;
    if (since < length) return 0;
    shortest = Math.min(shortest, week - since);
  }
  return shortest;
}
