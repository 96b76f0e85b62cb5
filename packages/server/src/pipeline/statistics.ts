// Which hours a pass of housekeeping counts: each hour when it has ended, and once more a day later, with the receipts,
// marks and retries that came late. Figures are counted from rows that exist anyway, so nothing is written with an
// event (docs/decisions/0017-statistics.md).
import type { Ctx } from "../context.ts";
import { hourMs } from "../store/events/statistics.ts";
import { type CountedHour, countHour, findCountedHours } from "../store/installation/statistics.ts";

/** Hours that are examined: after a longer pause of all workers, older ones stay uncounted. */
const lookedAtHours = 48;
const finalAfterMs = 25 * hourMs;
/** Hours that one pass counts; the next pass continues. */
const maxHoursPerPass = 12;

type DueHour = { hour: Date; isFinal: boolean };

/** Newest first: those are the ones that are examined. */
export function findDueHours(now: Date, counted: CountedHour[]): DueHour[] {
  const current = Math.floor(now.getTime() / hourMs) * hourMs;
  const known = new Map(counted.map(({ hour, is_final }) => [hour.getTime(), is_final]));
  return Array.from({ length: lookedAtHours }, (_, index) => current - (index + 1) * hourMs)
    .map((time) => ({ time, isFinal: now.getTime() - time >= finalAfterMs }))
    .filter(({ time, isFinal }) => !known.has(time) || (isFinal && known.get(time) === false))
    .map(({ time, isFinal }) => ({ hour: new Date(time), isFinal }));
}

export async function countStatistics(ctx: Ctx): Promise<void> {
  const now = ctx.now();
  const counted = await findCountedHours(ctx.db, new Date(now.getTime() - (lookedAtHours + 1) * hourMs));
  for (const { hour, isFinal } of findDueHours(now, counted).slice(0, maxHoursPerPass)) {
    // An hour that cannot be counted is tried again with the next pass, and keeps no other chore from its time.
    await countHour(ctx.db, hour, isFinal, now).catch((error) =>
      ctx.log.warn({ err: error, hour }, "the statistics of an hour could not be counted"),
    );
  }
}
