// The budgets of a request or a file, checked beyond what their schema says, with every default filled in.
import { type AttentionBudget, budgetedClasses, maxWindowDays } from "@tidings/contract";
import { faultCollector } from "../../failure.ts";
import { definedMembers } from "../../lib/json.ts";
import { lengthOf } from "../../pipeline/attention/windows.ts";

const dayMs = 86_400_000;

/** Throws 422 with each budget that is wrong. */
export function readBudgets(given: AttentionBudget[]): AttentionBudget[] {
  const faults = faultCollector();
  const budgets = given.map(withDefaults);
  const seen = new Map<string, number>();
  for (const [index, { channel, classes, window, overflow, rollUpAt }] of budgets.entries()) {
    const field = `budgets.${index}`;
    if (lengthOf(window) > maxWindowDays * dayMs) {
      faults.add(`${field}.window`, `${field}.window must not be longer than ${maxWindowDays} days`, window);
    }
    if (rollUpAt != null && overflow !== "roll_up") {
      faults.add(`${field}.rollUpAt`, `${field}.rollUpAt is only for a budget with overflow roll_up`, rollUpAt);
    }
    const name = `${channel} ${classes!.join()} ${lengthOf(window)}`;
    const twin = seen.get(name);
    if (twin !== undefined) {
      faults.add(field, `${field} has the channel, classes and window of budgets.${twin}: remove one of them`);
    }
    seen.set(name, index);
  }
  faults.throwIfAny();
  return budgets;
}

const withDefaults = ({ channel, classes, limit, window, overflow, rollUpAt }: AttentionBudget): AttentionBudget => ({
  channel,
  classes: budgetedClasses.filter((one) => classes?.includes(one) ?? true),
  limit,
  window: { amount: window.amount, unit: window.unit },
  overflow: overflow ?? "roll_up",
  ...(rollUpAt != null && { rollUpAt }),
});

export const classesOf = ({ classes = [...budgetedClasses] }: AttentionBudget): string[] => classes;

/** As files have it: equal meaning has one form. */
export const withoutDefaults = (budget: AttentionBudget): AttentionBudget =>
  definedMembers({
    channel: budget.channel,
    classes: classesOf(budget).length < budgetedClasses.length ? budget.classes : undefined,
    limit: budget.limit,
    window: budget.window,
    overflow: (budget.overflow ?? "roll_up") === "roll_up" ? undefined : budget.overflow,
    rollUpAt: budget.rollUpAt ?? undefined,
  });

export const rollsUp = (budgets: readonly AttentionBudget[]): boolean =>
  budgets.some(({ overflow = "roll_up" }) => overflow === "roll_up");
