// Cron expressions: minute, hour, day, month, weekday. A field is a list of `*`, values and ranges, each with an
// optional step; months and weekdays have English names of three letters; Sunday is 0 or 7. Day and weekday may also be
// `?`, which means `*`. When neither is `*` or `?`, either may match, even where a field spells out its whole range
// (`*/1`, `0-6`). Not supported: seconds, `@daily`, `L`, `W`, `#`.
//
// Expressions are matched in local time, which is a number of milliseconds read as if the zone were UTC. Pure: the
// service and the dashboard, which shows the next matches, share it.
const minute = 60_000;
const day = 24 * 60 * minute;
const maxLength = 256;
/** From one 29 February to the next it can be 8 years (1896 to 1904, 2096 to 2104). */
const horizonDays = 8 * 366;

/** `last` is where `*` and open steps end: weekdays are seven, though Sunday can be written 0 or 7. */
type Field = { name: string; from: number; to: number; last: number; names?: string[] };

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const fields: Field[] = [
  { name: "minute", from: 0, to: 59, last: 59 },
  { name: "hour", from: 0, to: 23, last: 23 },
  { name: "day", from: 1, to: 31, last: 31 },
  { name: "month", from: 1, to: 12, last: 12, names: months },
  { name: "weekday", from: 0, to: 7, last: 6, names: weekdays },
];

export type Cron = {
  minutes: number[];
  hours: number[];
  /** null: `*` or `?`, so every day. */
  days: number[] | null;
  months: number[] | null;
  /** Sunday is 0. */
  weekdays: number[] | null;
  matchesDay(date: Date): boolean;
};
export type ParsedCron = { cron: Cron } | { fault: string };

class CronError extends Error {}
export const neverMatches = "cron names a day that never comes";

export function parseCron(text: string): ParsedCron {
  if (text.length > maxLength) return { fault: `cron must not be longer than ${maxLength} characters` };
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length) {
    return { fault: "cron must have five fields: minute, hour, day, month, weekday" };
  }
  try {
    const [minutes, hours, days, months, weekdays] = fields.map((field, index) => readField(field, parts[index]!));
    const named = (values: Set<number>, part: string) => (isAny(part) ? null : sorted(values));
    const cron: Cron = {
      minutes: sorted(minutes!),
      hours: sorted(hours!),
      days: named(days!, parts[2]!),
      months: named(months!, parts[3]!),
      weekdays: named(weekdays!, parts[4]!),
      matchesDay: dayMatcher(days!, months!, weekdays!, isAny(parts[2]!) || isAny(parts[4]!)),
    };
    return nextMatch(cron, 0) === null ? { fault: neverMatches } : { cron };
  } catch (error) {
    if (error instanceof CronError) return { fault: error.message };
    throw error;
  }
}

const sorted = (values: Set<number>): number[] => [...values].sort((a, b) => a - b);

const isAny = (part: string): boolean => part === "*" || part === "?";

/** `isBoth`: day and weekday must both match, because one of them is not restricted. */
function dayMatcher(
  days: Set<number>,
  months: Set<number>,
  weekdays: Set<number>,
  isBoth: boolean,
): Cron["matchesDay"] {
  return (date) => {
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
    return isBoth ? isDay && isWeekday : isDay || isWeekday;
  };
}

function readField(field: Field, text: string): Set<number> {
  const values = new Set<number>();
  const written = text === "?" && (field.name === "day" || field.name === "weekday") ? "*" : text;
  for (const item of written.split(",")) {
    const { from, to, step } = readItem(field, item);
    for (let value = from; value <= to; value += step) values.add(field.name === "weekday" ? value % 7 : value);
  }
  return values;
}

const itemPattern = /^(?:(\*)|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)(?:\/([0-9]{1,2}))?$/i;

/** `*`, `5`, `5-9`, each optionally with `/step`; `5/15` means from 5 to the end. */
function readItem(field: Field, item: string): { from: number; to: number; step: number } {
  const match = itemPattern.exec(item);
  if (!match) throw new CronError(`cron ${field.name} cannot be read: ${item || "empty"}`);
  const [, star, first, last, stepText] = match;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step === 0) throw new CronError(`cron ${field.name} has a step of 0: ${item}`);
  if (star) return { from: field.from, to: field.last, step };
  const from = readValue(field, first!);
  const end = last !== undefined ? readValue(field, last) : stepText !== undefined ? field.last : from;
  // A week that ends on Sunday: FRI-SUN.
  const to = field.name === "weekday" && end === 0 && from > 0 ? 7 : end;
  if (to < from) throw new CronError(`cron ${field.name} has a range that ends before it begins: ${item}`);
  return { from, to, step };
}

function readValue(field: Field, text: string): number {
  const index = field.names?.indexOf(text.toUpperCase()) ?? -1;
  const value = index >= 0 ? index + field.from : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= field.from && value <= field.to) return value;
  throw new CronError(`cron ${field.name} must be from ${field.from} to ${field.to}: ${text}`);
}

/** The first match after a local time; null when there is none. */
export function nextMatch({ minutes, hours, matchesDay }: Cron, wall: number): number | null {
  const start = (Math.floor(wall / minute) + 1) * minute;
  const firstDay = Math.floor(start / day);
  for (let index = firstDay; index <= firstDay + horizonDays; index++) {
    if (!matchesDay(new Date(index * day))) continue;
    const earliest = start - index * day;
    for (const hour of hours) {
      const found = minutes.find((one) => (hour * 60 + one) * minute >= earliest);
      if (found !== undefined) return index * day + (hour * 60 + found) * minute;
    }
  }
  return null;
}
