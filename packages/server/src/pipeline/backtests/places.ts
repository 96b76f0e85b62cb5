// The places of attention budgets in a replay: the pure rules of the ledger, for one person and without rows. A roll-up
// is a separate run, which the replay begins when the ledger opens one.
import { createHash } from "node:crypto";
import type { Channel } from "@tidings/contract";
import type { Ledger, OwnLimits } from "../../store/tables.ts";
import { budgetsOf, emptyLedger, judge } from "../attention/ledger.ts";
import type { PlaceAsk, PlaceResult, RollUpItem } from "../run/run.ts";

/** A roll-up that was begun by the message of `ask`. */
export type BegunRollUp = { id: string; channel: Channel; at: string | null; ask: PlaceAsk };

type PlacesOptions = {
  limits: OwnLimits | null;
  /** Channels for which the workflow of roll-ups has a step. */
  rollUpChannels: ReadonlySet<string>;
  /** The items that a roll-up has by now. */
  itemsOf: (rollUp: string) => RollUpItem[];
  begin: (rollUp: BegunRollUp) => void;
};

export function createMemoryPlaces({ limits, rollUpChannels, itemsOf, begin }: PlacesOptions) {
  const ledgers: Ledger = {};
  const decide = (ask: PlaceAsk): PlaceResult => {
    const { claim, now } = ask;
    const { jobId, channel, rollUp, messageClass, budgets, zone } = claim;
    const askedAt = now.getTime();
    const ledger = ledgers[channel] ?? emptyLedger();
    ledgers[channel] = ledger;
    const items = rollUp === null ? undefined : itemsOf(rollUp);
    const verdict = judge(ledger, {
      id: rollUp ?? jobId,
      messageClass,
      now: askedAt,
      zone,
      budgets: budgetsOf(budgets, channel, limits),
      itemCount: items?.length ?? null,
      canRollUp: rollUpChannels.has(channel),
    });
    if (verdict.kind === "empty") return { kind: "empty", askedAt };
    if (verdict.kind === "placed") return { kind: "placed", askedAt, ...(items && { items }) };
    const { overflow, budget, until, rollUp: joined } = verdict;
    if (joined?.isNew) begin({ id: joined.id, channel, at: budget.rollUpAt, ask });
    return { kind: "over", askedAt, overflow, budget, until: new Date(until), rollUp: joined?.id ?? null };
  };
  return (asks: PlaceAsk[]): Map<string, PlaceResult> => {
    const rollUpsFirst = asks.toSorted((a, b) => Number(a.claim.rollUp === null) - Number(b.claim.rollUp === null));
    return new Map(rollUpsFirst.map((ask) => [ask.claim.jobId, decide(ask)]));
  };
}

/** The notification of a roll-up in both replays, by the id of the roll-up: that of its first item's job. */
export function rollUpNotificationId(rollUp: string): string {
  const hash = createHash("sha256").update(`roll-up ${rollUp}`).digest("hex");
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
