// Digest: the first event of a group opens a window and leads it; events that arrive while it is open are merged into it;
// when it closes, the leader's later steps run with all of them. With a look-back window, the first event of a quiet group
// passes alone. The database decides which event leads (one open window per group): this step returns a claim, and runs
// again with its result.
import { isObject, type JsonObject } from "../../lib/json.ts";
import { detail } from "../rules/details.ts";
import { digestInput, groupKeyOf, toStoredDigest } from "../rules/grouping.ts";
import { addTime, readLength, type WaitFault } from "../rules/waits.ts";
import type { Run, StepInput, StepResult } from "../run/run.ts";
import { failedWait, readStepWait, type StepWait } from "./wait.ts";

export function runDigest(input: StepInput): StepResult {
  const { run, job, facts, now } = input;
  const values = job.step.controlValues;
  const wait = readStepWait(input);
  if ("fault" in wait) return failedWait(wait, "digest_invalid", now);
  const lookBack = readLookBack(values, now, facts.maxWaitDays);
  if ("fault" in lookBack) return failedWait(lookBack, "digest_invalid", now);

  const claimed = facts.claimResults.get(job.id);
  const digest = digestSettings(values, run);
  switch (claimed?.kind) {
    case "leader":
      return { kind: "waiting", until: claimed.dueAt, digest, details: leaderDetails(wait, claimed.dueAt, now) };
    case "merged": {
      const { leaderJobId, leaderNotificationId } = claimed;
      const details = [detail("digest_merged", now, { raw: { leader: leaderNotificationId } })];
      return { kind: "merged", into: leaderJobId, notificationId: leaderNotificationId, digest, details };
    }
    case "alone": {
      const output = toStoredDigest(digestInput(run, job.stepIndex, facts));
      return { kind: "skipped", output, digest, details: [detail("digest_alone", now)] };
    }
    default: {
      const groupKey = groupKeyOf(run.event.payload, values.digestKey, run.contextKeys);
      const { until: dueAt } = wait;
      return { kind: "claim", claim: { kind: "digest", jobId: job.id, groupKey, dueAt, quietSince: lookBack.since } };
    }
  }
}

function leaderDetails({ extended }: StepWait, dueAt: Date, now: Date) {
  return [...extended, detail("step_digested", now, { raw: { until: dueAt.toISOString() } })];
}

/** `since`: without events of the group since then, an event passes alone; null when the digest does not look back. */
function readLookBack(values: JsonObject, now: Date, maxDays: number): { since: Date | null } | WaitFault {
  const { type = "regular", lookBackWindow } = values;
  if (type !== "regular" || lookBackWindow === undefined) return { since: null };
  const length = readLength(lookBackWindow, now, maxDays, "lookBackWindow");
  return "fault" in length ? length : { since: addTime(now, -length.amount, length.unit) };
}

/** The settings of the digest, as its job shows them. */
function digestSettings(values: JsonObject, run: Run): JsonObject {
  const key = values.digestKey ? { digestKey: values.digestKey } : {};
  if (values.type === "timed") return { type: "timed", timed: { cronExpression: values.cron }, ...key };
  const override = run.event.overrides?.delay;
  const { amount, unit } = isObject(override) ? override : values;
  if (!isObject(values.lookBackWindow)) return { type: "regular", amount, unit, ...key };
  const { amount: backoffAmount, unit: backoffUnit } = values.lookBackWindow;
  return { type: "backoff", amount, unit, backoff: true, backoffAmount, backoffUnit, ...key };
}

export function closeDigest({ job, facts, now }: StepInput): StepResult {
  const result = facts.digests.get(job.id) ?? { events: [], eventCount: 0 };
  const raw = { eventCount: result.eventCount };
  return {
    kind: "done",
    output: toStoredDigest(result),
    details: [detail("digest_started", now), detail("digest_sent_on", now, { raw })],
  };
}
