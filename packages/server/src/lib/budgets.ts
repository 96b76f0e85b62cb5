// Rates that several processes share, without asking for every use. Each is a moment up to which it is used up: spending
// moves it on. A process spends on its own and settles four times a second: it says what it has spent since, and learns
// what all have. So together they exceed a rate by what one of them can spend in a quarter of a second. What is hardly used
// is not settled at all, and while the others cannot be reached the process keeps the rate on its own.
import { LRUCache } from "lru-cache";

const settleMs = 250;
/** A budget that is used up for less than this is not settled. */
const hardlyMs = 500;
/** Settled with one statement; the rest follows in the next. */
const mostAtOnce = 1_000;

export type Budgets = ReturnType<typeof createBudgets>;

/** `isKnown`: the other processes know of it. */
type Budget = { next: number; unsettled: number; longestMs: number; isKnown: boolean };

export type BudgetOptions = {
  now(): number;
  /** Adds what was spent (ms, by name); answers how far ahead of now each is used up. Absent: nothing is shared. */
  settle?(spent: Map<string, number>): Promise<Map<string, number>>;
  max: number;
};

export function createBudgets({ now, settle, max }: BudgetOptions) {
  const budgets = new LRUCache<string, Budget>({ max });
  const unsettled = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const plan = () => {
    if (timer || isClosed || !settle) return;
    timer = setTimeout(() => void settleNow(), settleMs);
    timer.unref();
  };

  async function settleNow(): Promise<void> {
    const spent = new Map<string, number>();
    for (const name of unsettled) {
      if (spent.size === mostAtOnce) break;
      unsettled.delete(name);
      const budget = budgets.get(name);
      if (!budget || budget.unsettled === 0) continue;
      spent.set(name, budget.unsettled);
      budget.unsettled = 0;
    }
    try {
      const ahead = spent.size > 0 ? await settle!(spent) : new Map<string, number>();
      for (const [name, ms] of ahead) {
        const budget = budgets.get(name);
        if (!budget) continue;
        budget.next = now() + Math.min(Math.max(0, ms) + budget.unsettled, budget.longestMs);
        budget.isKnown = true;
      }
    } catch {
      // The database is away, and every statement of others says so.
      for (const [name, ms] of spent) {
        const budget = budgets.get(name);
        if (!budget) continue;
        budget.unsettled = Math.min(budget.unsettled + ms, Math.max(0, budget.next - now()));
        unsettled.add(name);
      }
    }
    timer = undefined;
    if (unsettled.size > 0) plan();
  }

  return {
    /** From when on it is free: now, or later. */
    freeAt: (name: string): number => Math.max(budgets.get(name)?.next ?? 0, now()),
    /** Answers from when on it was free before. It is never used up for longer than `longestMs`. */
    spend(name: string, ms: number, longestMs: number): number {
      const time = now();
      const budget = budgets.get(name) ?? { next: 0, unsettled: 0, longestMs, isKnown: false };
      const before = Math.max(budget.next, time);
      budget.next = Math.min(before + ms, time + longestMs);
      budget.unsettled = Math.min(budget.unsettled + budget.next - before, budget.next - time);
      budgets.set(name, budget);
      if (settle && budget.next - time >= hardlyMs) {
        unsettled.add(name);
        plan();
      }
      return before;
    },
    /** In this process, the budgets whose names begin so are free. Answers whether other processes know of one of them. */
    forget(beginning: string): boolean {
      let isKnown = false;
      for (const name of [...budgets.keys()]) {
        if (!name.startsWith(beginning)) continue;
        isKnown ||= budgets.peek(name)?.isKnown ?? false;
        budgets.delete(name);
      }
      return isKnown;
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
