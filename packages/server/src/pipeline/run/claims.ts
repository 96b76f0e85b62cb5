// Settles the claims of a round: digests that join or open a window, throttles that ask for one of their allowed
// passes, waits that begin, changes of subscribers, events that steps start, messages that need a place in a budget.
// Events of one group may arrive at the same time in several workers; row locks in the database decide them one at a
// time.
import type { Db } from "../../store/db.ts";
import {
  openOrJoinWindows,
  type Pass,
  peekPasses,
  peekWindows,
  recordPasses,
} from "../../store/events/digests.batch.ts";
import type { WindowClaim } from "../../store/events/digests.ts";
import { type Grant, type GrantRequest, peekGrants, takeGrants } from "../../store/events/throttles.batch.ts";
import { createPlacesPreview, givePlaces } from "../attention/places.ts";
import type { Batch } from "../batch.ts";
import { previewUpdates, type UpdateClaim, type Updated, updateSubscribers } from "../effects/subscriber-updates.ts";
import { previewStarts, type StartClaim, type Started, startWorkflows } from "../effects/workflow-starts.ts";
import { beginOrSkipWaits, peekWaits, type WaitClaim } from "./arrivals.ts";
import { reloadChanged } from "./facts.ts";
import type { Arrival, Claim, ClaimResult, Facts, PlaceAsk, PlaceResult, Progress, Run } from "./run.ts";

/** Claims of runs that share a group; the others are of their run alone. */
type GroupedClaim = Extract<Claim, { kind: "digest" | "throttle" }>;
type GroupedKind = GroupedClaim["kind"];

type ClaimEntry<K extends GroupedKind> = { progress: Progress; claim: Extract<GroupedClaim, { kind: K }> };

type Group<K extends GroupedKind> = {
  key: { environment_id: string; step_id: string; subscriber_id: string; group_key: string };
  /** In the order of the batch, at least one. */
  claims: [ClaimEntry<K>, ...ClaimEntry<K>[]];
};

/** The counts of digests and throttles. */
export type ClaimStore = {
  passes(db: Db, passes: Pass[]): Promise<Pass[]>;
  windows(db: Db, claims: (WindowClaim & { now: Date })[]): Promise<WindowClaim[]>;
  grants(db: Db, requests: GrantRequest[]): Promise<Grant[]>;
  /** What the waits wait for, where it has happened; the others begin. */
  waits(db: Db, waits: WaitClaim[]): Promise<Map<string, Arrival>>;
  updates(batch: Batch, updates: UpdateClaim[]): Promise<Map<string, Updated>>;
  starts(batch: Batch, starts: StartClaim[]): Promise<Map<string, Started>>;
  places(batch: Batch, places: PlaceAsk[]): Promise<Map<string, PlaceResult>>;
};

/** Claims are written. */
const claimStore: ClaimStore = {
  passes: recordPasses,
  windows: openOrJoinWindows,
  grants: takeGrants,
  waits: beginOrSkipWaits,
  updates: updateSubscribers,
  starts: startWorkflows,
  places: givePlaces,
};

/** For one dry run: the same responses, without writes and without locks. */
export const createClaimPreview = (): ClaimStore => ({
  passes: peekPasses,
  windows: peekWindows,
  grants: peekGrants,
  waits: peekWaits,
  updates: previewUpdates,
  starts: previewStarts,
  places: createPlacesPreview(),
});

/** `runs`: those of the batch; `facts`: theirs, which a change of a subscriber may add to. */
export async function settleClaims(
  batch: Batch,
  claiming: Progress[],
  { runs, facts }: { runs: Run[]; facts: Facts },
  store = claimStore,
): Promise<Map<string, ClaimResult>> {
  const { db: tx } = batch;
  const results = new Map<string, ClaimResult>();
  const digests = groupClaims(claiming, "digest");
  const waiting = await passFirstOfQuietGroups(tx, store, digests, results);
  await joinWindows(tx, store, waiting, results);
  await grantRuns(tx, store, groupClaims(claiming, "throttle"), results);
  await beginWaits(tx, store, claiming, results);
  const changes = await changeSubscribers(batch, store, claiming, results);
  if (changes) await reloadChanged(batch, runs, facts, changes.hasNewLocale);
  await startOthers(batch, store, claiming, results);
  await askForPlaces(batch, store, claiming, results);
  return results;
}

const isClaimOf = <K extends GroupedKind>(claim: Claim | null, kind: K): claim is Extract<GroupedClaim, { kind: K }> =>
  claim?.kind === kind;

function groupClaims<K extends GroupedKind>(claiming: Progress[], kind: K): Group<K>[] {
  const groups = new Map<string, Group<K>>();
  for (const progress of claiming) {
    const { run, claim } = progress;
    if (!isClaimOf(claim, kind)) continue;
    const step = run.jobs.find((job) => job.id === claim.jobId)!.step;
    const key = {
      environment_id: run.environmentId,
      step_id: step.id,
      subscriber_id: run.subscriber!.id,
      group_key: claim.groupKey,
    };
    const name = groupName(key);
    const group = groups.get(name);
    if (group) group.claims.push({ progress, claim });
    else groups.set(name, { key, claims: [{ progress, claim }] });
  }
  return [...groups.values()];
}

const groupName = (key: Group<GroupedKind>["key"]): string =>
  JSON.stringify([key.environment_id, key.step_id, key.subscriber_id, key.group_key]);

/**
 * Look-back: the first event of a group that had none since `quietSince` passes without a wait. Returns the claims that
 * wait.
 */
async function passFirstOfQuietGroups(
  tx: Db,
  store: ClaimStore,
  groups: Group<"digest">[],
  results: Map<string, ClaimResult>,
): Promise<Group<"digest">[]> {
  const lookingBack = groups.filter(({ claims }) => claims[0].claim.quietSince !== null);
  const before = await store.passes(
    tx,
    lookingBack.map(({ key, claims }) => ({ ...key, passed_at: claims[0].progress.now })),
  );
  const lastPass = new Map(before.map((row) => [groupName(row), row.passed_at]));
  return groups.flatMap((group) => {
    const [{ claim }, next, ...others] = group.claims;
    const { quietSince } = claim;
    const last = lastPass.get(groupName(group.key));
    if (quietSince === null || (last && last >= quietSince)) return [group];
    results.set(claim.jobId, { kind: "alone" });
    return next ? [{ ...group, claims: [next, ...others] }] : [];
  });
}

/**
 * The first claim of a group in this batch is sent to the database, which decides whether it leads; the others follow
 * it.
 */
async function joinWindows(
  tx: Db,
  store: ClaimStore,
  groups: Group<"digest">[],
  results: Map<string, ClaimResult>,
): Promise<void> {
  const windows = await store.windows(
    tx,
    groups.map(({ key, claims }) => {
      const { progress, claim } = claims[0];
      return {
        ...key,
        leader_job_id: claim.jobId,
        leader_notification_id: progress.run.notificationId,
        due_at: claim.dueAt,
        now: progress.now,
      };
    }),
  );
  const byName = new Map(windows.map((window) => [groupName(window), window]));
  for (const { key, claims } of groups) {
    const window = byName.get(groupName(key))!;
    const merged: ClaimResult = {
      kind: "merged",
      leaderJobId: window.leader_job_id,
      leaderNotificationId: window.leader_notification_id,
    };
    for (const { claim } of claims) {
      const leads = claim.jobId === window.leader_job_id;
      results.set(claim.jobId, leads ? { kind: "leader", dueAt: window.due_at } : merged);
    }
  }
}

async function grantRuns(
  tx: Db,
  store: ClaimStore,
  groups: Group<"throttle">[],
  results: Map<string, ClaimResult>,
): Promise<void> {
  const grants = await store.grants(
    tx,
    groups.map(({ key, claims }) => {
      const { progress, claim } = claims[0];
      return { ...key, until: claim.until, threshold: claim.threshold, wanted: claims.length, now: progress.now };
    }),
  );
  const byName = new Map<string, Grant>(grants.map((grant) => [groupName(grant), grant]));
  for (const { key, claims } of groups) {
    const { before, granted, until } = byName.get(groupName(key))!;
    for (const [index, { claim }] of claims.entries()) {
      const isGranted = before + index < granted;
      const executionCount = isGranted ? before + index + 1 : granted;
      results.set(claim.jobId, { kind: isGranted ? "granted" : "denied", executionCount, until });
    }
  }
}

async function beginWaits(
  tx: Db,
  store: ClaimStore,
  claiming: Progress[],
  results: Map<string, ClaimResult>,
): Promise<void> {
  const waits = claiming.flatMap(({ run, claim, now }) => (claim?.kind === "wait" ? { run, claim, now } : []));
  if (waits.length === 0) return;
  const arrivals = await store.waits(tx, waits);
  for (const { claim } of waits) {
    const arrival = arrivals.get(claim.jobId);
    results.set(claim.jobId, arrival ? { kind: "arrived", arrival } : { kind: "begun" });
  }
}

/** `hasNewLocale`: a run now has a subscriber with another locale. Null when no step changes its subscriber. */
async function changeSubscribers(
  batch: Batch,
  store: ClaimStore,
  claiming: Progress[],
  results: Map<string, ClaimResult>,
): Promise<{ hasNewLocale: boolean } | null> {
  const updates = claiming.flatMap(({ run, claim }) => (claim?.kind === "update" ? { run, claim } : []));
  if (updates.length === 0) return null;
  const updated = await store.updates(batch, updates);
  let hasNewLocale = false;
  for (const { run, claim } of updates) {
    const result = updated.get(claim.jobId)!;
    if ("fault" in result) {
      results.set(claim.jobId, { kind: "refused", reason: result.fault });
      continue;
    }
    hasNewLocale ||= run.subscriber!.locale !== result.row.locale;
    run.subscriber = result.row;
    results.set(claim.jobId, { kind: "updated", fields: result.changed.map(({ name }) => name) });
  }
  return { hasNewLocale };
}

async function startOthers(
  batch: Batch,
  store: ClaimStore,
  claiming: Progress[],
  results: Map<string, ClaimResult>,
): Promise<void> {
  const starts = claiming.flatMap(({ run, claim }) => (claim?.kind === "start" ? { run, claim } : []));
  if (starts.length === 0) return;
  for (const [jobId, result] of await store.starts(batch, starts)) {
    results.set(jobId, "fault" in result ? { kind: "refused", reason: result.fault } : { kind: "started", ...result });
  }
}

async function askForPlaces(
  batch: Batch,
  store: ClaimStore,
  claiming: Progress[],
  results: Map<string, ClaimResult>,
): Promise<void> {
  const places = claiming.flatMap(({ run, claim, now }) => (claim?.kind === "place" ? { run, claim, now } : []));
  if (places.length === 0) return;
  for (const [jobId, result] of await store.places(batch, places)) results.set(jobId, result);
}
