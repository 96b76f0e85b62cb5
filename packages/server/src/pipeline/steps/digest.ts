// Digest: the first event of a group opens a window and leads it; events that arrive while it is open are merged into
// it; when it closes, the leader's later steps run with all of them. With a look-back window, the first event of a
// quiet group passes alone. Where the step offers it, the subscriber's choice replaces both windows. The database
// decides which event leads (one open window per group): this step returns a claim, and runs again with its result.
import { isObject, type JsonObject } from "../../lib/json.ts";
import { detailOf, entry } from "../rules/details.ts";
import { digestInput, digestResult, groupKeyOfRun, toStoredDigest } from "../rules/grouping.ts";
import { addTime, readLength, type WaitFault } from "../rules/waits.ts";
import type { Run, StepInput, StepResult } from "../run/run.ts";
import { choiceRaw, choiceText, readChoice, windowOfChoice } from "./digest-choice.ts";
import type { StepHandler } from "./handler.ts";
import { failedWait, readStepWait, type StepWait } from "./waiting.ts";

const details = {
  step_digested: entry("Step digested", "Success", {
    by: "digest",
    isWait: true,
    reason: ({ reason, ...raw }, { person }) =>
      withChoice(
        reason === undefined ? "it collects events of its group" : `it collects events of its group, ${reason}`,
        choiceText(raw, person),
      ),
    waiting: (until, next, raw, person) =>
      withChoice(`Collecting until ${until}, then ${next}`, choiceText(raw, person)),
  }),
  digest_started: entry("Digest started", "Pending", { by: "digest" }),
  digest_sent_on: entry("Digest sent its events on", "Success", {
    reason: ({ eventCount, ...raw }, { person }) =>
      withChoice(`it sent ${eventCount === 1 ? "1 event" : `${eventCount} events`} on`, choiceText(raw, person)),
  }),
  digest_closed_early: entry("Digest closed before its time", "Success", { by: "digest" }),
  digest_merged: entry("Merged into a waiting digest", "Success", { by: "digest" }),
  digest_alone: entry("Digest skipped, first event in the look-back window", "Success", {
    by: "digest",
    reason: () => "it is the first event in the look-back window, and continues alone",
  }),
  digest_at_once: entry("Digest skipped, the subscriber chose to be notified at once", "Success", {
    by: "preference",
    reason: (raw, { person }) => choiceText(raw, person) ?? `${person} chose to be notified at once`,
  }),
  digest_invalid: entry("Digest settings are not valid", "Failed", { source: "Payload", by: "digest" }),
};
export const digestDetail = detailOf(details);

const withChoice = (text: string, choice: string | undefined): string =>
  choice === undefined ? text : `${text}. ${choice.replace(/^the /, "The ")}`;

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
  const claimed = facts.claimResults.get(job.id);
  const choice = readChoice(input);
  const own = digestSettings(values, run);
  if (choice === "instant" && !claimed) {
    const details = [digestDetail("digest_at_once", now, { raw: choiceRaw(choice, own) })];
    return { ...passAlone(input), digest: own, details };
  }
  const chosen = choice === null || choice === "instant" ? undefined : windowOfChoice(input, choice);
  const window = readWindow(input, chosen);
  if ("fault" in window) return failedWait(window, now, (raw) => digestDetail("digest_invalid", now, { raw }));
  const digest = chosen ? digestSettings({ ...values, type: "timed", cron: chosen.cron }, run) : own;

  switch (claimed?.kind) {
    case "leader": {
      const { dueAt } = claimed;
      const raw = { until: dueAt.toISOString(), ...(choice !== null && chosen && choiceRaw(choice, own)) };
      const details = [...window.wait.extended, digestDetail("step_digested", now, { raw })];
      return { kind: "waiting", until: dueAt, digest, details };
    }
    case "merged": {
      const { leaderJobId, leaderNotificationId } = claimed;
      const details = [digestDetail("digest_merged", now, { raw: { leader: leaderNotificationId } })];
      return { kind: "merged", into: leaderJobId, notificationId: leaderNotificationId, digest, details };
    }
    case "alone":
      return { ...passAlone(input), digest, details: [digestDetail("digest_alone", now)] };
    default: {
      const groupKey = groupKeyOfRun(run, values.digestKey, run.contextKeys);
      const { wait, quietSince } = window;
      return { kind: "claim", claim: { kind: "digest", jobId: job.id, groupKey, dueAt: wait.until, quietSince } };
    }
  }
}

/** A digest of this event alone, without a wait. */
const passAlone = ({ run, job, facts }: StepInput) => ({
  kind: "skipped" as const,
  output: toStoredDigest(digestInput(run, job.stepIndex, facts)),
});

type Window = { wait: StepWait; quietSince: Date | null };

/** The step's own window, or the one that the subscriber chose, which does not look back. */
function readWindow(input: StepInput, chosen: { until: Date } | undefined): Window | WaitFault {
  const { run, job, facts, now } = input;
  const wait = readStepWait(input, chosen && { until: chosen.until });
  if ("fault" in wait) return wait;
  if (chosen) return { wait, quietSince: null };
  const lookBack = readLookBack(job.step.controlValues, now, facts.maxWaitDays);
  if ("fault" in lookBack) return lookBack;
  // A test shows the digest, which would pass it alone.
  return { wait, quietSince: run.version.definition.isTest ? null : lookBack.since };
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
  const { frequency, own } = [...job.details, ...job.newDetails].findLast(({ d }) => d === "step_digested")?.r ?? {};
  const raw = { eventCount: result.eventCount, ...(frequency !== undefined && { frequency, own }) };
  return {
    kind: "done",
    output: toStoredDigest(result),
    details: [digestDetail("digest_started", now), digestDetail("digest_sent_on", now, { raw })],
  };
}
