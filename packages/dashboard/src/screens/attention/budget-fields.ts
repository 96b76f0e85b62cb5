// The form of a budget: its fields as text, and the budget that they become. Numbers that cannot be read stay text, so
// that the service says what is wrong. Pure.
import type { AttentionBudget, BudgetedClass, Channel, Overflow, WindowUnit } from "@tidings/contract";

export type ClassChoice = "transactional,promotional" | BudgetedClass;

export type BudgetFields = {
  channel: Channel;
  classes: ClassChoice;
  limit: string;
  amount: string;
  unit: WindowUnit;
  overflow: Overflow;
  /** Empty: none. */
  rollUpAt: string;
};

/** A new one starts with what most people want. */
export const fieldsOf = (budget: AttentionBudget | undefined): BudgetFields => ({
  channel: budget?.channel ?? "email",
  classes: budget?.classes?.length === 1 ? budget.classes[0]! : "transactional,promotional",
  limit: String(budget?.limit ?? 3),
  amount: String(budget?.window.amount ?? 1),
  unit: budget?.window.unit ?? "day",
  overflow: budget?.overflow ?? "roll_up",
  rollUpAt: budget?.rollUpAt ?? "",
});

const numberOf = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : (text as never));

/** As the service returns it, so that an unchanged form changes nothing. */
export const budgetOf = ({ channel, classes, limit, amount, unit, overflow, rollUpAt }: BudgetFields) =>
  ({
    channel,
    classes: classes.split(",") as BudgetedClass[],
    limit: numberOf(limit),
    window: { amount: numberOf(amount), unit },
    overflow,
    ...(overflow === "roll_up" && rollUpAt !== "" && { rollUpAt }),
  }) satisfies AttentionBudget;

/** The errors of one budget by its members, and as a whole under "". */
export function faultsAt(fields: Readonly<Record<string, string>>, index: number): Record<string, string> {
  const place = `budgets.${index}`;
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([field]) => field === place || field.startsWith(`${place}.`))
      .map(([field, message]) => [field.slice(place.length + 1), message]),
  );
}
