// Settling the claims of a round: digests that want to join or open a window, throttles that want to be granted a run.
// However many events of a group come at once, to however many workers, the database decides one after the other.

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
import type { Claim, Progress, Verdict } from "./run.ts";

type Claiming<K extends Claim["kind"]> = { progress: Progress; claim: Extract<Claim, { kind: K }> };

type Group<K extends Claim["kind"]> = {
  key: { environment_id: string; step_id: string; subscriber_id: string; group_key: string };
  /** In the order of the batch. */
  claims: Claiming<K>[];
};

/** Who keeps the count. */
type Ledger = {
  passes(db: Db, passes: Pass[]): Promise<Pass[]>;
  windows(db: Db, claims: (WindowClaim & { now: Date })[]): Promise<WindowClaim[]>;
  grants(db: Db, requests: GrantRequest[]): Promise<Grant[]>;
};

/** What is answered is taken. */
const binding: Ledger = { passes: recordPasses, windows: openOrJoinWindows, grants: takeGrants };

/** What would be answered; nothing is written and nobody is held up. */
export const looking: Ledger = { passes: peekPasses, windows: peekWindows, grants: peekGrants };

export async function settleClaims(tx: Db, claiming: Progress[], ledger = binding): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const digests = groupsOf(claiming, "digest");
  const waiting = await sendFirstAhead(tx, ledger, digests, verdicts);
  await joinWindows(tx, ledger, waiting, verdicts);
  await grantRuns(tx, ledger, groupsOf(claiming, "throttle"), verdicts);
  return verdicts;
}

function groupsOf<K extends Claim["kind"]>(claiming: Progress[], kind: K): Group<K>[] {
  const groups = new Map<string, Group<K>>();
  for (const progress of claiming) {
    const { run, claim } = progress;
    if (claim?.kind !== kind) continue;
    const step = run.jobs.find((job) => job.id === claim.jobId)!.step;
    const key = {
      environment_id: run.environmentId,
      step_id: step.id,
      subscriber_id: run.subscriber!.id,
      group_key: claim.groupKey,
    };
    const name = nameOf(key);
    const group = groups.get(name) ?? { key, claims: [] };
    group.claims.push({ progress, claim: claim as Claiming<K>["claim"] });
    groups.set(name, group);
  }
  return [...groups.values()];
}

const nameOf = (key: Group<Claim["kind"]>["key"]): string =>
  JSON.stringify([key.environment_id, key.step_id, key.subscriber_id, key.group_key]);

/** Look-back: where no event of the group came since `quietSince`, its first one does not wait. Answers the groups that do. */
async function sendFirstAhead(
  tx: Db,
  ledger: Ledger,
  groups: Group<"digest">[],
  verdicts: Map<string, Verdict>,
): Promise<Group<"digest">[]> {
  const looking = groups.filter(({ claims }) => claims[0]!.claim.quietSince !== null);
  const before = await ledger.passes(
    tx,
    looking.map(({ key, claims }) => ({ ...key, passed_at: claims[0]!.progress.now })),
  );
  const lastPass = new Map(before.map((row) => [nameOf(row), row.passed_at]));
  return groups.flatMap((group) => {
    const [first, ...others] = group.claims;
    const { quietSince } = first!.claim;
    const last = lastPass.get(nameOf(group.key));
    if (quietSince === null || (last && last >= quietSince)) return [group];
    verdicts.set(first!.claim.jobId, { kind: "alone" });
    return others.length > 0 ? [{ ...group, claims: others }] : [];
  });
}

/** The first claim of a group in this batch stands for all of them; the database says whether it leads. */
async function joinWindows(
  tx: Db,
  ledger: Ledger,
  groups: Group<"digest">[],
  verdicts: Map<string, Verdict>,
): Promise<void> {
  const windows = await ledger.windows(
    tx,
    groups.map(({ key, claims }) => {
      const { progress, claim } = claims[0]!;
      return {
        ...key,
        leader_job_id: claim.jobId,
        leader_notification_id: progress.run.notificationId,
        due_at: claim.dueAt,
        now: progress.now,
      };
    }),
  );
  const byName = new Map(windows.map((window) => [nameOf(window), window]));
  for (const { key, claims } of groups) {
    const window = byName.get(nameOf(key))!;
    const merged: Verdict = {
      kind: "merged",
      leaderJobId: window.leader_job_id,
      leaderNotificationId: window.leader_notification_id,
    };
    for (const { claim } of claims) {
      const leads = claim.jobId === window.leader_job_id;
      verdicts.set(claim.jobId, leads ? { kind: "leader", dueAt: window.due_at } : merged);
    }
  }
}

async function grantRuns(
  tx: Db,
  ledger: Ledger,
  groups: Group<"throttle">[],
  verdicts: Map<string, Verdict>,
): Promise<void> {
  const grants = await ledger.grants(
    tx,
    groups.map(({ key, claims }) => {
      const { progress, claim } = claims[0]!;
      return { ...key, until: claim.until, threshold: claim.threshold, wanted: claims.length, now: progress.now };
    }),
  );
  const byName = new Map<string, Grant>(grants.map((grant) => [nameOf(grant), grant]));
  for (const { key, claims } of groups) {
    const { before, granted, until } = byName.get(nameOf(key))!;
    for (const [index, { claim }] of claims.entries()) {
      const isGranted = before + index < granted;
      const executionCount = isGranted ? before + index + 1 : granted;
      verdicts.set(claim.jobId, { kind: isGranted ? "granted" : "denied", executionCount, until });
    }
  }
}
