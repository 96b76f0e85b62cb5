// Digest: the first event of a group opens a window and leads it; events that come while it is open are merged into it;
// when it closes, the leader's chain goes on with all of them. With a look-back window, an event that finds its group
// quiet goes on alone. Who leads is decided by the database (one open window per group), so this step asks first: it
// answers a claim, and runs again with the verdict.
import type { TimeUnit } from "@tidings/contract";
import { isObject } from "../../lib/json.ts";
import { detail } from "../rules/details.ts";
import { refsOf, resultBefore } from "../rules/digests.ts";
import { groupKeyOf } from "../rules/group-key.ts";
import { addTime, readLength, type WaitFault } from "../rules/waits.ts";
import type { Run, StepInput, StepResult } from "../run/run.ts";
import { failedWait, type StepWait, waitOf } from "./wait.ts";

type JsonObject = Record<string, unknown>;

export function runDigest(input: StepInput): StepResult {
  const { run, job, facts, now } = input;
  const values = job.step.controlValues;
  const wait = waitOf(input);
  if ("fault" in wait) return failedWait(wait, "digest_invalid", now);
  const quiet = readLookBack(values, now, facts.maxWaitDays);
  if ("fault" in quiet) return failedWait(quiet, "digest_invalid", now);

  const verdict = facts.verdicts.get(job.id);
  const digest = shownDigest(values, run);
  switch (verdict?.kind) {
    case "leader":
      return { kind: "waiting", until: verdict.dueAt, digest, details: leaderDetails(wait, verdict.dueAt, now) };
    case "merged": {
      const { leaderJobId, leaderNotificationId } = verdict;
      const details = [detail("digest_merged", now, { raw: { leader: leaderNotificationId } })];
      return { kind: "merged", into: leaderJobId, notificationId: leaderNotificationId, digest, details };
    }
    case "alone": {
      const output = refsOf(resultBefore(run, job.stepIndex, facts));
      return { kind: "skipped", output, digest, details: [detail("digest_alone", now)] };
    }
    default: {
      const groupKey = groupKeyOf(run.event.payload, values.digestKey, run.contextKeys);
      const { until: dueAt } = wait;
      return { kind: "claim", claim: { kind: "digest", jobId: job.id, groupKey, dueAt, quietSince: quiet.since } };
    }
  }
}

function leaderDetails({ extended }: StepWait, dueAt: Date, now: Date) {
  return [...extended, detail("step_digested", now, { raw: { until: dueAt.toISOString() } })];
}

/** Since when the group must have been quiet for an event to go on alone; null when the digest does not look back. */
function readLookBack(values: JsonObject, now: Date, maxDays: number): { since: Date | null } | WaitFault {
  const { type = "regular", lookBackWindow } = values;
  if (type !== "regular" || lookBackWindow === undefined) return { since: null };
  const length = readLength(lookBackWindow, now, maxDays, "lookBackWindow");
  if ("fault" in length) return length;
  const { amount, unit } = lookBackWindow as { amount: number; unit: TimeUnit };
  return { since: addTime(now, -amount, unit) };
}

/** The settings of the digest, as its job shows them. */
function shownDigest(values: JsonObject, run: Run): JsonObject {
  const key = values.digestKey ? { digestKey: values.digestKey } : {};
  if (values.type === "timed") return { type: "timed", timed: { cronExpression: values.cron }, ...key };
  const { amount, unit } = (run.event.overrides?.delay ?? values) as JsonObject;
  if (!isObject(values.lookBackWindow)) return { type: "regular", amount, unit, ...key };
  const { amount: backoffAmount, unit: backoffUnit } = values.lookBackWindow;
  return { type: "backoff", amount, unit, backoff: true, backoffAmount, backoffUnit, ...key };
}

export function closeDigest({ job, facts, now }: StepInput): StepResult {
  const result = facts.digests.get(job.id) ?? { events: [], eventCount: 0 };
  const raw = { eventCount: result.eventCount };
  return {
    kind: "done",
    output: refsOf(result),
    details: [detail("digest_started", now), detail("digest_sent_on", now, { raw })],
  };
}
