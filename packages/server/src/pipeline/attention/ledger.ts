// Who gets a place: the pure rules of attention budgets. A message takes a place in every budget that counts its class,
// or in none. Among those that wait, transactional messages go before promotional ones, and older before newer ones: a
// place that is free but awaited by others is not given away.
import {
  type AttentionBudget,
  type AttentionWindow,
  type BudgetedClass,
  budgetedClasses,
  type Channel,
  maxBudgetLimit,
  type Overflow,
} from "@tidings/contract";
import type { ChannelLedger, OwnLimits } from "../../store/tables.ts";
import type { Zone } from "../rules/zones.ts";
import { freesAt, lengthOf, nextTimeOfDay } from "./windows.ts";

/** A budget of one channel. `isOwn`: the person set it. */
export type Budget = {
  classes: readonly BudgetedClass[];
  limit: number;
  window: AttentionWindow;
  overflow: Overflow;
  rollUpAt: string | null;
  isOwn: boolean;
};

/** The budgets of a channel: those of the environment, and the lower limit that the person chose. */
export function budgetsOf(
  budgets: readonly AttentionBudget[],
  channel: Channel,
  own: OwnLimits | null | undefined,
): Budget[] {
  const found = budgets
    .filter((budget) => budget.channel === channel)
    .map(({ classes, limit, window, overflow, rollUpAt }): Budget => {
      const filled = { overflow: overflow ?? "roll_up", rollUpAt: rollUpAt ?? null, isOwn: false };
      return { classes: classes ?? budgetedClasses, limit, window, ...filled };
    });
  const limit = own?.[channel];
  const [first] = found;
  if (!first || !limit) return found;
  const window = { amount: 1, unit: limit.unit };
  return [...found, { ...first, classes: budgetedClasses, limit: limit.limit, window, isOwn: true }];
}

/**
 * `id`: the job, or the roll-up, that asks. `itemCount`: how many items the roll-up has; null for a message.
 * `canRollUp`: without it, what would be rolled up is delayed.
 */
export type Ask = Place & { budgets: readonly Budget[]; itemCount: number | null; canRollUp: boolean };
type Place = { id: string; messageClass: BudgetedClass; now: number; zone: Zone };

/** `budget`: the first that is full. `until`: when a place may be free. `rollUp`: the one that the message joins. */
export type Verdict =
  | { kind: "placed" }
  | { kind: "empty" }
  | {
      kind: "over";
      overflow: Overflow;
      budget: Budget;
      until: number;
      rollUp: { id: string; isNew: boolean } | null;
    };

export const emptyLedger = (): ChannelLedger => ({ sends: [], waiting: [] });

/** Decides about a message or a roll-up, and changes the ledger accordingly. */
export function judge(ledger: ChannelLedger, { budgets, itemCount, canRollUp, ...given }: Ask): Verdict {
  const isOpen = itemCount !== null && ledger.rollUp?.id === given.id;
  const place: Place = isOpen ? { ...given, messageClass: ledger.rollUp!.messageClass } : given;
  if (itemCount === 0) {
    leave(ledger, place.id);
    return { kind: "empty" };
  }
  const full = firstFull(ledger, budgets, place);
  if (!full) {
    takePlace(ledger, place, longestOf(budgets));
    return { kind: "placed" };
  }
  const { overflow } = full.budget;
  const rollsUp = overflow === "roll_up" && canRollUp;
  // What waits already keeps waiting, whichever budget is full by now.
  const isWaiting = itemCount !== null || ledger.waiting.some(([id]) => id === place.id);
  if (isWaiting || (!rollsUp && overflow !== "drop")) {
    joinQueue(ledger, place, full.until);
    return { kind: "over", overflow: "delay", ...full, rollUp: null };
  }
  if (!rollsUp) return { kind: "over", overflow, ...full, rollUp: null };
  return { kind: "over", overflow, ...full, rollUp: joinRollUp(ledger, place, full) };
}

type Full = { budget: Budget; until: number };

function firstFull(ledger: ChannelLedger, budgets: readonly Budget[], place: Place): Full | null {
  const full = budgets.flatMap((budget): Full[] => {
    if (!budget.classes.includes(place.messageClass)) return [];
    const until = fullUntil(ledger, budget, place);
    return until === null ? [] : [{ budget, until }];
  });
  return full[0] ? { budget: full[0].budget, until: Math.max(...full.map(({ until }) => until)) } : null;
}

/** The roll-up waits from its first item on, not from when its run begins. */
function joinRollUp(ledger: ChannelLedger, place: Place, { budget, until }: Full): { id: string; isNew: boolean } {
  const { messageClass, now, zone } = place;
  const open = ledger.rollUp;
  if (!open) {
    const due = budget.rollUpAt === null ? until : nextTimeOfDay(now, budget.rollUpAt, zone);
    ledger.rollUp = { id: place.id, messageClass };
    joinQueue(ledger, place, Math.max(until, due));
    return { id: place.id, isNew: true };
  }
  if (messageClass === "transactional") {
    open.messageClass = messageClass;
    const waiting = ledger.waiting.find(([id]) => id === open.id);
    if (waiting) waiting[1] = messageClass;
  }
  return { id: open.id, isNew: false };
}

/** A change of clocks makes a window longer or shorter by less than this. */
const maxChange = 26 * 3_600_000;

/** When a place of the budget may be free; null when there is one. */
function fullUntil({ sends, waiting }: ChannelLedger, budget: Budget, request: Place): number | null {
  const { classes, limit, window } = budget;
  const { now, zone } = request;
  const oldest = now - lengthOf(window) - maxChange;
  const recent = sends.filter(([at, messageClass]) => at > oldest && classes.includes(messageClass));
  const since = waiting.find(([id]) => id === request.id)?.[2] ?? now;
  const ahead = waiting.filter((one) => classes.includes(one[1]) && isAhead(one, { ...request, since })).length;
  if (recent.length + ahead < limit) return null;
  const taken = recent
    .map(([at]) => freesAt(at, window, zone))
    .filter((time) => time > now)
    .sort((a, b) => a - b);
  if (taken.length + ahead < limit) return null;
  // All places are taken, or those ahead take the rest: the next one that becomes free is the next chance.
  return taken[Math.max(0, taken.length - limit)] ?? freesAt(now, window, zone);
}

/** A run that does not come back for its place, because it was canceled, holds it for as long. */
const patienceMs = 10 * 60_000;

const rankOf = (messageClass: BudgetedClass): number => budgetedClasses.indexOf(messageClass);

function isAhead(
  [id, messageClass, since, until]: ChannelLedger["waiting"][number],
  { id: own, messageClass: ownClass, now, since: ownSince }: Place & { since: number },
): boolean {
  if (id === own || now > until + patienceMs) return false;
  const ranks = rankOf(messageClass) - rankOf(ownClass);
  return ranks < 0 || (ranks === 0 && (since < ownSince || (since === ownSince && id < own)));
}

/** The order of more than these is not kept. */
const maxWaiting = 1_000;

/** Changes the ledger: the request has its place. */
function takePlace(ledger: ChannelLedger, { id, messageClass, now }: Place, longestMs: number): void {
  const oldest = now - longestMs - maxChange;
  const kept = ledger.sends.filter(([at]) => at > oldest);
  kept.push([now, messageClass]);
  ledger.sends = kept.slice(-maxBudgetLimit * budgetedClasses.length);
  leave(ledger, id);
}

/** Changes the ledger: the request waits, since the first time it did. */
function joinQueue(ledger: ChannelLedger, { id, messageClass, now }: Place, until: number): void {
  const before = ledger.waiting.find((one) => one[0] === id);
  ledger.waiting = ledger.waiting.filter((one) => one[0] !== id && now <= one[3] + patienceMs).slice(0, maxWaiting);
  ledger.waiting.push([id, messageClass, before?.[2] ?? now, until]);
}

/** It waits no longer, and a roll-up takes no more items. */
export function leave(ledger: ChannelLedger, id: string): void {
  ledger.waiting = ledger.waiting.filter((one) => one[0] !== id);
  if (ledger.rollUp?.id === id) delete ledger.rollUp;
}

/** The window of these budgets that lasts longest. */
const longestOf = (budgets: readonly Budget[]): number => Math.max(0, ...budgets.map(({ window }) => lengthOf(window)));
