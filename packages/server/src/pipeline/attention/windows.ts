// The windows of attention budgets, in the local time of a person: a day ends at the same time of the next day, even
// when clocks change in between.
import type { AttentionWindow } from "@tidings/contract";
import { firstInstant, offsetAt, type Zone } from "../rules/zones.ts";

const hour = 3_600_000;
const day = 24 * hour;

const lengths = { hour, day, week: 7 * day } as const;

/** The length of a window without a change of clocks. */
export const lengthOf = ({ amount, unit }: AttentionWindow): number => amount * lengths[unit];

/** When a place that was taken at `at` is free again. */
export function freesAt(at: number, window: AttentionWindow, zone: Zone): number {
  if (window.unit === "hour") return at + lengthOf(window);
  return firstInstant(zone, at + offsetAt(zone, at) + lengthOf(window));
}

/** The first moment from `from` on at which it is that time of day, such as `18:00`. */
export function nextTimeOfDay(from: number, time: string, zone: Zone): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const wall = from + offsetAt(zone, from);
  const today = wall - (((wall % day) + day) % day) + hours * hour + minutes * 60_000;
  const first = firstInstant(zone, today);
  return first >= from ? first : firstInstant(zone, today + day);
}
