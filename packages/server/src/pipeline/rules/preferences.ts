// Which level decides whether a channel step runs. Levels, weakest first: the workflow's definition, its preferences in
// the dashboard, the subscriber's global preferences, the subscriber's preferences for this workflow. A level without a
// value for a channel leaves the decision to the next weaker one; without any value the channel is enabled. A
// preference for the event's contexts comes before the same preference without context. A critical workflow ignores the
// subscriber.
import type { Channel, PreferenceChannels, WorkflowPreference } from "@tidings/contract";
import type { DetailName } from "./details.ts";

type PreferenceLevel = "workflow" | "dashboard" | "subscriber_global" | "subscriber_workflow";

/** The subscriber's preferences on one level, strongest first: for the event's contexts, then without context. */
type SubscriberChoices = { scoped?: PreferenceChannels; plain?: PreferenceChannels };

export type PreferenceLevels = {
  user: WorkflowPreference | null;
  default: WorkflowPreference;
  subscriberGlobal?: SubscriberChoices;
  subscriberWorkflow?: SubscriberChoices;
};

/** `level` is null when no level has a value; `isScoped`: a preference for the event's contexts decided. */
export type PreferenceDecision = { enabled: boolean; level: PreferenceLevel | null; isScoped: boolean };

/** A critical workflow cannot be changed or switched off by subscribers. */
export const isCritical = (levels: PreferenceLevels): boolean =>
  levels.user?.all?.readOnly ?? levels.default.all?.readOnly ?? false;

const workflowValue = (level: WorkflowPreference | null, channel: Channel): boolean | undefined =>
  level?.channels?.[channel]?.enabled ?? level?.all?.enabled;

const noChoices: Pick<PreferenceLevels, "subscriberGlobal" | "subscriberWorkflow"> = {};

export function decidePreference(levels: PreferenceLevels, channel: Channel): PreferenceDecision {
  const { subscriberGlobal, subscriberWorkflow } = isCritical(levels) ? noChoices : levels;
  return (
    decide("subscriber_workflow", subscriberWorkflow?.scoped?.[channel], true) ??
    decide("subscriber_workflow", subscriberWorkflow?.plain?.[channel]) ??
    decide("subscriber_global", subscriberGlobal?.scoped?.[channel], true) ??
    decide("subscriber_global", subscriberGlobal?.plain?.[channel]) ??
    decide("dashboard", workflowValue(levels.user, channel)) ??
    decide("workflow", workflowValue(levels.default, channel)) ?? { enabled: true, level: null, isScoped: false }
  );
}

/** Null when the level has no value. */
const decide = (level: PreferenceLevel, enabled: boolean | undefined, isScoped = false): PreferenceDecision | null =>
  enabled === undefined ? null : { enabled, level, isScoped };

/** The workflow as a whole: subscribers choose per channel, so only the workflow's own two levels count. */
export const isEnabledAsWhole = (levels: PreferenceLevels): boolean =>
  levels.user?.all?.enabled ?? levels.default.all?.enabled ?? true;

/** Null when the step may run, else the detail that names the level which disabled it. */
export const filterDetail = ({ enabled, level }: PreferenceDecision): DetailName | null =>
  enabled || !level ? null : `filtered_by_${level}`;

/** A subscriber's preference as stored; without a workflow it is the global one. */
export type StoredChoice = { workflow_id: string | null; context_keys: string[]; channels: PreferenceChannels };

/** All levels for one workflow and one set of contexts. `contextKeys` are sorted, as records store them. */
export function withChoices(
  levels: Pick<PreferenceLevels, "user" | "default">,
  stored: readonly StoredChoice[],
  workflowId: string | null,
  contextKeys: readonly string[],
): PreferenceLevels {
  if (stored.length === 0) return levels;
  const key = contextKeys.join();
  const choices = (id: string | null): SubscriberChoices => {
    const find = (wanted: string) =>
      stored.find((row) => row.workflow_id === id && row.context_keys.join() === wanted)?.channels;
    return { scoped: key === "" ? undefined : find(key), plain: find("") };
  };
  return {
    ...levels,
    subscriberGlobal: choices(null),
    subscriberWorkflow: workflowId === null ? undefined : choices(workflowId),
  };
}
