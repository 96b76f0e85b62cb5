// The order of then: which claims of a person came first where the times of their runs do not tell. Batches of several
// workers have their own time and wait for each other's locks, so a run may lead a digest that an earlier one joins, or
// open a new window just before the old one was noticed to be over. Pure.
import type { PastRun, PastStep, PersonHistory } from "./history.ts";

/** How far the order may be from that of the times: as long as a transaction may last. */
export const maxSkewMs = 60_000;

/** A claim that came after that of the job `behind`, though its time is not later. `at`: when that one came (ms). */
type Turn = { behind: string; at: number };

export type Turns = {
  /** By job that was merged into a digest: the job that led it. */
  leaders: ReadonlyMap<string, string>;
  /** By job that led a digest from its beginning: when its window ended (ms). */
  ends: ReadonlyMap<string, number>;
  /** By job that waited: when the last event that its digest got, or what its wait waited for, came (ms). */
  lastCame: ReadonlyMap<string, number>;
  /** By job. */
  turns: ReadonlyMap<string, Turn>;
};

export function turnsOf({ runs }: PersonHistory): Turns {
  const steps = runs.flatMap((run) => [...run.steps.values()].map((step) => ({ run, step })));
  const leaders = new Map<string, string>();
  const ends = new Map<string, number>();
  const lastCame = new Map<string, number>();
  for (const { step } of steps) {
    const { id, details, status, merged_into: leader } = step.job;
    const met = step.step.type === "wait" && details.find(({ d }) => d === "wait_met");
    if (met) lastCame.set(id, Date.parse(String(met.r?.at)));
    const claim = details.find(({ d }) => digestClaims.has(d));
    if (!claim) continue;
    if (claim.d === "step_digested") ends.set(id, Date.parse(String(claim.r?.until)));
    if (claim.d !== "digest_merged" || status !== "merged" || leader === null) continue;
    leaders.set(id, leader);
    lastCame.set(leader, Math.max(claim.t, lastCame.get(leader) ?? 0));
  }
  const turns = new Map([...digestTurns(steps, leaders), ...throttleTurns(steps)]);
  return { leaders, ends, lastCame, turns };
}

type Known = { run: PastRun; step: PastStep };

const digestClaims: ReadonlySet<string> = new Set(["step_digested", "digest_merged", "digest_alone", "digest_at_once"]);

/** When the step first asked for its place among others (ms). */
function claimedAt({ run, step }: Known): number {
  const names: ReadonlySet<string> = step.step.type === "digest" ? digestClaims : throttleClaims;
  return (step.job.details.find(({ d }) => names.has(d)) ?? { t: run.notification.created_at.getTime() }).t;
}

function digestTurns(steps: Known[], leaders: ReadonlyMap<string, string>): [string, Turn][] {
  const led = new Map(steps.map((one) => [one.step.job.id, one]));
  return steps.flatMap((one): [string, Turn][] => {
    const behind = leaders.get(one.step.job.id);
    const leader = behind === undefined ? undefined : led.get(behind);
    return leader ? after(one, leader, claimedAt(leader)) : [];
  });
}

const throttleClaims: ReadonlySet<string> = new Set(["throttle_passed", "throttled"]);

/** First the runs that a window let through, in the order in which it counted them, then the others. */
function throttleTurns(steps: Known[]): [string, Turn][] {
  const throttled = steps.filter(({ step }) => step.step.type === "throttle" && step.job.output?.throttledUntil);
  const windows = Map.groupBy(throttled, ({ step }) => `${step.step.id} ${step.job.output!.throttledUntil}`);
  return [...windows.values()].flatMap((window) => {
    const ordered = window.toSorted((a, b) => countedAs(a) - countedAs(b) || claimedAt(a) - claimedAt(b));
    let at = 0;
    return ordered.flatMap((one, index): [string, Turn][] => {
      const before = ordered[index - 1];
      if (before) at = Math.max(at, claimedAt(before));
      return before ? after(one, before, at) : [];
    });
  });
}

const countedAs = ({ step: { job } }: Known): number =>
  Number(job.output?.executionCount ?? 0) + (job.output?.throttled ? 0.5 : 0);

const after = (one: Known, before: Known, at: number): [string, Turn][] =>
  at >= claimedAt(one) && at - claimedAt(one) <= maxSkewMs
    ? [[one.step.job.id, { behind: before.step.job.id, at }]]
    : [];

/**
 * Whether a wait that ends at `wakeAt`, as it did then, did not see what came at this time: it had just begun, or was
 * about to end, in a transaction that had not ended.
 */
export function wasMissed({ job }: PastStep, wakeAt: Date | null, at: Date): boolean {
  const begun = job.details.find(({ d }) => d === "wait_begun");
  const ended = job.details.find(({ d }) => d === "wait_met" || d === "wait_timed_out");
  if (!begun || !ended || begun.r?.until !== wakeAt?.toISOString() || ended.r?.at === at.toISOString()) return false;
  const isNear = (other: number) => Math.abs(at.getTime() - other) <= maxSkewMs;
  return isNear(begun.t) || (ended.d === "wait_timed_out" && isNear(ended.t));
}
