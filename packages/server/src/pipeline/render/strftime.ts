// The format of the Liquid filter `date`: `%Y-%m-%d %H:%M`. The engine formats in the time zone and the language of the
// process, so the same template would write another date on another machine; this formats a local time that is given.
// Names are English.
import { charge } from "../../lib/work.ts";

/** `wall`: the local time, with its fields in UTC. `offsetMinutes`: how far it is ahead of UTC. */
export type LocalTime = { wall: Date; instant: number; offsetMinutes: number; zoneName: string };

const words = (text: string): string[] => text.split(" ");
const months = words("January February March April May June July August September October November December");
const weekdays = words("Sunday Monday Tuesday Wednesday Thursday Friday Saturday");

const dayMs = 86_400_000;
const dayOfYear = (wall: Date): number => {
  const first = new Date(wall);
  first.setUTCMonth(0, 1);
  return Math.round((wall.getTime() - first.getTime()) / dayMs) + 1;
};

/** Days before the first such weekday of the year belong to week 0. */
const weekOfYear = (wall: Date, firstWeekday: number): number =>
  Math.floor((dayOfYear(wall) + 6 - ((wall.getUTCDay() - firstWeekday + 7) % 7)) / 7);

const twelveHours = (wall: Date): number => wall.getUTCHours() % 12 || 12;

function ordinal(wall: Date): string {
  const day = wall.getUTCDate();
  return day > 10 && day < 14 ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th");
}

function offsetText(offsetMinutes: number, colon: string): string {
  const minutes = Math.abs(Math.trunc(offsetMinutes));
  const parts = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
  return (offsetMinutes < 0 ? "-" : "+") + parts.join(colon);
}

type Options = { flags: string; width: number };
type Convert = (time: LocalTime, options: Options) => string | number;

/** Milliseconds, with zeros up to nine or the given number of digits. */
const fraction: Convert = ({ wall }, { width }) => {
  const digits = width || 9;
  charge(digits / 2);
  return String(wall.getUTCMilliseconds()).padStart(3, "0").slice(0, digits).padEnd(digits, "0");
};

const zoneOffset: Convert = ({ offsetMinutes }, { flags }) => offsetText(offsetMinutes, flags.includes(":") ? ":" : "");

const inUtc = { timeZone: "UTC" };

const conversions: Readonly<Record<string, Convert>> = {
  a: ({ wall }) => weekdays[wall.getUTCDay()]!.slice(0, 3),
  A: ({ wall }) => weekdays[wall.getUTCDay()]!,
  b: ({ wall }) => months[wall.getUTCMonth()]!.slice(0, 3),
  h: ({ wall }) => months[wall.getUTCMonth()]!.slice(0, 3),
  B: ({ wall }) => months[wall.getUTCMonth()]!,
  c: ({ wall }) => wall.toLocaleString("en-US", inUtc),
  C: ({ wall }) => Math.floor(wall.getUTCFullYear() / 100),
  d: ({ wall }) => wall.getUTCDate(),
  e: ({ wall }) => wall.getUTCDate(),
  H: ({ wall }) => wall.getUTCHours(),
  I: ({ wall }) => twelveHours(wall),
  j: ({ wall }) => dayOfYear(wall),
  k: ({ wall }) => wall.getUTCHours(),
  l: ({ wall }) => twelveHours(wall),
  L: ({ wall }) => wall.getUTCMilliseconds(),
  m: ({ wall }) => wall.getUTCMonth() + 1,
  M: ({ wall }) => wall.getUTCMinutes(),
  n: () => "\n",
  N: fraction,
  p: ({ wall }) => (wall.getUTCHours() < 12 ? "AM" : "PM"),
  P: ({ wall }) => (wall.getUTCHours() < 12 ? "am" : "pm"),
  q: ({ wall }) => ordinal(wall),
  s: ({ instant }) => Math.floor(instant / 1_000),
  S: ({ wall }) => wall.getUTCSeconds(),
  t: () => "\t",
  u: ({ wall }) => wall.getUTCDay() || 7,
  U: ({ wall }) => weekOfYear(wall, 0),
  w: ({ wall }) => wall.getUTCDay(),
  W: ({ wall }) => weekOfYear(wall, 1),
  x: ({ wall }) => wall.toLocaleDateString("en-US", inUtc),
  X: ({ wall }) => wall.toLocaleTimeString("en-US", inUtc),
  y: ({ wall }) => ((wall.getUTCFullYear() % 100) + 100) % 100,
  Y: ({ wall }) => wall.getUTCFullYear(),
  z: zoneOffset,
  Z: (time, options) => time.zoneName || zoneOffset(time, options),
  "%": () => "%",
};

const widths: Readonly<Record<string, number>> = {
  ...Object.fromEntries([..."CdeHIklmMSUWy"].map((letter) => [letter, 2])),
  ...{ j: 3, L: 3, Y: 4 },
};
const paddedWithSpaces = new Set("aAbBceklpP");

/** Swaps the case of a word: `PM` becomes `pm`, `March` becomes `MARCH`. */
const swapCase = (text: string): string => (/[a-z]/.test(text) ? text.toUpperCase() : text.toLowerCase());

export function strftime(time: LocalTime, format: string): string {
  return format.replace(/%([-_0^#:]*)(\d*)[EO]?(.)/g, (whole, flags: string, digits: string, letter: string) => {
    const convert = Object.hasOwn(conversions, letter) ? conversions[letter] : undefined;
    if (!convert) return whole;
    const text = String(convert(time, { flags, width: Number(digits) }));
    const cased = flags.includes("^") ? text.toUpperCase() : flags.includes("#") ? swapCase(text) : text;
    const width = flags.includes("-") ? 0 : Number(digits) || (widths[letter] ?? 0);
    charge(Math.max(0, width - cased.length) / 2);
    const isPaddedWithSpaces = flags.includes("_") || (!flags.includes("0") && paddedWithSpaces.has(letter));
    if (!isPaddedWithSpaces && cased.startsWith("-")) return `-${cased.slice(1).padStart(width - 1, "0")}`;
    return cased.padStart(width, isPaddedWithSpaces ? " " : "0");
  });
}
