// Hours of a day in a schedule.
import type { ScheduleDay } from "../client/types.ts";
import { fromFieldTime, toFieldTime } from "../ui/time.ts";

export type Hours = NonNullable<ScheduleDay["hours"]>;

/** Two hours, one after the end of the last range. */
export function nextHours(hours: Hours): Hours[number] {
  const [hour = 0, minute = 0] = toFieldTime(hours.at(-1)!.end).split(":").map(Number);
  const start = Math.min((hour + 1) * 60 + minute, 21 * 60 + 59);
  const text = (minutes: number) => fromFieldTime(`${Math.floor(minutes / 60)}:${minutes % 60}`);
  return { start: text(start), end: text(start + 120) };
}
