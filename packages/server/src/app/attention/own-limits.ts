// How many messages a person wants at most, by channel. Such a limit counts both classes of messages, and the
// environment's budgets apply as well, so a limit is refused unless it is lower than what they allow already.
import {
  type AttentionBudget,
  type BudgetedClass,
  budgetedClasses,
  type Channel,
  type ChannelAttention,
  channels,
  maxBudgetLimit,
  type OwnLimit,
  type OwnLimitsPatch,
  type WindowUnit,
  windowUnits,
} from "@tidings/contract";
import { faultCollector } from "../../failure.ts";
import { lengthOf } from "../../pipeline/attention/windows.ts";
import type { OwnLimits } from "../../store/tables.ts";

/** Forms offer those that are lower than the budgets. */
const usualLimits: Record<WindowUnit, number[]> = {
  hour: [1, 3],
  day: [1, 2, 3, 5, 10, 20],
  week: [1, 3, 5, 10],
};

const hasClass =
  (one: BudgetedClass) =>
  ({ classes = [...budgetedClasses] }: AttentionBudget): boolean =>
    classes.includes(one);

const lowestOf = (budgets: AttentionBudget[]): AttentionBudget | undefined =>
  budgets.toSorted((a, b) => a.limit - b.limit)[0];

/** The most messages that budgets let through, and the budgets that say so. */
type Max = { limit: number; by: AttentionBudget[] };

/** Null: as many as there are. A budget of a longer window lets no more through in a shorter one. */
function maxIn(budgets: AttentionBudget[], unit: WindowUnit): Max | null {
  const counting = budgets.filter(({ window }) => lengthOf(window) >= lengthOf({ amount: 1, unit }));
  const ofBoth = lowestOf(counting.filter((budget) => budgetedClasses.every((one) => hasClass(one)(budget))));
  const ofEach = budgetedClasses.flatMap((one) => lowestOf(counting.filter(hasClass(one))) ?? []);
  const both = ofBoth && { limit: ofBoth.limit, by: [ofBoth] };
  if (ofEach.length < budgetedClasses.length) return null;
  const sum = { limit: ofEach.reduce((total, { limit }) => total + limit, 0), by: ofEach };
  return both && both.limit <= sum.limit ? both : sum;
}

function isLower(budgets: AttentionBudget[], { limit, unit }: OwnLimit): boolean {
  const max = maxIn(budgets, unit);
  return max === null || limit < max.limit;
}

const budgetsOf = (budgets: AttentionBudget[], channel: Channel): AttentionBudget[] =>
  budgets.filter((budget) => budget.channel === channel);

/** Channels with a budget, and those for which the person has a limit. */
export function viewOwnLimits(budgets: AttentionBudget[], own: OwnLimits | null): ChannelAttention[] {
  return channels.flatMap((channel): ChannelAttention[] => {
    const counting = budgetsOf(budgets, channel);
    const chosen = own?.[channel] ?? null;
    if (counting.length === 0 && !chosen) return [];
    return [
      {
        channel,
        offered: counting.length > 0,
        environment: counting.map(({ classes = [...budgetedClasses], limit, window }) => ({ classes, limit, window })),
        own: chosen,
        choices: choicesFor(counting, chosen),
      },
    ];
  });
}

function choicesFor(budgets: AttentionBudget[], own: OwnLimit | null): OwnLimit[] {
  if (budgets.length === 0) return own ? [own] : [];
  return windowUnits.flatMap((unit) => {
    const limits = usualLimits[unit].filter((limit) => isLower(budgets, { limit, unit }));
    const all = own?.unit === unit ? [...new Set([...limits, own.limit])].sort((a, b) => a - b) : limits;
    return all.map((limit) => ({ limit, unit }));
  });
}

/** Throws 422 with each limit that is wrong. A limit can always be removed. */
export function readOwnLimits(budgets: AttentionBudget[], given: OwnLimitsPatch): OwnLimitsPatch {
  const faults = faultCollector();
  const read: OwnLimitsPatch = {};
  for (const channel of channels) {
    const wanted = given[channel];
    if (wanted === undefined) continue;
    read[channel] = wanted && { limit: wanted.limit, unit: wanted.unit };
    const fault = wanted && faultOf(budgetsOf(budgets, channel), channel, wanted);
    const field = `channels.${channel}`;
    if (fault) faults.add(field, `${field} ${fault}`, wanted);
  }
  faults.throwIfAny();
  return read;
}

function faultOf(budgets: AttentionBudget[], channel: Channel, wanted: OwnLimit): string | null {
  if (budgets.length === 0) return `cannot be set: the environment has no attention budget for ${channel}`;
  if (isLower(budgets, wanted)) return null;
  const { limit, by } = maxIn(budgets, wanted.unit)!;
  const fault =
    limit === 1 ? `cannot be set per ${wanted.unit}` : `must be lower than ${limit} messages per ${wanted.unit}`;
  return `${fault}: the environment allows no more than ${by.map(describeBudget).join(" and ")} already`;
}

function describeBudget({ classes = [], limit, window: { amount, unit } }: AttentionBudget): string {
  const noun = `${classes.length === 1 ? `${classes[0]} ` : ""}${limit === 1 ? "message" : "messages"}`;
  return `${limit} ${noun} ${amount === 1 ? `per ${unit}` : `in ${amount} ${unit}s`}`;
}

/** The text of a choice in forms: `3-day`, and an empty one for no limit. */
export const formValue = (limit: OwnLimit | null): string => (limit ? `${limit.limit}-${limit.unit}` : "");

/** What a form submitted: null for an empty text, undefined for what a form cannot offer. */
export function readFormValue(text: string): OwnLimit | null | undefined {
  if (text === "") return null;
  const [, digits, word] = /^([1-9]\d{0,2})-(\w+)$/.exec(text) ?? [];
  const unit = windowUnits.find((one) => one === word);
  const limit = Number(digits);
  return unit === undefined || limit > maxBudgetLimit ? undefined : { limit, unit };
}

/** The limits that `readOwnLimits` would accept, one by one. */
export const acceptableLimits = (budgets: AttentionBudget[], given: OwnLimitsPatch): OwnLimitsPatch =>
  Object.fromEntries(
    channels.flatMap((channel) => {
      const wanted = given[channel];
      if (wanted === undefined) return [];
      const isRefused = wanted && faultOf(budgetsOf(budgets, channel), channel, wanted) !== null;
      return isRefused ? [] : [[channel, wanted]];
    }),
  );
