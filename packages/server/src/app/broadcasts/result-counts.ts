// The counts of a broadcast of any size: one page of its runs after the other, for a bounded time a request. The next
// request continues where that time ended. Counts that took long are kept for a while, because a screen asks again and
// again.
import type { BroadcastCounts, Ctx } from "../../context.ts";
import { type AllCounts, countResults, type ResultCounts, type ResultEvent } from "../../store/broadcasts/results.ts";
import type { Db } from "../../store/db.ts";

/** No new page begins after this time. */
const defaultCountingMs = 8_000;
/** Counts that took less than this are not kept. */
const briefMs = 500;
/** Others are kept for as long as it takes that a tenth of one core is used. */
const timesAsLong = 10;
/** Counts that are not complete are continued within this time, or begin again. */
const continuedMs = 60_000;

/** `now`: the time of the environment. */
type Work = { environmentId: string; event: ResultEvent; ignored: string[]; now: Date };
/** `runs`: those of a page. */
type Share = { countingMs?: number; runs?: number };

/** Requests at the same time share the work. */
export function countAllResults(
  ctx: Pick<Ctx, "db" | "broadcastCounts">,
  work: Work,
  { countingMs = defaultCountingMs, runs }: Share = {},
): Promise<AllCounts> {
  const { broadcastCounts: kept } = ctx;
  const { eventId } = work.event;
  const startedAt = performance.now();
  const known = kept.get(eventId);
  const current = known && startedAt < known.until ? known : undefined;
  if (current && !current.unfinished) return current.counts;
  const { sum = noCounts(work.now), tookMs: tookBefore = 0 } = current?.unfinished ?? {};
  const counts = countPages(ctx.db, work, sum, { deadline: startedAt + countingMs, runs });
  const entry: BroadcastCounts = { counts, until: Number.POSITIVE_INFINITY };
  kept.set(eventId, entry);
  const forget = () => {
    if (kept.get(eventId) === entry) kept.delete(eventId);
  };
  counts.then((all) => {
    const now = performance.now();
    const tookMs = tookBefore + now - startedAt;
    if (all.isCapped) {
      entry.unfinished = { sum: all, tookMs };
      entry.until = now + continuedMs;
    } else if (tookMs < briefMs) forget();
    else entry.until = now + timesAsLong * tookMs;
  }, forget);
  return counts;
}

const noCounts = (countedAt: Date): AllCounts => ({
  ...{ people: 0, last: null, outcomes: {}, causes: [], variants: [] },
  ...{ isCapped: true, countedAt },
});

type PagesUntil = { deadline: number; runs: number | undefined };

/** Adds at least one page to `sum`. */
async function countPages(db: Db, work: Work, sum: AllCounts, { deadline, runs }: PagesUntil): Promise<AllCounts> {
  const { environmentId, event, ignored } = work;
  let all = sum;
  do {
    const page = await countResults(db, environmentId, event, { ignored, after: all.last, runs });
    all = { ...addCounts(all, page), isCapped: page.last !== null, countedAt: sum.countedAt };
  } while (all.isCapped && performance.now() < deadline);
  return all;
}

/** Both pages together. */
export function addCounts(a: ResultCounts, b: ResultCounts): ResultCounts {
  const causes = Map.groupBy([...a.causes, ...b.causes], (one) => `${one.kind} ${one.step_index} ${one.reason}`);
  const variants = Map.groupBy([...a.variants, ...b.variants], (one) => `${one.step_id} ${one.variant}`);
  return {
    people: a.people + b.people,
    last: b.last,
    outcomes: addNumbers(a.outcomes, b.outcomes),
    causes: [...causes.values()]
      .map((same) => ({
        ...same[0]!,
        example: same.find(({ example }) => example !== null)?.example ?? null,
        people: total(same),
      }))
      .sort((x, y) => y.people - x.people || x.step_index - y.step_index || compare(x.reason, y.reason)),
    variants: [...variants.values()]
      .map((same) => ({
        ...same[0]!,
        people: total(same),
        outcomes: same.map(({ outcomes }) => outcomes).reduce(addNumbers),
      }))
      .sort((x, y) => compare(x.step_id, y.step_id) || compare(x.variant, y.variant)),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const total = (rows: { people: number }[]): number => rows.reduce((sum, { people }) => sum + people, 0);

const addNumbers = (a: Record<string, number>, b: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [key, (a[key] ?? 0) + (b[key] ?? 0)]),
  );
