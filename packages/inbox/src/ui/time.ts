// Times in the language of the reader.
import type { ScheduleDay } from "../client/types.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Creating a format takes a thousand times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat | Intl.RelativeTimeFormat>();
const maxFormats = 50;

function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat;
function dateFormat(locale: string, options: Intl.RelativeTimeFormatOptions, isRelative: true): Intl.RelativeTimeFormat;
function dateFormat(locale: string, options: object, isRelative = false) {
  const key = locale + JSON.stringify(options);
  const format = formats.get(key) ?? new Intl[isRelative ? "RelativeTimeFormat" : "DateTimeFormat"](locale, options);
  if (formats.size > maxFormats) formats.clear();
  formats.set(key, format);
  return format;
}

/** "now", "5 min. ago", "yesterday"; after a week the date. */
export function relativeTime(iso: string, now: number, locale: string): string {
  const time = Date.parse(iso);
  const ago = now - time;
  const format = dateFormat(locale, { numeric: "auto", style: "narrow" }, true);
  if (ago < minuteMs) return format.format(0, "second");
  if (ago < hourMs) return format.format(-Math.floor(ago / minuteMs), "minute");
  if (ago < dayMs) return format.format(-Math.floor(ago / hourMs), "hour");
  if (ago < 7 * dayMs) return format.format(-Math.floor(ago / dayMs), "day");
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  const year = isThisYear ? {} : ({ year: "numeric" } as const);
  return dateFormat(locale, { day: "numeric", month: "short", ...year }).format(time);
}

export const exactTime = (iso: string, locale: string): string =>
  dateFormat(locale, { dateStyle: "full", timeStyle: "short" }).format(Date.parse(iso));

/** For a snooze: the weekday where it is near, the date where it is not. */
export const shortTime = (iso: string, locale: string): string =>
  dateFormat(locale, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "numeric",
    minute: "2-digit",
  }).format(Date.parse(iso));

export const clockTime = (time: Date, locale: string): string =>
  dateFormat(locale, { hour: "numeric", minute: "2-digit" }).format(time);

/** 1 January 2024 was a Monday. */
export const weekdayName = (index: number, locale: string): string =>
  dateFormat(locale, { weekday: "long", timeZone: "UTC" }).format(Date.UTC(2024, 0, 1 + index));

/** "09:30 PM" of the API as "21:30", the value of a time field. */
export function toFieldTime(text: string): string {
  const [, hour = "0", minute = "00", half] = /^(\d\d):(\d\d) (AM|PM)$/.exec(text) ?? [];
  return `${String((Number(hour) % 12) + (half === "PM" ? 12 : 0)).padStart(2, "0")}:${minute}`;
}

/** "21:30" as "09:30 PM". */
export function fromFieldTime(text: string): string {
  const [hour = 0, minute = 0] = text.split(":").map(Number);
  return `${String(hour % 12 || 12).padStart(2, "0")}:${String(minute).padStart(2, "0")} ${hour < 12 ? "AM" : "PM"}`;
}

export const workingDay: ScheduleDay = { isEnabled: true, hours: [{ start: "09:00 AM", end: "06:00 PM" }] };

/** Ends of a snooze that are offered: in an hour, tomorrow and next Monday at nine. */
export function snoozeTimes(now: Date, maxHours: number): { kind: "hour" | "tomorrow" | "week"; until: Date }[] {
  const atNine = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
  // The Monday after tomorrow at the earliest: on a Sunday, both would be the same.
  const toMonday = ((8 - now.getDay()) % 7 || 7) + (now.getDay() === 0 ? 7 : 0);
  const times = [
    { kind: "hour" as const, until: new Date(now.getTime() + hourMs) },
    { kind: "tomorrow" as const, until: atNine(1) },
    { kind: "week" as const, until: atNine(toMonday) },
  ];
  return times.filter(({ until }) => until.getTime() - now.getTime() <= maxHours * hourMs);
}
