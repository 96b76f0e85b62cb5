// Digest: the first event of a group opens a window and leads it; events that come while it is open are merged into it;
// when it closes, the leader's chain goes on with all of them. Who leads is decided by the database (one open window per
// group), so this step asks first: it answers a claim, and runs again with the verdict.
import { canonicalJson, valueAt } from "../../lib/json.ts";
import { sha256 } from "../../lib/secrets.ts";
import { detail } from "../rules/details.ts";
import { readWait } from "../rules/waits.ts";
import type { StepInput, StepResult } from "../run.ts";

export function runDigest({ run, job, facts, now }: StepInput): StepResult {
  const { controlValues } = job.step;
  const wait = readWait(controlValues, now, facts.maxWaitDays);
  if ("fault" in wait) {
    const name = wait.fault === "too_long" ? "wait_too_long" : "digest_invalid";
    return { kind: "failed", stopsChain: true, details: [detail(name, now)] };
  }
  const { amount, unit, digestKey } = controlValues;
  const digest = { type: "regular", amount, unit, ...(digestKey ? { digestKey } : {}) };
  const verdict = facts.verdicts.get(job.id);
  if (!verdict) {
    const groupKey = groupKeyOf(run.event.payload, digestKey, run.contextKeys);
    return { kind: "claim", claim: { jobId: job.id, groupKey, dueAt: wait.until } };
  }
  if (verdict.kind === "merged") {
    const raw = { leader: verdict.leaderNotificationId };
    return {
      kind: "merged",
      into: verdict.leaderJobId,
      notificationId: verdict.leaderNotificationId,
      digest,
      details: [detail("digest_merged", now, { raw })],
    };
  }
  const raw = { until: verdict.dueAt.toISOString() };
  return { kind: "waiting", until: verdict.dueAt, digest, details: [detail("step_digested", now, { raw })] };
}

export function closeDigest({ job, facts, now }: StepInput): StepResult {
  const result = facts.digests.get(job.id) ?? { events: [], eventCount: 0 };
  const raw = { eventCount: result.eventCount };
  return {
    kind: "done",
    // Payloads are stored with their events; the output keeps which events, in order of arrival.
    output: { events: result.events.map(({ id, time }) => ({ id, time })), eventCount: result.eventCount },
    details: [detail("digest_started", now), detail("digest_sent_on", now, { raw })],
  };
}

/** The value at `digestKey` (with or without the prefix `payload.`) and the contexts; absent counts as one value. */
function groupKeyOf(payload: Record<string, unknown>, digestKey: unknown, contextKeys: string[]): string {
  const path = typeof digestKey === "string" ? digestKey.trim().replace(/^payload\./, "") : "";
  const value = path === "" ? null : (valueAt(payload, path) ?? null);
  // Hashed, because the key is indexed and a payload value can be larger than an index entry may be.
  return sha256(canonicalJson([value, contextKeys])).toString("base64url");
}
