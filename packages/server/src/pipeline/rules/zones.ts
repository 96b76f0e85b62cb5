// Time zones: from instants to local time and back. A local time (`wall`) is a number of milliseconds like an instant,
// read as if the zone were UTC, so that calendar arithmetic on it needs no zone. Built on Intl, which has the time zone
// database.
//
// A zone changes its offset rarely: since 2001 never twice within 11 days. So within a few days there is at most one
// change, and it shows as a difference between the offsets at both ends.
import { LRUCache } from "lru-cache";

const second = 1_000;
/** Offsets run from -12 to +14 hours, so a change of offset affects local times within this distance of it. */
const maxShift = 26 * 3_600 * second;

export type Zone = { name: string; format: Intl.DateTimeFormat };

// A formatter takes longer to make than to use a dozen times, and holds about 45 KB. There are some 420 zones; names
// are not case-sensitive, so the number of spellings is unlimited.
const zones = new LRUCache<string, Zone | false>({ max: 500 });
const maxNameLength = 64;

/** The zone of that name; false when there is none. */
export function findZone(name: string): Zone | false {
  if (name.length > maxNameLength) return false;
  const cached = zones.get(name);
  if (cached !== undefined) return cached;
  const zone = openZone(name);
  zones.set(name, zone);
  return zone;
}

function openZone(name: string): Zone | false {
  try {
    return { name, format: new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" }) };
  } catch {
    return false;
  }
}

/** The zone of that name, or the fallback for a subscriber without a zone or with an unknown one. */
export function zoneOf(name: string | null | undefined, fallback: string): Zone {
  const zone = (name ? findZone(name) : false) || findZone(fallback);
  if (!zone) throw new Error(`Unknown time zone: ${fallback}`);
  return zone;
}

const offsetPattern = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** How far the zone is ahead of UTC at an instant. */
export function offsetAt({ format }: Zone, instant: number): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = offsetPattern.exec(format.format(instant))!;
  const offset = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * second;
  return sign === "-" ? -offset : offset;
}

/** The first instant with the later offset, given that the offset changes once after `from` and not after `to`. */
export function changeBetween(zone: Zone, from: number, to: number): number {
  const before = offsetAt(zone, from);
  // Changes happen at whole seconds.
  let [low, high] = [Math.floor(from / second), Math.ceil(to / second)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * second) === before) low = middle;
    else high = middle;
  }
  return high * second;
}

/**
 * The first instant at which the local time is `wall` or later: for a local time that exists twice the first instant,
 * for one that does not exist the moment of the change.
 */
export function firstInstant(zone: Zone, wall: number): number {
  const [from, to] = [wall - maxShift, wall + maxShift];
  const [before, after] = [offsetAt(zone, from), offsetAt(zone, to)];
  if (before === after) return wall - before;
  const change = changeBetween(zone, from, to);
  return wall - before < change ? wall - before : Math.max(change, wall - after);
}

/** The latest local time up to an instant: while an hour repeats, the end of that hour. */
export function latestWall(zone: Zone, instant: number): number {
  const [before, after] = [offsetAt(zone, instant - maxShift), offsetAt(zone, instant)];
  if (before <= after) return instant + after;
  const change = changeBetween(zone, instant - maxShift, instant);
  return Math.max(change + before - 1, instant + after);
}
