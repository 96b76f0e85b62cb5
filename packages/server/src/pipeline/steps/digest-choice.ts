// How often a subscriber wants a digest, where the digest step offers the choice. The choice replaces the step's own
// window, its look-back window and the event's `overrides.delay`: docs/decisions/0043-digest-frequency.md.
import { type DigestFrequency, offeredFrequencies } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import { nextCron, readCron } from "../rules/cron.ts";
import { chosenFrequency, isCritical } from "../rules/preferences.ts";
import { categoryOf } from "../rules/scope.ts";
import { addTime } from "../rules/waits.ts";
import { offsetAt, type Zone } from "../rules/zones.ts";
import type { StepInput } from "../run/run.ts";
import { waitRequest } from "./waiting.ts";

/** Null when the step's own window counts. */
export function readChoice({ run, job, facts }: StepInput): DigestFrequency | null {
  const offered = offeredFrequencies(job.step.controlValues);
  if (offered.length === 0) return null;
  if (isCritical({ ...run.rules.preferences, category: categoryOf(run, facts) })) return null;
  const stored = facts.preferences.get(run.subscriber?.id ?? "") ?? [];
  const chosen = chosenFrequency(stored, run.version.workflowId, run.contextKeys);
  return chosen !== null && offered.includes(chosen) ? chosen : null;
}

const monday = 1;

/**
 * The window of a choice, in the subscriber's time zone. The step does not fail because of it: where it would be
 * longer than a wait may be, it ends at the limit.
 */
export function windowOfChoice(input: StepInput, frequency: Exclude<DigestFrequency, "instant">) {
  const { values, now, zone, maxDays } = waitRequest(input);
  const cron = cronOfChoice(frequency, values);
  const limit = addTime(now, maxDays, "days");
  const next = frequency === "hourly" ? { at: nextFullHour(now, zone) } : nextCron(cron, now, zone);
  return { cron, until: "at" in next && next.at < limit ? next.at : limit };
}

const hour = 3_600_000;

/** An hour that repeats counts twice, though a cron expression matches it once. */
function nextFullHour(now: Date, zone: Zone): Date {
  const offset = offsetAt(zone, now.getTime());
  return new Date((Math.floor((now.getTime() + offset) / hour) + 1) * hour - offset);
}

function cronOfChoice(frequency: Exclude<DigestFrequency, "instant">, values: JsonObject): string {
  if (frequency === "hourly") return "0 * * * *";
  const at = timeOfStep(values);
  return `${at.minute} ${at.hour} * * ${frequency === "daily" ? "*" : at.weekday}`;
}

/** A timed digest that names one time of day, or one weekday, keeps it; otherwise Monday and 9 in the morning. */
function timeOfStep({ type, cron }: JsonObject): { minute: number; hour: number; weekday: number } {
  const parsed = type === "timed" && typeof cron === "string" ? readCron(cron) : undefined;
  const named = parsed && "cron" in parsed ? parsed.cron : undefined;
  const isOneTime = named?.minutes.length === 1 && named.hours.length === 1;
  return {
    minute: isOneTime ? named.minutes[0]! : 0,
    hour: isOneTime ? named.hours[0]! : 9,
    weekday: named?.weekdays?.length === 1 ? named.weekdays[0]! : monday,
  };
}

/** The particulars of a choice, as the details of the job store them. `settings`: those of the step's own digest. */
export const choiceRaw = (frequency: DigestFrequency, settings: JsonObject): JsonObject => ({
  frequency,
  own: ownWindow(settings),
});

function ownWindow({ type, timed, amount, unit }: JsonObject): string {
  if (type === "timed") return `ends at the cron expression ${(timed as JsonObject).cronExpression}`;
  if (amount === undefined) return "is not set";
  return `is ${amount} ${amount === 1 ? String(unit).replace(/s$/, "") : unit}`;
}

const chosenWords: Record<string, string | undefined> = {
  instant: "to be notified at once",
  hourly: "an hourly digest",
  daily: "a daily digest",
  weekly: "a weekly digest",
};

/** "Ada chose a daily digest; the step's own window is 10 minutes"; undefined without a choice. */
export function choiceText({ frequency, own }: JsonObject, person: string): string | undefined {
  const words = chosenWords[String(frequency)];
  return words && `${person} chose ${words}; the step's own window ${own}`;
}
