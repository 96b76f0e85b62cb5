// What delays and digests share: how long this run waits, and whether the subscriber's schedule makes it longer.
import type { Schedule } from "@tidings/contract";
import type { PreferenceRow } from "../../store/subscribers/preferences.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { templateScope } from "../render/scope.ts";
import { detail } from "../rules/details.ts";
import { isCritical } from "../rules/preferences.ts";
import { nextOpening, type Opening } from "../rules/schedule.ts";
import { readWait, type WaitFault, type WaitRequest } from "../rules/waits.ts";
import { zoneOf } from "../rules/zones.ts";
import type { Facts, Run, StepInput, StepResult } from "../run/run.ts";

/** What a wait of this step is read from; `override` is the delay and digest's alone. */
export const waitRequest = ({ run, job, facts, now }: StepInput): WaitRequest => ({
  values: job.step.controlValues,
  scope: () => templateScope(run, facts),
  now,
  zone: zoneFor(run, facts),
  maxDays: facts.maxWaitDays,
});

const zoneFor = ({ subscriber }: Run, facts: Facts) => zoneOf(subscriber?.timezone, facts.defaultTimezone);

/** `extended` is the detail to leave when the wait grew up to the next opening of the schedule. */
export type StepWait = { until: Date; extended: StoredDetail[] };

/**
 * The wait of a delay or digest. It is extended once, when it begins: should the schedule change meanwhile, the channel
 * steps behind it ask again.
 */
export function waitOf(input: StepInput): StepWait | WaitFault {
  const { run, job, now } = input;
  const wait = readWait({ ...waitRequest(input), override: run.event.overrides?.delay ?? undefined });
  if ("fault" in wait || job.step.controlValues.extendToSchedule !== true) return { ...wait, extended: [] };
  const opening = openingAt(input, wait.until);
  // A schedule that never opens has nothing to wait for.
  if (opening.open || opening.opensAt === null) return { ...wait, extended: [] };
  const raw = { from: wait.until.toISOString(), until: opening.opensAt.toISOString() };
  return { until: opening.opensAt, extended: [detail("step_extended", now, { raw })] };
}

/** Later steps rely on the wait, so one that cannot be read always stops the chain. */
export const failedWait = (
  { fault, reason }: WaitFault,
  invalid: "delay_invalid" | "digest_invalid",
  now: Date,
): StepResult => ({
  kind: "failed",
  stopsChain: true,
  details: [detail(fault === "too_long" ? "wait_too_long" : invalid, now, { raw: { reason } })],
});

/** Whether the subscriber may be disturbed then. Critical workflows do not ask. */
export function openingAt({ run, facts }: StepInput, at: Date): Opening {
  if (isCritical(run.version.definition.preferences)) return { open: true };
  const rows = facts.preferences.get(run.subscriber?.id ?? "") ?? [];
  return nextOpening(scheduleOf(rows, run.contextKeys), at, zoneFor(run, facts));
}

/** The schedule is a global choice: the one for the event's contexts, else the one without context. */
function scheduleOf(rows: PreferenceRow[], contextKeys: string[]): Schedule | null {
  const choiceFor = (key: string) =>
    rows.find((row) => row.workflow_id === null && row.schedule && row.context_keys.join() === key);
  return (choiceFor(contextKeys.join()) ?? choiceFor(""))?.schedule ?? null;
}
