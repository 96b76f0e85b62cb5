// What the address of this screen carries: the tab, and the filters of the audit log.
import { choiceParam, present, type RawSearch, textParam } from "../../kit/search-params.ts";

export const auditRanges = { "24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000 } as const;
/** `custom`: from one day to another, which are in the address too. */
export type AuditRange = keyof typeof auditRanges | "custom";

export type SettingsSearch = {
  tab?: string;
  member?: string;
  operation?: string;
  environment?: string;
  range?: AuditRange;
  /** Days such as `2026-11-16`, both included. */
  from?: string;
  to?: string;
  after?: string;
};

const ranges = [...(Object.keys(auditRanges) as (keyof typeof auditRanges)[]), "custom"] as const;
const isDay = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
const dayParam = (value: unknown): string | undefined => (isDay(value) ? value : undefined);

/** Older links say `person` for a member, and `people` for the tab. */
export const readSettingsSearch = ({ person, member = person, tab, ...search }: RawSearch): SettingsSearch =>
  present({
    tab: textParam(tab === "people" ? "members" : tab),
    member: textParam(member),
    operation: textParam(search.operation),
    environment: textParam(search.environment),
    after: textParam(search.after, 400),
    range: choiceParam(search.range, ranges),
    ...(search.range === "custom" && { from: dayParam(search.from), to: dayParam(search.to) }),
  });
