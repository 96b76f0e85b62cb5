// How limits are written, and where their numbers come from: constants, settings, and the schemas of operations.
import { operations } from "@tidings/contract";
import { settings } from "@tidings/server/source/settings";
import { constant } from "./constants.ts";

export type Row = { limit: string; value: string; setting?: string; beyond: string };

export const count = (value: number): string => value.toLocaleString("en");
export const megabytes = (bytes: number): string => `${count(Math.round((bytes / 1024 / 1024) * 10) / 10)} MB`;
export const named = (file: string, name: string): string => count(constant(file, name));

const units: [ms: number, one: string, many: string][] = [
  [86_400_000, "1 day", "days"],
  [3_600_000, "1 hour", "hours"],
  [60_000, "1 minute", "minutes"],
];

export function duration(ms: number): string {
  const unit = units.find(([length]) => ms >= length && ms % length === 0 && !(length === 60_000 && ms === length));
  if (unit) return ms === unit[0] ? unit[1] : `${count(ms / unit[0])} ${unit[2]}`;
  return ms < 250 ? `${ms} ms` : `${count(ms / 1_000)} s`;
}

export const timeIn = (file: string, name: string): string => duration(constant(file, name));

/** The default of a setting, in its own unit. */
export const byDefault = (name: keyof typeof settings): number => Number(settings[name].fallback);

/** The most items that a list in an operation's body may have. */
export function maxItems(id: keyof typeof operations, member: string): string {
  const { body } = operations[id] as { body?: { properties: Record<string, { maxItems?: number }> } };
  const found = body?.properties[member]?.maxItems;
  if (found === undefined) throw new Error(`${id} has no limit for ${member}`);
  return count(found);
}

export const rateLimited = "429 `RATE_LIMITED`";
