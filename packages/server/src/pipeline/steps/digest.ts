// Digest: the first event of a group opens a window and leads it; events that arrive while it is open are merged into
// it; when it closes, the leader's later steps run with all of them. With a look-back window, the first event of a
// quiet group passes alone. The database decides which event leads (one open window per group): this step returns a
// claim, and runs again with its result.
import { isObject, type JsonObject } from "../../lib/json.ts";
import { detailOf, entry } from "../rules/details.ts";
import { digestInput, digestResult, groupKeyOfRun, toStoredDigest } from "../rules/grouping.ts";
import { addTime, readLength, type WaitFault } from "../rules/waits.ts";
import type { Run, StepInput, StepResult } from "../run/run.ts";
import type { StepHandler } from "./handler.ts";
import { failedWait, readStepWait, type StepWait } from "./waiting.ts";

const details = {
  step_digested: entry("Step digested", "Success", {
    by: "digest",
    isWait: true,
    reason: ({ reason }) =>
      reason === undefined ? "it collects events of its group" : `it collects events of its group, ${reason}`,
    waiting: (until, next) => `Collecting until ${until}, then ${next}`,
  }),
  digest_started: entry("Digest started", "Pending", { by: "digest" }),
  digest_sent_on: entry("Digest sent its events on", "Success", {
    reason: ({ eventCount }) => `it sent ${eventCount === 1 ? "1 event" : `${eventCount} events`} on`,
  }),
  digest_closed_early: entry("Digest closed before its time", "Success", { by: "digest" }),
  digest_merged: entry("Merged into a waiting digest", "Success", { by: "digest" }),
  digest_alone: entry("Digest skipped, first event in the look-back window", "Success", {
    by: "digest",
    reason: () => "it is the first event in the look-back window, and continues alone",
  }),
  digest_invalid: entry("Digest settings are not valid", "Failed", { source: "Payload", by: "digest" }),
};
export const digestDetail = detailOf(details);

export default {
  run: runDigest,
  wake: closeDigest,
  details,
  bridgeResult: (run, job, facts) => {
    const { events, eventCount } = digestResult(run, job, facts) ?? { events: [], eventCount: 0 };
    return { events, eventCount };
  },
} satisfies StepHandler;

function runDigest(input: StepInput): StepResult {
  const { run, job, facts, now } = input;
  const values = job.step.controlValues;
  const invalid = (raw: JsonObject) => digestDetail("digest_invalid", now, { raw });
  const wait = readStepWait(input);
  if ("fault" in wait) return failedWait(wait, now, invalid);
  const lookBack = readLookBack(values, now, facts.maxWaitDays);
  if ("fault" in lookBack) return failedWait(lookBack, now, invalid);
  // A test shows the digest, which would pass it alone.
  const quietSince = run.version.definition.isTest ? null : lookBack.since;

  const claimed = facts.claimResults.get(job.id);
  const digest = digestSettings(values, run);
  switch (claimed?.kind) {
    case "leader":
      return { kind: "waiting", until: claimed.dueAt, digest, details: leaderDetails(wait, claimed.dueAt, now) };
    case "merged": {
      const { leaderJobId, leaderNotificationId } = claimed;
      const details = [digestDetail("digest_merged", now, { raw: { leader: leaderNotificationId } })];
      return { kind: "merged", into: leaderJobId, notificationId: leaderNotificationId, digest, details };
    }
    case "alone": {
      const output = toStoredDigest(digestInput(run, job.stepIndex, facts));
      return { kind: "skipped", output, digest, details: [digestDetail("digest_alone", now)] };
    }
    default: {
      const groupKey = groupKeyOfRun(run, values.digestKey, run.contextKeys);
      const { until: dueAt } = wait;
      return { kind: "claim", claim: { kind: "digest", jobId: job.id, groupKey, dueAt, quietSince } };
    }
  }
}

function leaderDetails({ extended }: StepWait, dueAt: Date, now: Date) {
  return [...extended, digestDetail("step_digested", now, { raw: { until: dueAt.toISOString() } })];
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

function closeDigest({ job, facts, now }: StepInput): StepResult {
  const result = facts.digests.get(job.id) ?? { events: [], eventCount: 0 };
  const raw = { eventCount: result.eventCount };
  return {
    kind: "done",
    output: toStoredDigest(result),
    details: [digestDetail("digest_started", now), digestDetail("digest_sent_on", now, { raw })],
  };
}
