// The filters of the activity list, as written in the URL.
import type { Channel, NotificationOutcome } from "@tidings/contract";
import { channelNames } from "../../outcomes/channel-names.ts";
import { outcomeNames } from "../../outcomes/outcome-names.ts";

export type Outcome = NotificationOutcome;

export const ranges = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000 } as const;
type Range = keyof typeof ranges;

export type ActivityFilters = {
  workflow?: string;
  outcome?: Outcome;
  channel?: Channel;
  subscriber?: string;
  q?: string;
  range?: Range;
};

const textOf = (value: unknown): string | undefined =>
  (typeof value === "string" || typeof value === "number") && value !== "" ? String(value).slice(0, 255) : undefined;

export const memberOf = <T extends string>(value: unknown, of: Record<T, unknown>): T | undefined =>
  typeof value === "string" && Object.hasOwn(of, value) ? (value as T) : undefined;

/** The filters that each environment was left with: the way back from an event leads to the same list. */
const lastFilters = new Map<string, ActivityFilters>();
export const rememberFilters = (environmentId: string, filters: ActivityFilters): void =>
  void lastFilters.set(environmentId, filters);
export const lastFiltersOf = (environmentId: string): ActivityFilters => lastFilters.get(environmentId) ?? {};

/** What is not a filter is left out, so that an old link still works. */
export function readFilters(search: Record<string, unknown>): ActivityFilters {
  const filters: ActivityFilters = {
    workflow: textOf(search.workflow),
    outcome: memberOf(search.outcome, outcomeNames),
    channel: memberOf(search.channel, channelNames),
    subscriber: textOf(search.subscriber ?? search.person), // `person`: the name in older links
    q: textOf(search.q),
    range: memberOf(search.range, ranges),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
