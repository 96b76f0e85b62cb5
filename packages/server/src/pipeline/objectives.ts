// The outcomes of messages of workflows with objectives: counted hours, and the latest messages from their rows.
import { listProviders } from "@tidings/providers";
import type { Ctx } from "../context.ts";
import { hourMs } from "../store/events/statistics.ts";
import { findCountedHours } from "../store/installation/statistics.ts";
import { type OutcomeRow, sumLatestOutcomes, sumOutcomeHours, type Target } from "../store/workflows/objectives.ts";
import { reportedAfterMs } from "./rules/objectives.ts";

const dayMs = 24 * hourMs;
/** The shortest window, for which alone an hour is not enough. */
export const shortWindowMs = 5 * 60_000;
/** Messages of an environment that a request reads for the latest hours. */
const maxLatestRows = 50_000;

/** Providers that keep messages for the mailbox instead of sending them. */
export const captures = listProviders().flatMap(({ id, capture }) => (capture ? id : []));

export type Outcomes = {
  /** The last hour or two, in spans: the short window, the last hour, and whole hours. */
  latest: OutcomeRow[];
  /** Each message once, from the begin of the period until now. */
  all: OutcomeRow[];
};

export async function findOutcomes(
  ctx: Pick<Ctx, "db">,
  targets: Target[],
  { from, now, limit = maxLatestRows }: { from: Date; now: Date; limit?: number },
): Promise<Outcomes> {
  if (targets.length === 0) return { latest: [], all: [] };
  const current = Math.floor(now.getTime() / hourMs) * hourMs;
  const counted = await findCountedHours(ctx.db, new Date(current - hourMs));
  const isPreviousCounted = counted.some(({ hour }) => hour.getTime() === current - hourMs);
  const uncountedFrom = isPreviousCounted ? current : current - hourMs;
  const starts = [now.getTime() - shortWindowMs, now.getTime() - hourMs, current, current - hourMs];
  const spans = [...new Set(starts)].sort((a, b) => b - a).map((time) => new Date(time));
  const latest = await sumLatestOutcomes(ctx.db, targets, { spans, now, limit });
  // Whole days, so that none of them has messages whose reports may still arrive.
  const hourlyFrom = new Date(Math.floor((now.getTime() - reportedAfterMs) / dayMs) * dayMs);
  const hours = await sumOutcomeHours(ctx.db, targets, { from, to: new Date(uncountedFrom), hourlyFrom });
  return { latest, all: [...hours, ...latest.filter(({ at }) => at.getTime() >= uncountedFrom)] };
}

/** The rows of a window that ends now. An hour or less is exact; longer windows consist of whole hours. */
export function rowsWithin({ latest, all }: Outcomes, windowMs: number, now: Date): OutcomeRow[] {
  const since = now.getTime() - windowMs;
  return (windowMs <= hourMs ? latest : all).filter(({ at }) => at.getTime() >= since);
}
