// Rates that several processes share without a database query for every use. Each rate is the time until which it is
// used up, and spending moves that time on (the generic cell rate algorithm). A process spends on its own and
// synchronises with the database four times a second: it adds what it has spent and reads what all processes have.
// Together they exceed a rate by what one of them can spend in a quarter of a second. Rates with little use are not
// synchronised at all. While the database is away, each process keeps to the rate on its own.
import { createBoundedCache } from "../bounded-cache.ts";

const settleMs = 250;
/** A budget that is used up for less than this is not synchronised. */
const shortMs = 500;
/** Budgets in one statement; the rest follows in the next. */
const maxPerStatement = 1_000;

export type Budgets = ReturnType<typeof createBudgets>;

/** `isShared`: the database has it, so other processes use it too. */
type Budget = { next: number; unsettled: number; maxMs: number; isShared: boolean };

export type BudgetOptions = {
  now(): number;
  /** Adds what was spent (ms, by name); returns for how long from now each is used up. Absent: no rate is shared. */
  settle?(spent: Map<string, number>): Promise<Map<string, number>>;
  max: number;
};

export function createBudgets({ now, settle, max }: BudgetOptions) {
  const budgets = createBoundedCache<Budget>(max);
  const unsettled = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const scheduleSettle = () => {
    if (timer || isClosed || !settle) return;
    timer = setTimeout(() => void settleNow(settle), settleMs);
    timer.unref();
  };

  async function settleNow(settle: NonNullable<BudgetOptions["settle"]>): Promise<void> {
    const spent = new Map<string, number>();
    for (const name of unsettled) {
      if (spent.size === maxPerStatement) break;
      unsettled.delete(name);
      const budget = budgets.get(name);
      if (!budget || budget.unsettled === 0) continue;
      spent.set(name, budget.unsettled);
      budget.unsettled = 0;
    }
    try {
      const ahead = spent.size > 0 ? await settle(spent) : new Map<string, number>();
      for (const [name, ms] of ahead) {
        const budget = budgets.get(name);
        if (!budget) continue;
        budget.next = now() + Math.min(Math.max(0, ms) + budget.unsettled, budget.maxMs);
        budget.isShared = true;
      }
    } catch {
      // The database is away, which other statements log. The spending stays unsettled for the next time.
      for (const [name, ms] of spent) {
        const budget = budgets.get(name);
        if (!budget) continue;
        budget.unsettled = Math.min(budget.unsettled + ms, Math.max(0, budget.next - now()));
        unsettled.add(name);
      }
    }
    timer = undefined;
    if (unsettled.size > 0) scheduleSettle();
  }

  return {
    /** The time at which the budget is free: now or later. */
    freeAt: (name: string): number => Math.max(budgets.get(name)?.next ?? 0, now()),
    /** Returns the time at which the budget was free before. It is used up for `maxMs` at most. */
    spend(name: string, ms: number, maxMs: number): number {
      const time = now();
      const budget = budgets.get(name) ?? { next: 0, unsettled: 0, maxMs, isShared: false };
      const before = Math.max(budget.next, time);
      budget.next = Math.min(before + ms, time + maxMs);
      budget.unsettled = Math.min(budget.unsettled + budget.next - before, budget.next - time);
      budgets.set(name, budget);
      if (settle && budget.next - time >= shortMs) {
        unsettled.add(name);
        scheduleSettle();
      }
      return before;
    },
    /**
     * Frees the budgets with this prefix, in this process. Returns whether one of them is shared with other processes.
     */
    forget(prefix: string): boolean {
      let isShared = false;
      for (const name of [...budgets.keys()]) {
        if (!name.startsWith(prefix)) continue;
        isShared ||= budgets.peek(name)?.isShared ?? false;
        budgets.delete(name);
      }
      return isShared;
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
