// Waits of delays and digests: how long the run waits, and whether the subscriber's schedule extends the wait.
import type { Schedule } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import type { PreferenceRow } from "../../store/subscribers/preferences.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { detail } from "../rules/details.ts";
import { isCritical } from "../rules/preferences.ts";
import { nextOpening, type Opening } from "../rules/schedule.ts";
import { templateScope } from "../rules/scope.ts";
import { readWait, type WaitFault, type WaitRequest } from "../rules/waits.ts";
import { zoneOf } from "../rules/zones.ts";
import type { Facts, Run, StepInput, StepResult } from "../run/run.ts";

/** The length of a wait; only delays and digests add `override`. */
export function waitRequest(input: StepInput): WaitRequest {
  const { run, job, facts, now } = input;
  return {
    values: job.step.controlValues,
    scope: () => templateScope(input),
    now,
    zone: subscriberZone(run, facts),
    maxDays: facts.maxWaitDays,
  };
}

const subscriberZone = ({ subscriber }: Run, facts: Facts) => zoneOf(subscriber?.timezone, facts.defaultTimezone);

/** `extended`: the detail for a wait that was extended to the next opening of the schedule, or shortened by a test. */
export type StepWait = { until: Date; extended: StoredDetail[] };

/**
 * The wait of a step: its own, or the one that is given. It is extended once, when it begins; the channel steps after
 * it check the schedule again, which may have changed.
 */
export function readStepWait(input: StepInput, given?: { until: Date }): StepWait | WaitFault {
  const { run, job, now } = input;
  const override = job.step.type === "wait" ? undefined : (run.event.overrides?.delay ?? undefined);
  const wait = given ?? readWait({ ...waitRequest(input), override });
  if (!("fault" in wait) && run.version.definition.isTest) {
    return { until: now, extended: [detail("wait_fast_forwarded", now, { raw: { end: wait.until.toISOString() } })] };
  }
  if ("fault" in wait || job.step.controlValues.extendToSchedule !== true) return { ...wait, extended: [] };
  const opening = openingAt(input, wait.until);
  // A schedule that never opens does not extend the wait.
  if (opening.open || opening.opensAt === null) return { ...wait, extended: [] };
  const raw = { from: wait.until.toISOString(), until: opening.opensAt.toISOString() };
  return { until: opening.opensAt, extended: [detail("step_extended", now, { raw })] };
}

/** Later steps depend on the wait, so an invalid one always stops the chain. */
export function failedWait(
  { fault, reason }: WaitFault,
  now: Date,
  invalid: (raw: JsonObject) => StoredDetail,
): StepResult {
  const raw = { reason };
  return {
    kind: "failed",
    stopsChain: true,
    details: [fault === "too_long" ? detail("wait_too_long", now, { raw }) : invalid(raw)],
  };
}

/** Whether the subscriber's schedule is open at a time. Critical workflows ignore the schedule. */
export function openingAt({ run, facts }: StepInput, at: Date): Opening {
  if (isCritical(run.rules.preferences)) return { open: true };
  const rows = facts.preferences.get(run.subscriber?.id ?? "") ?? [];
  return nextOpening(scheduleOf(rows, run.contextKeys), at, subscriberZone(run, facts));
}

/** The schedule belongs to the global preferences: the one for the event's contexts, else the one without context. */
function scheduleOf(rows: PreferenceRow[], contextKeys: string[]): Schedule | null {
  const choiceFor = (key: string) =>
    rows.find((row) => row.workflow_id === null && row.schedule && row.context_keys.join() === key);
  return (choiceFor(contextKeys.join()) ?? choiceFor(""))?.schedule ?? null;
}
