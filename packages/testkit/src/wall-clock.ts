// Local time of a zone, from Intl field by field, as an independent reference for our own. And the changes of the
// offset of every zone from 2020 to 2030.
const minute = 60_000;
const day = 24 * 60 * minute;

export const zoneNames = Intl.supportedValuesOf("timeZone");

/** Milliseconds as if the zone were UTC. */
export type WallClock = (instant: number) => number;

const clocks = new Map<string, WallClock>();

export function wallClock(name: string): WallClock {
  const known = clocks.get(name);
  if (known) return known;
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: name,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  // Swedish writes 2026-03-29 02:30:00.
  const clock = (instant: number) => Date.parse(`${format.format(instant).replace(" ", "T")}Z`) + (instant % 1000);
  clocks.set(name, clock);
  return clock;
}

const changes = new Map<string, number[]>();

/** The first instants with a new offset, to the minute. */
export function offsetChanges(name: string): number[] {
  const known = changes.get(name);
  if (known) return known;
  const clock = wallClock(name);
  const offset = (instant: number) => clock(instant) - instant;
  const found: number[] = [];
  const step = 10 * day;
  let before = offset(Date.UTC(2020, 0, 1));
  // No zone changes twice within ten days.
  for (let at = Date.UTC(2020, 0, 1); at < Date.UTC(2031, 0, 1); at += step) {
    const after = offset(at + step);
    if (after === before) continue;
    let [low, high] = [at, at + step];
    while (high - low > minute) {
      const middle = low + Math.floor((high - low) / 2 / minute) * minute;
      if (offset(middle) === before) low = middle;
      else high = middle;
    }
    found.push(high);
    before = after;
  }
  changes.set(name, found);
  return found;
}
