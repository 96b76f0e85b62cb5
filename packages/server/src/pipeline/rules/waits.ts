// How long a wait is. Seconds to weeks are fixed lengths; months are calendar months, clamped to the last day.
import { type TimeUnit, timeUnits } from "@tidings/contract";

const seconds: Record<Exclude<TimeUnit, "months">, number> = {
  seconds: 1,
  minutes: 60,
  hours: 3_600,
  days: 86_400,
  weeks: 604_800,
};

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

export type Wait = { until: Date } | { fault: "invalid" | "too_long" };

/** Reads `{amount, unit}` out of control values; amounts are whole and at least 1. */
export function readWait(values: Record<string, unknown>, now: Date, maxDays: number): Wait {
  const { amount, unit } = values;
  const isUnit = typeof unit === "string" && (timeUnits as readonly string[]).includes(unit);
  if (typeof amount !== "number" || !Number.isInteger(amount) || amount < 1 || !isUnit) return { fault: "invalid" };
  const until = addTime(now, amount, unit as TimeUnit);
  const isTooLong = !(until.getTime() - now.getTime() <= maxDays * 86_400_000);
  return isTooLong ? { fault: "too_long" } : { until };
}
