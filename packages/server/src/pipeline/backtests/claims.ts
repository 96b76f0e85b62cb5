// The claims of a replay, settled in memory for one person: the same results as from the database, in the order of the
// simulated time. Groups of digests and throttles are per person, so nobody else is needed.
import type { JsonObject } from "../../lib/json.ts";
import type { WindowClaim } from "../../store/events/digests.ts";
import type { GroupKey } from "../../store/tables.ts";
import { previewUpdates } from "../effects/subscriber-updates.ts";
import type { StartClaim, Started } from "../effects/workflow-starts.ts";
import { happenedAt, type Marks } from "../rules/step-results.ts";
import type { WaitClaim } from "../run/arrivals.ts";
import type { ClaimStore } from "../run/claims.ts";
import type { Arrival, PlaceAsk, PlaceResult } from "../run/run.ts";
import { maxSkewMs, type Turns } from "./turns.ts";

/** A signal that has come. */
export type PastSignal = { name: string; key: string | null; data: JsonObject | null; at: Date };

/** What the claims of a person need to know of the replay. */
export type ClaimWorld = {
  signals: readonly PastSignal[];
  marks: ReadonlyMap<string, Marks>;
  turns: Turns;
  places: (asks: PlaceAsk[]) => Map<string, PlaceResult>;
};

/**
 * `open`: the digest windows that new events may join, by group. `collecting`: those that are not closed yet, by the
 * job that leads them.
 */
export type MemoryClaims = ClaimStore & {
  open: Map<string, WindowClaim>;
  collecting: Map<string, WindowClaim>;
};

const groupName = ({ step_id, subscriber_id, group_key }: GroupKey): string =>
  `${step_id} ${subscriber_id} ${group_key}`;

export function createMemoryClaims({ signals, marks, turns, places }: ClaimWorld): MemoryClaims {
  const open = new Map<string, WindowClaim>();
  const collecting = new Map<string, WindowClaim>();
  const passes = new Map<string, Date>();
  const grants = new Map<string, { until: Date; granted: number }>();
  /** The window has the leader and the end that one of then had. */
  const isAsThen = ({ leader_job_id, due_at }: WindowClaim) => turns.ends.get(leader_job_id) === due_at.getTime();
  /** Closing it took the lock before an event of an earlier time, which led the next one. */
  const wasOverThen = (window: WindowClaim, now: Date) =>
    isAsThen(window) && window.due_at.getTime() - now.getTime() <= maxSkewMs;
  return {
    open,
    collecting,
    passes: async (_db, asked) =>
      asked.flatMap((pass) => {
        const name = groupName(pass);
        const before = passes.get(name);
        passes.set(name, pass.passed_at);
        return before ? [{ ...pass, passed_at: before }] : [];
      }),
    windows: async (_db, claims) =>
      claims.map(({ now, ...claim }) => {
        const name = groupName(claim);
        const jobId = claim.leader_job_id;
        const joinedThen = collecting.get(turns.leaders.get(jobId) ?? "");
        if (joinedThen && groupName(joinedThen) === name && isAsThen(joinedThen)) return joinedThen;
        const before = open.get(name);
        const isOpen = before && before.due_at > now && !(turns.ends.has(jobId) && wasOverThen(before, now));
        const window = isOpen ? before : claim;
        open.set(name, window);
        collecting.set(window.leader_job_id, window);
        return window;
      }),
    grants: async (_db, requests) =>
      requests.map(({ until, threshold, wanted, now, ...key }) => {
        const name = groupName(key);
        const held = grants.get(name);
        const isOpen = held !== undefined && held.until > now && held.granted > 0;
        const before = isOpen ? held.granted : 0;
        const granted = Math.max(before, Math.min(threshold, before + wanted));
        const window = { until: isOpen ? held.until : until, granted };
        grants.set(name, window);
        return { ...key, before, ...window };
      }),
    waits: async (_db, waits) => new Map(waits.flatMap((wait) => arrivalOf(wait, signals, marks))),
    updates: previewUpdates,
    starts: async (_batch, starts) => new Map(starts.map(startOf)),
    places: async (_batch, asks) => places(asks),
  };
}

/** What a wait waits for, where it has happened before it begins. */
function arrivalOf(
  { run, claim, now }: WaitClaim,
  signals: readonly PastSignal[],
  marks: ReadonlyMap<string, Marks>,
): [string, Arrival][] {
  const { signal, message, jobId } = claim;
  const since = signal?.since;
  const sent = since && signals.findLast((one) => one.at >= since && one.at <= now && isAwaited(one, signal));
  if (sent) return [[jobId, { reason: "signal", data: sent.data, at: sent.at }]];
  if (!message) return [];
  const watched = run.jobs.find(({ id }) => id === message.jobId);
  const at = happenedAt(message.event, watched?.details ?? [], marks.get(message.jobId));
  return at ? [[jobId, { reason: "message", data: null, at }]] : [];
}

/** A wait without a key takes any signal of its name. */
export const isAwaited = (signal: PastSignal, awaited: { name: string; key: string | null }): boolean =>
  signal.name === awaited.name && (awaited.key === null || awaited.key === signal.key);

/** The event that a step starts is in the history where it was started then. */
const startOf = ({ claim }: StartClaim): [string, Started] => [
  claim.jobId,
  { transactionId: `start_${claim.jobId.replaceAll("-", "")}`, rejected: [] },
];
