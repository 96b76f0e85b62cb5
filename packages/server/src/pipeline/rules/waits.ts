// How long a delay, a digest or a throttle window lasts: a length (`{amount, unit}`), until the next match of a cron
// expression, or the value at a path of the template scope when the step runs. Seconds to weeks are fixed lengths;
// months are calendar months, clamped to the last day.
import { type TimeUnit, timeUnits } from "@tidings/contract";
import { isObject, type JsonObject, toDottedPath, valueAt } from "../../lib/json.ts";
import { nextCron } from "./cron.ts";
import type { Zone } from "./zones.ts";

const seconds: Record<Exclude<TimeUnit, "months">, number> = {
  seconds: 1,
  minutes: 60,
  hours: 3_600,
  days: 86_400,
  weeks: 604_800,
};

/** A negative amount goes back. */
export function addTime(from: Date, amount: number, unit: TimeUnit): Date {
  if (unit !== "months") return new Date(from.getTime() + amount * seconds[unit] * 1000);
  const month = from.getUTCMonth() + amount;
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const result = new Date(from);
  result.setUTCDate(1);
  result.setUTCMonth(month);
  result.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return result;
}

/** `past`: the given time is not in the future. `reason`: the text for the execution detail. */
export type WaitFault = { fault: "invalid" | "too_long" | "past"; reason: string };
export type Wait = { until: Date } | WaitFault;

type LengthWait = { until: Date; amount: number; unit: TimeUnit };

export type WaitRequest = {
  /** The step's control values: `type` and the members of that type. */
  values: JsonObject;
  /** The event's `overrides.delay`: replaces the length of regular delays and digests. */
  override?: unknown;
  /** A function, because only dynamic waits read the scope. */
  scope(): JsonObject;
  now: Date;
  zone: Zone;
  maxDays: number;
};

const isTimeUnit = (value: unknown): value is TimeUnit => timeUnits.some((unit) => unit === value);

const invalid = (reason: string): WaitFault => ({ fault: "invalid", reason });

/** Reads a wait out of control values of any type. */
export function readWait({ values, override, scope, now, zone, maxDays }: WaitRequest): Wait {
  switch (values.type ?? "regular") {
    case "regular":
      return override === undefined
        ? readLength(values, now, maxDays)
        : readLength(override, now, maxDays, "overrides.delay");
    case "fixed":
      return readLength(values, now, maxDays);
    case "timed":
      return readTimed(values.cron, now, zone, maxDays);
    case "dynamic":
      return readDynamic(values.dynamicKey, scope(), now, maxDays);
    default:
      return invalid("type must be one of: regular, fixed, timed, dynamic");
  }
}

/** Reads `{amount, unit}`; `path` names it in errors. Amounts are whole numbers of at least 1. */
export function readLength(value: unknown, now: Date, maxDays: number, path = ""): LengthWait | WaitFault {
  if (!isObject(value)) return invalid(`${path || "The wait"} must be an object with amount and unit`);
  const { amount, unit } = value;
  const at = path && `${path}.`;
  if (typeof amount !== "number" || !Number.isInteger(amount) || amount < 1) {
    return invalid(`${at}amount must be a whole number of at least 1`);
  }
  if (!isTimeUnit(unit)) {
    return invalid(`${at}unit must be one of: ${timeUnits.join(", ")}`);
  }
  const wait = withinLimit(addTime(now, amount, unit), now, maxDays);
  return "fault" in wait ? wait : { ...wait, amount, unit };
}

function readTimed(cron: unknown, now: Date, zone: Zone, maxDays: number): Wait {
  if (typeof cron !== "string") return invalid("cron must be a string");
  const next = nextCron(cron, now, zone);
  return "fault" in next ? invalid(next.fault) : withinLimit(next.at, now, maxDays);
}

const maxPathLength = 256;

/** The value at the path: an ISO time, or `{amount, unit}`. */
function readDynamic(dynamicKey: unknown, scope: JsonObject, now: Date, maxDays: number): Wait {
  const path = typeof dynamicKey === "string" ? dynamicKey.trim() : "";
  if (path === "") return invalid("dynamicKey must name a value, for example payload.sendAt");
  if (path.length > maxPathLength) return invalid(`dynamicKey must not be longer than ${maxPathLength} characters`);
  const value = lookUp(scope, toDottedPath(path));
  if (value === undefined || value === null) return invalid(`${path} is missing`);
  if (isObject(value)) return readLength(value, now, maxDays, path);
  const until = typeof value === "string" ? readTime(value) : null;
  if (!until) return invalid(`${path} must be an ISO time or an object with amount and unit`);
  if (until <= now) return { fault: "past", reason: `${path} is ${until.toISOString()}, which is in the past` };
  return withinLimit(until, now, maxDays);
}

/** A path that starts with none of the roots is looked up in the payload. */
function lookUp(scope: JsonObject, path: string): unknown {
  const [root = ""] = path.split(".", 1);
  return Object.hasOwn(scope, root) ? valueAt(scope, path) : valueAt(scope.payload, path);
}

const timePattern = /^(\d{4}-\d\d-)(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** An ISO time; without an offset, or without a time of day, in UTC. */
export function readTime(text: string): Date | null {
  const match = timePattern.exec(text.trim());
  if (!match) return null;
  const [whole, month, day, offset] = match;
  // Date reads a time without an offset in the zone of this process, and 30 February as 2 March.
  const time = new Date(whole.includes("T") && !offset ? `${whole}Z` : whole);
  const isDay = new Date(`${month}${day}`).getUTCDate() === Number(day);
  return isDay && !Number.isNaN(time.getTime()) ? time : null;
}

function withinLimit(until: Date, now: Date, maxDays: number): Wait {
  // An amount beyond the range of Date gives an invalid date, which compares as false.
  const isWithin = until.getTime() - now.getTime() <= maxDays * 86_400_000;
  return isWithin ? { until } : { fault: "too_long", reason: `The wait is longer than the allowed ${maxDays} days` };
}
