// How well a workflow meets its objectives: good and bad messages, the error budget that is left, and how fast it is
// used (burn rate). Pure.
import { type Channel, type ObjectiveKind, type Objectives, objectiveKinds } from "@tidings/contract";
import { latencyBounds } from "../../store/events/statistics.ts";
import type { OutcomeRow } from "../../store/workflows/objectives.ts";

export type Counts = { good: number; bad: number };

/** One objective of a workflow. */
export type Objective = { kind: ObjectiveKind; percent: number; withinSeconds?: number };

export const objectivesOf = (objectives: Objectives | null): Objective[] =>
  objectiveKinds.flatMap((kind) => {
    const objective = objectives?.[kind];
    return objective ? [{ kind, ...objective }] : [];
  });

const minuteMs = 60_000;
/** Reports arrive late: until an hour is counted for the last time, a message without one is neither good nor bad. */
export const reportedAfterMs = 26 * 60 * minuteMs;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, count) => total + count, 0);

type Route = Pick<OutcomeRow, "channel" | "provider_id">;
export type LeftOut = {
  channel: Channel;
  providerId: string | null;
  reason: "no_provider" | "captured" | "no_delivery_reports";
};

/**
 * Which messages an objective is measured by. `captures`: providers that keep messages instead of sending them. A
 * provider counts for deliveries if it reported one in the whole period; failures before a provider was chosen count
 * if their channel has such a provider.
 */
export function leaveOut(kind: ObjectiveKind, rows: OutcomeRow[], captures: readonly string[]) {
  const reporting = new Set(rows.filter(({ delivered }) => delivered > 0).map(({ provider_id }) => provider_id));
  const channels = new Set(rows.filter(({ delivered }) => delivered > 0).map(({ channel }) => channel));
  return ({ channel, provider_id }: Route): LeftOut["reason"] | null => {
    if (captures.includes(provider_id)) return "captured";
    if (channel === "in_app") return kind === "handedOver" ? "no_provider" : null;
    if (kind === "handedOver") return null;
    const isMeasured = provider_id === "" ? channels.has(channel) : reporting.has(provider_id);
    return isMeasured ? null : "no_delivery_reports";
  };
}

/** What rows say about one objective. `isFinal`: reports that have not arrived will not. */
function countRow(row: OutcomeRow, { kind, withinSeconds }: Objective, isFinal: boolean): Counts {
  if (kind === "delivered") {
    const unreported = isFinal ? row.sent - row.delivered : 0;
    return { good: row.delivered, bad: row.failed + unreported };
  }
  const classes = latencyBounds.findIndex((bound) => bound === (withinSeconds ?? 0) * 1_000) + 1;
  return {
    good: sum(row.latency.slice(0, classes)),
    bad: sum(row.latency.slice(classes)) + sum(row.waiting.slice(classes)) + row.unaccepted,
  };
}

export function countRows(
  rows: OutcomeRow[],
  objective: Objective,
  { now, isLeftOut }: { now: number; isLeftOut: (route: Route) => boolean },
): Counts {
  const counts = { good: 0, bad: 0 };
  for (const row of rows) {
    if (isLeftOut(row)) continue;
    const { good, bad } = countRow(row, objective, row.at.getTime() <= now - reportedAfterMs);
    counts.good += good;
    counts.bad += bad;
  }
  return counts;
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

export const measuredPercent = ({ good, bad }: Counts): number | null =>
  good + bad === 0 ? null : round((good / (good + bad)) * 100, 3);

/** The share of messages that may be bad. */
const allowedShare = (percent: number): number => (100 - percent) / 100;

/** 1: bad messages are exactly as many as allowed. */
export function burnRate({ good, bad }: Counts, percent: number): number | null {
  return good + bad === 0 ? null : round(bad / (good + bad) / allowedShare(percent), 2);
}

export function budgetLeft({ good, bad }: Counts, percent: number): number | null {
  return good + bad === 0 ? null : round(1 - bad / ((good + bad) * allowedShare(percent)), 4);
}

/**
 * A burn rate of 1 uses the budget of the period up in its days, a rate of 2 in half of them; what is left of the
 * budget lasts for its share of that.
 */
export function usedUpInDays(left: number | null, rate: number | null, days: number): number | null {
  if (left === null || left <= 0 || rate === null || rate <= 0) return null;
  return round((left * days) / rate, 1);
}

/** Objectives in words, such as "99 % handed to a provider within 10 s". */
export const objectiveTexts = (objectives: Objectives | null): string[] => objectivesOf(objectives).map(objectiveText);

export const objectiveText = ({ kind, percent, withinSeconds }: Objective): string =>
  kind === "handedOver" ? `${percent} % handed to a provider within ${withinSeconds} s` : `${percent} % delivered`;

/** One or two bad messages raise no alarm, however few there are. */
const minBad = 3;
/** A burn rate cannot be higher than that of bad messages only: with a low objective, less has to be enough. */
const reachableShare = 0.9;

/** The last 5 minutes, the last hour and the last 6 hours. */
export type BurnWindows = { minutes: Counts; hour: Counts; hours: Counts };
export type BurnLimits = { fastBurn: number; slowBurn: number; atLeast: number };
export type Burning = Counts & { hours: 1 | 6; rate: number };

/** The window in which the budget is used too fast, the shorter one first; null when it is not. */
export function findBurn(windows: BurnWindows, percent: number, limits: BurnLimits): Burning | null {
  const highest = reachableShare / allowedShare(percent);
  const isBurning = (counts: Counts, limit: number) => (burnRate(counts, percent) ?? 0) >= Math.min(limit, highest);
  const isEnough = ({ good, bad }: Counts) => good + bad >= limits.atLeast && bad >= minBad;
  const toBurning = (hours: 1 | 6, counts: Counts) => ({ ...counts, hours, rate: burnRate(counts, percent)! });
  const { minutes, hour, hours } = windows;
  if (isEnough(hour) && isBurning(hour, limits.fastBurn) && isBurning(minutes, limits.fastBurn))
    return toBurning(1, hour);
  if (isEnough(hours) && isBurning(hours, limits.slowBurn) && isBurning(hour, limits.slowBurn))
    return toBurning(6, hours);
  return null;
}
