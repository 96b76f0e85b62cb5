// What budgets would have done to messages of the past: their rules (ledger.ts), applied to one person's messages in
// the order of time. Pure.
import type { BudgetedClass } from "@tidings/contract";
import type { Zone } from "../rules/zones.ts";
import { type Budget, emptyLedger, judge, type Verdict } from "./ledger.ts";
import { nextTimeOfDay } from "./windows.ts";

export type PastMessage = { at: number; messageClass: BudgetedClass };

/** For each message: what would have happened to it when it came. `rollUps`: how many would have been begun. */
export type Replayed = { outcomes: ("sent" | "rolled_up" | "delayed" | "dropped")[]; rollUps: number };

const words = { roll_up: "rolled_up", delay: "delayed", drop: "dropped" } as const;

/** The messages of one person in one channel, oldest first. */
export function replayMessages(messages: readonly PastMessage[], budgets: readonly Budget[], zone: Zone): Replayed {
  const ledger = emptyLedger();
  const replayed: Replayed = { outcomes: [], rollUps: 0 };
  /** When what waits asks again, by id. */
  const waiting = new Map<string, { at: number; messageClass: BudgetedClass; isRollUp: boolean }>();
  const ask = (id: string, now: number, messageClass: BudgetedClass, isRollUp: boolean): Verdict =>
    judge(ledger, { id, messageClass, now, zone, budgets, itemCount: isRollUp ? 1 : null, canRollUp: true });
  const retryUntil = (end: number) => {
    for (;;) {
      const [next] = [...waiting].filter(([, { at }]) => at <= end).sort((a, b) => a[1].at - b[1].at);
      if (!next) return;
      const [id, { at, messageClass, isRollUp }] = next;
      const verdict = ask(id, at, messageClass, isRollUp);
      if (verdict.kind === "over") waiting.set(id, { at: verdict.until, messageClass, isRollUp });
      else waiting.delete(id);
    }
  };
  for (const [index, { at, messageClass }] of messages.entries()) {
    retryUntil(at);
    const id = String(index);
    const verdict = ask(id, at, messageClass, false);
    replayed.outcomes.push(verdict.kind === "over" ? words[verdict.overflow] : "sent");
    if (verdict.kind !== "over") continue;
    const { overflow, budget, until, rollUp } = verdict;
    if (overflow === "delay") waiting.set(id, { at: until, messageClass, isRollUp: false });
    if (!rollUp?.isNew) continue;
    replayed.rollUps++;
    const due = budget.rollUpAt === null ? until : nextTimeOfDay(at, budget.rollUpAt, zone);
    waiting.set(rollUp.id, { at: due, messageClass, isRollUp: true });
  }
  return replayed;
}
