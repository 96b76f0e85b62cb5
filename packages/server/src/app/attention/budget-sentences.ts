// Attention budgets, and what a change of them means for readers, in sentences. Pure.
import { type AttentionBudget, budgetedClasses, type Overflow } from "@tidings/contract";
import { canonicalJson, type JsonObject } from "../../lib/json.ts";
import { messageWords, windowText } from "../../pipeline/attention/details.ts";
import { classesOf, withoutDefaults } from "./read-budgets.ts";

/** "2 promotional emails a day", "3 emails in 2 weeks". */
function amountOf(budget: AttentionBudget): string {
  const { channel, limit, window } = budget;
  const classes = classesOf(budget);
  const kind = classes.length < budgetedClasses.length ? `${classes.join()} ` : "";
  return `${limit} ${kind}${messageWords[channel][limit === 1 ? 0 : 1]} ${windowText(window)}`;
}

const overflowWords: Record<Overflow, string> = { roll_up: "rolled up", delay: "delayed", drop: "dropped" };

/** "rolled up at 18:00". */
const overflowText = ({ overflow = "roll_up", rollUpAt }: AttentionBudget): string =>
  `${overflowWords[overflow]}${rollUpAt == null ? "" : ` at ${rollUpAt}`}`;

export type BudgetChange = { before: AttentionBudget[]; after: AttentionBudget[] };

/** One sentence for each budget that differs. */
export function describeBudgets({ before, after }: BudgetChange): string[] {
  const pairs = pair(before, after);
  const sentences = pairs.flatMap(({ old, now }) => describePair(old, now));
  if (sentences.length > 0 || isSame(before, after)) return sentences;
  return ["The budgets are checked in another order: the first one that is full decides"];
}

function describePair(old: AttentionBudget | undefined, now: AttentionBudget | undefined): string[] {
  if (!now) return old ? [`There is no longer a limit of ${amountOf(old)}`] : [];
  const rest = `what is over it is ${overflowText(now)}`;
  if (!old) return [`At most ${amountOf(now)}; ${rest}`];
  const isOtherAmount = amountOf(old) !== amountOf(now);
  const isOtherOverflow = overflowText(old) !== overflowText(now);
  const verb = old.limit === 1 ? "becomes" : "become";
  const isSameWindow = canonicalJson(old.window) === canonicalJson(now.window);
  const became = isSameWindow ? `at most ${now.limit}` : `at most ${amountOf(now)}`;
  if (isOtherAmount) return [`At most ${amountOf(old)} ${verb} ${became}; ${rest}`];
  return isOtherOverflow ? [`At most ${amountOf(now)}: ${rest}, was ${overflowText(old)}`] : [];
}

type Pair = { old?: AttentionBudget; now?: AttentionBudget };

/** A budget is the one of its channel, classes and window, else that of its channel and classes. */
function pair(before: AttentionBudget[], after: AttentionBudget[]): Pair[] {
  const nameOf = (one: AttentionBudget) => `${one.channel} ${classesOf(one).join()}`;
  const keyOf = (one: AttentionBudget) => `${nameOf(one)} ${canonicalJson(one.window)}`;
  const left = new Set(before);
  const found = new Map<AttentionBudget, AttentionBudget>();
  for (const match of [keyOf, nameOf]) {
    for (const now of after) {
      const old = found.has(now) ? undefined : [...left].find((one) => match(one) === match(now));
      if (!old) continue;
      found.set(now, old);
      left.delete(old);
    }
  }
  return [...after.map((now) => ({ old: found.get(now), now })), ...[...left].map((old) => ({ old }))];
}

const isSame = (a: AttentionBudget[], b: AttentionBudget[]): boolean =>
  canonicalJson(a.map(withoutDefaults)) === canonicalJson(b.map(withoutDefaults));

/** The budgets of a stored change or a compared resource; none without one. */
export const budgetsOf = (settings: JsonObject | null): AttentionBudget[] =>
  (settings?.budgets as AttentionBudget[] | undefined) ?? [];
