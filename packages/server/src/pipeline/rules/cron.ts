// The next time a cron expression matches in a time zone. Expressions are matched in local time (`parseCron` of the
// contract) and converted to an instant afterwards, so daylight saving is handled in one place (`firstInstant`): a
// local time that does not exist moves forward to the next that does, one that exists twice matches the first time
// only. No library does that: croner 11 skips the night for `*/15 2 * * *`, repeats the hour for `*/30 * * * *`, and
// loses a date that a zone skips.
import { neverMatches, nextMatch, type ParsedCron, parseCron } from "@tidings/contract";
import { LRUCache } from "lru-cache";
import { firstInstant, latestWall, type Zone } from "./zones.ts";

const cache = new LRUCache<string, ParsedCron>({ max: 500 });
/** Longer texts are refused, and need no place in the cache. */
const maxCached = 256;

/** From a cache. */
export function readCron(text: string): ParsedCron {
  const cached = cache.get(text);
  if (cached) return cached;
  const parsed = parseCron(text);
  if (text.length <= maxCached) cache.set(text, parsed);
  return parsed;
}

/** The next time the expression matches in the zone, strictly later than now. */
export function nextCron(text: string, now: Date, zone: Zone): { at: Date } | { fault: string } {
  const parsed = readCron(text);
  if ("fault" in parsed) return parsed;
  const wall = nextMatch(parsed.cron, latestWall(zone, now.getTime()));
  return wall === null ? { fault: neverMatches } : { at: new Date(firstInstant(zone, wall)) };
}
