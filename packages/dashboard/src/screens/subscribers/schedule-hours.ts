// The week of a schedule, as it is edited.
import type { Schedule } from "@tidings/contract";

export type Week = NonNullable<Schedule["weeklySchedule"]>;
export type Day = keyof Week;
type Hours = NonNullable<NonNullable<Week[Day]>["hours"]>;

export const days: readonly Day[] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const working: Hours = [{ start: "09:00 AM", end: "05:00 PM" }];

/** A subscriber without a schedule starts with working hours on working days. */
export const weekOf = (stored: Schedule | undefined): Week =>
  stored?.weeklySchedule ??
  Object.fromEntries(
    days.map((day, index) => [day, index < 5 ? { isEnabled: true, hours: working } : { isEnabled: false }]),
  );

export const withDay = (week: Week, day: Day, changed: Partial<NonNullable<Week[Day]>>): Week => ({
  ...week,
  [day]: { isEnabled: false, ...week[day], ...changed },
});

export const addHours = (hours: Hours): Hours => [...hours, ...working];

/** "09:30 PM" as "21:30". */
export function toField(time: string): string {
  const [, hour = "", minute = "", half = ""] = /^(\d\d):(\d\d) (AM|PM)$/.exec(time) ?? [];
  if (half === "") return "";
  return `${String((Number(hour) % 12) + (half === "PM" ? 12 : 0)).padStart(2, "0")}:${minute}`;
}

/** "21:30" as "09:30 PM"; null while it is not complete. */
export function fromField(value: string): string | null {
  const [, hour = "", minute = ""] = /^(\d\d):(\d\d)/.exec(value) ?? [];
  if (minute === "") return null;
  const count = Number(hour);
  return `${String(count % 12 || 12).padStart(2, "0")}:${minute} ${count < 12 ? "AM" : "PM"}`;
}
