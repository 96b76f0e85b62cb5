// The Liquid filters for dates. They show a time in the zone that the template names, else in that of the subscriber,
// and never in that of the process; `now` is the time of the environment. Both come with the scope of the template.
import { type Context, toValue } from "liquidjs";
import type { Language } from "../../lib/words/languages.ts";
import { findZone, firstInstant, offsetAt, zoneOf } from "../rules/zones.ts";
import { type LocalTime, strftime } from "./strftime.ts";

/**
 * Where and when a template is rendered: the time zone of the subscriber, and the time of the environment. `language`:
 * of the words that filters add; absent: English.
 */
export type RenderClock = { zone: string; now: Date; language?: Language };

/** The member of a scope that holds its clock. A symbol, which templates and conditions cannot name. */
export const renderClock: unique symbol = Symbol("renderClock");

/** `this` of a filter. */
type FilterImpl = { context: Context };

export const clockOf = ({ context }: FilterImpl): RenderClock =>
  (context.environments as { [renderClock]?: RenderClock })[renderClock] ?? { zone: "UTC", now: new Date() };

/** Longer texts are not dates. */
const maxDateLength = 100;

/** A time of day with an offset or the name of a zone behind it, without whitespace. */
const offsetPattern = /\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:[ap]m)?(?:z|utc?|gmt|[ecmp][sd]t|[+-]\d\d)/i;

/**
 * The instant of a text. One without an offset is local time in the zone, as JavaScript reads it in that of the
 * process.
 */
function readText(text: string, zone: string): number {
  if (text.length > maxDateLength) return Number.NaN;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const time = Date.parse(text);
  if (Number.isNaN(time) || offsetPattern.test(text.replace(/\s+/g, ""))) return time;
  const walls = [`${text} UTC`, `${text}Z`].map((one) => Date.parse(one));
  const wall = walls.find((one) => !Number.isNaN(one));
  return wall === undefined ? time : firstInstant(zoneOf(zone, "UTC"), wall);
}

function readInstant(value: unknown, { zone, now }: RenderClock): number {
  if (value === "now" || value === "today") return now.getTime();
  if (typeof value === "number") return value * 1_000;
  if (typeof value === "string") return readText(value, zone);
  return new Date(value as Date).getTime();
}

/** Minutes behind UTC, as the engine takes them, or the name of a zone. */
function offsetIn(zone: number | string, instant: number): { offsetMinutes: number; zoneName: string } {
  if (typeof zone === "number") return { offsetMinutes: -zone, zoneName: "" };
  const found = findZone(zone);
  if (!found) throw new RangeError(`unknown time zone: ${zone.slice(0, 100)}`);
  return { offsetMinutes: offsetAt(found, instant) / 60_000, zoneName: zone };
}

/** The local time of a value; null for what is not a date. */
function readLocalTime(filter: FilterImpl, given: unknown, zone?: unknown): LocalTime | null {
  const value: unknown = toValue(given);
  if (value === undefined || value === null) return null;
  const clock = clockOf(filter);
  const instant = readInstant(value, clock);
  if (Number.isNaN(new Date(instant).getTime())) return null;
  const named = typeof zone === "number" || typeof zone === "string" ? zone : zoneOf(clock.zone, "UTC").name;
  const { offsetMinutes, zoneName } = offsetIn(named, instant);
  const wall = new Date(instant + offsetMinutes * 60_000);
  return Number.isNaN(wall.getTime()) ? null : { wall, instant, offsetMinutes, zoneName };
}

const defaultFormat = "%A, %B %-e, %Y at %-l:%M %P %z";

function formatDate(filter: FilterImpl, value: unknown, format: string, zone?: unknown): unknown {
  const time = readLocalTime(filter, value, zone);
  return time ? strftime(time, format) : value;
}

/** `value | date: format, zone`. A value that is not a date stays unchanged. */
function date(this: FilterImpl, value: unknown, format?: unknown, zone?: unknown): unknown {
  const written: unknown = toValue(format);
  return formatDate(this, value, written === undefined || written === null ? defaultFormat : String(written), zone);
}

const dayFormat = (month: string, type: unknown, style: unknown): string =>
  type !== "ordinal" ? `%d ${month} %Y` : style === "US" ? `${month} %-d%q, %Y` : `%-d%q ${month} %Y`;

export const dateFilters = {
  date,
  date_to_xmlschema(this: FilterImpl, value: unknown) {
    return formatDate(this, value, "%Y-%m-%dT%H:%M:%S%:z");
  },
  date_to_rfc822(this: FilterImpl, value: unknown) {
    return formatDate(this, value, "%a, %d %b %Y %H:%M:%S %z");
  },
  date_to_string(this: FilterImpl, value: unknown, type?: unknown, style?: unknown) {
    return formatDate(this, value, dayFormat("%b", type, style));
  },
  date_to_long_string(this: FilterImpl, value: unknown, type?: unknown, style?: unknown) {
    return formatDate(this, value, dayFormat("%B", type, style));
  },
};
