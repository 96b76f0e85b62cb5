// When an in-app message expires: at `expiresAt`, a time or a template that renders to one, or `expiresIn` after it is
// sent, whichever is earlier. A template that renders to nothing sets no time: a payload may leave it out.
import { isObject } from "../../lib/json.ts";
import { readLength, readTime, type Wait } from "./waits.ts";

/** Ten years: a time beyond it is more likely a mistake, such as seconds taken for days, than a wish. */
const maxExpiryDays = 3_650;

type ExpiryControls = { expiresAt?: unknown; expiresIn?: unknown };

/** Null for a message that does not expire. `render` is called for `expiresAt`. */
export function readExpiry(
  { expiresAt, expiresIn }: ExpiryControls,
  render: (template: string) => string,
  now: Date,
): Wait | null {
  if (expiresAt === undefined && expiresIn === undefined) return null;
  const byTime = typeof expiresAt === "string" ? readExpiryTime(render(expiresAt), now) : null;
  if (byTime && "fault" in byTime) return byTime;
  const byLength = isEmpty(expiresIn) ? null : readExpiryLength(expiresIn, now);
  if (!byTime || !byLength || "fault" in byLength) return byLength ?? byTime;
  return byTime.until < byLength.until ? byTime : byLength;
}

/** Without an amount there is no time: an editor leaves the unit behind when the amount is cleared. */
const isEmpty = (value: unknown): boolean => value === undefined || (isObject(value) && value.amount === undefined);

function readExpiryTime(text: string, now: Date): Wait | null {
  const given = text.trim();
  if (given === "") return null;
  const until = readTime(given);
  if (!until) {
    const shown = JSON.stringify(given.slice(0, 100));
    return { fault: "invalid", reason: `expiresAt is ${shown}: it must be an ISO time, such as 2026-01-31T09:00:00Z` };
  }
  if (until <= now) return { fault: "past", reason: `expiresAt is ${until.toISOString()}, which is in the past` };
  return until.getTime() - now.getTime() <= maxExpiryDays * 86_400_000
    ? { until }
    : {
        fault: "too_long",
        reason: `expiresAt is ${until.toISOString()}: it must be at most ${maxExpiryDays} days ahead`,
      };
}

function readExpiryLength(value: unknown, now: Date): Wait {
  const length = readLength(value, now, maxExpiryDays, "expiresIn");
  return "fault" in length && length.fault === "too_long"
    ? { fault: "too_long", reason: `expiresIn must be at most ${maxExpiryDays} days` }
    : length;
}
