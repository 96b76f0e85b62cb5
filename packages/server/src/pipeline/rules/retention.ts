// How long each class of data is kept: the days that apply in an environment, their limits, and the time before which
// rows go. Pure; docs/retention.md says the same in prose.
import {
  type EnvironmentRetentionClass,
  environmentRetentionClasses,
  type RetentionClassName,
  type RetentionRun,
  retentionClasses,
} from "@tidings/contract";
import type { Config } from "../../config.ts";
import type { RetentionOverrides } from "../../store/tables.ts";
import { nextCron } from "./cron.ts";
import { zoneOf } from "./zones.ts";

/** Days of each class that an environment decides about. */
export type RetentionDays = Record<EnvironmentRetentionClass, number>;

/** The settings that the rules depend on. */
export type RetentionSettings = Pick<Config, "retention" | "maxWaitDays" | "maxSnoozeDays">;

const dayMs = 86_400_000;

/** Hours of statistics are counted for the last time within two days, from messages. */
const minDays = 3;

export const settingOfClass: Record<RetentionClassName, string> = {
  messages: "TIDINGS_RETENTION_DAYS",
  inApp: "TIDINGS_RETENTION_IN_APP_DAYS",
  captured: "TIDINGS_RETENTION_CAPTURED_DAYS",
  deadLetters: "TIDINGS_DEAD_LETTER_DAYS",
  statistics: "TIDINGS_RETENTION_STATISTICS_DAYS",
  audit: "TIDINGS_AUDIT_DAYS",
};

const maxOf = ({ retention }: RetentionSettings, name: EnvironmentRetentionClass): number =>
  Math.max(retention.maxDays, retention[name]);

/**
 * The days that apply. Numbers that the environment chose under other settings are moved to the nearest ones that the
 * present settings allow.
 */
export function resolveRetention(settings: RetentionSettings, overrides: RetentionOverrides): RetentionDays {
  const wanted = (name: EnvironmentRetentionClass) =>
    Math.min(overrides[name] ?? settings.retention[name], maxOf(settings, name));
  const messages = Math.max(wanted("messages"), settings.maxWaitDays, minDays);
  return {
    messages,
    inApp: Math.max(wanted("inApp"), messages, settings.maxSnoozeDays),
    captured: wanted("captured"),
    deadLetters: Math.min(wanted("deadLetters"), messages),
    statistics: Math.max(wanted("statistics"), minDays),
  };
}

type Bound = { days: number; reason: string };
export type RetentionBounds = { min: Bound; max: Bound };

const tightest = (bounds: Bound[], isTighter: (a: number, b: number) => boolean): Bound =>
  bounds.reduce((best, one) => (isTighter(one.days, best.days) ? one : best));

const days = (count: number): string => (count === 1 ? "1 day" : `${count} days`);

/** What a class may be changed to while the others are unchanged. */
export function boundsOf(
  settings: RetentionSettings,
  current: RetentionDays,
  name: EnvironmentRetentionClass,
): RetentionBounds {
  const { maxWaitDays, maxSnoozeDays } = settings;
  const wait = { days: maxWaitDays, reason: `a delay or digest can last ${days(maxWaitDays)} (TIDINGS_MAX_WAIT_DAYS)` };
  const counted = { days: minDays, reason: "statistics are counted for the last time after two days" };
  const snooze = {
    days: maxSnoozeDays,
    reason: `a message can be snoozed for ${days(maxSnoozeDays)} (TIDINGS_MAX_SNOOZE_DAYS)`,
  };
  const other = (one: EnvironmentRetentionClass, why: string): Bound => ({
    days: current[one],
    reason: `${why}, and ${one} is ${days(current[one])}`,
  });
  const lower: Record<EnvironmentRetentionClass, Bound[]> = {
    messages: [wait, counted, other("deadLetters", "a replay needs the message")],
    inApp: [other("messages", "a run refers to its in-app messages"), snooze],
    captured: [],
    deadLetters: [],
    statistics: [counted],
  };
  const upper: Record<EnvironmentRetentionClass, Bound[]> = {
    messages: [other("inApp", "a run refers to its in-app messages")],
    inApp: [],
    captured: [],
    deadLetters: [other("messages", "a replay needs the message")],
    statistics: [],
  };
  const first = { days: 1, reason: "the shortest retention" };
  const limit = maxOf(settings, name);
  const last = { days: limit, reason: `the installation allows ${days(limit)} (TIDINGS_RETENTION_MAX_DAYS)` };
  return {
    min: tightest([first, ...lower[name]], (a, b) => a > b),
    max: tightest([last, ...upper[name]], (a, b) => a < b),
  };
}

/** Why the changes are refused, by class; empty when they are fine. `next`: all days with the changes. */
export function findRetentionFaults(
  settings: RetentionSettings,
  next: RetentionDays,
  changed: readonly EnvironmentRetentionClass[],
): Map<EnvironmentRetentionClass, string> {
  const faults = new Map<EnvironmentRetentionClass, string>();
  for (const name of changed) {
    const { min, max } = boundsOf(settings, next, name);
    if (next[name] < min.days) {
      faults.set(name, `${name} must be at least ${days(min.days)}, not ${next[name]}: ${min.reason}`);
    } else if (next[name] > max.days) {
      faults.set(name, `${name} must be at most ${days(max.days)}, not ${next[name]}: ${max.reason}`);
    }
  }
  return faults;
}

/** The days with the changes of a request, as they were asked for; null: the default of the installation. */
export function applyChanges(
  settings: RetentionSettings,
  overrides: RetentionOverrides,
  changes: Partial<Record<EnvironmentRetentionClass, number | null>>,
): { overrides: RetentionOverrides; days: RetentionDays; changed: EnvironmentRetentionClass[] } {
  const changed = environmentRetentionClasses.filter((name) => changes[name] !== undefined);
  const next: RetentionOverrides = { ...overrides };
  const current = resolveRetention(settings, overrides);
  for (const name of changed) {
    const value = changes[name]!;
    if (value === null) delete next[name];
    else next[name] = value;
    // The default of a class is what resolveRetention makes of it, given the other classes.
    if (value !== null) current[name] = value;
  }
  const resolved = resolveRetention(settings, next);
  for (const name of changed) if (changes[name] === null) current[name] = resolved[name];
  return { overrides: next, days: current, changed };
}

/**
 * Rows from before this time go. Whole days in UTC, so that all runs of a day agree; with steps of a month, whole
 * months.
 */
export function cutoffOf(now: Date, keptDays: number, step: "day" | "month"): Date {
  const midnight = Math.floor(now.getTime() / dayMs) * dayMs;
  const day = new Date(midnight - keptDays * dayMs);
  return step === "day" ? day : new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1));
}

/** When everything from before `end` has gone: the first midnight at which the cut-off has reached it. */
export const goneAt = (end: Date, keptDays: number): Date =>
  new Date(Math.ceil(end.getTime() / dayMs) * dayMs + keptDays * dayMs);

/** Runs begin at these minutes; the first one of a day that completes is the last one of that day. */
export const retentionCron = "4-54/10 * * * *";

const isSameDay = (a: Date, b: Date): boolean => Math.floor(a.getTime() / dayMs) === Math.floor(b.getTime() / dayMs);

/** Whether a run has done the work of the day. */
export const isDoneFor = (now: Date, lastComplete: Date | null): boolean =>
  lastComplete !== null && isSameDay(now, lastComplete);

const utc = zoneOf("UTC", "UTC");

/** When the next run begins that has something to do. */
export function nextRunAt(now: Date, lastComplete: Date | null): Date {
  const midnight = new Date((Math.floor(now.getTime() / dayMs) + 1) * dayMs);
  const next = nextCron(retentionCron, isDoneFor(now, lastComplete) ? midnight : now, utc);
  if ("fault" in next) throw new Error(next.fault);
  return next.at;
}

export type DeletedRows = Partial<Record<RetentionClassName, number>>;

/** In the order of the classes. */
export const listDeleted = (deleted: DeletedRows): RetentionRun["deleted"] =>
  retentionClasses.flatMap((name) => (deleted[name] === undefined ? [] : [{ name, rows: deleted[name] }]));
