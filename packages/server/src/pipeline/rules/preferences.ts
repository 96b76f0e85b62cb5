// Which level decides whether a channel step runs. Levels, weakest first: the workflow's own definition, what people set
// in the dashboard, what the subscriber chose for everything, what it chose for this workflow. A level that says nothing
// about a channel leaves the decision to the weaker one; when nobody says anything, the channel is enabled. A choice for
// the contexts of the event comes before the same choice without context. A critical workflow ignores the subscriber.
import type { Channel, PreferenceChannels, WorkflowPreference } from "@tidings/contract";
import type { DetailName } from "./details.ts";

export type PreferenceLevel = "workflow" | "dashboard" | "subscriber_global" | "subscriber_workflow";

/** What the subscriber chose on one level, strongest first: for the event's contexts, then without context. */
export type SubscriberChoices = { scoped?: PreferenceChannels; plain?: PreferenceChannels };

export type PreferenceLevels = {
  user: WorkflowPreference | null;
  default: WorkflowPreference;
  subscriberGlobal?: SubscriberChoices;
  subscriberWorkflow?: SubscriberChoices;
};

/** `level` is null when nobody said anything; `isScoped` when a choice for the event's contexts decided. */
export type Verdict = { enabled: boolean; level: PreferenceLevel | null; isScoped: boolean };

/** A critical workflow cannot be changed or switched off by subscribers. */
export const isCritical = (levels: PreferenceLevels): boolean =>
  levels.user?.all?.readOnly ?? levels.default.all?.readOnly ?? false;

const ofWorkflow = (level: WorkflowPreference | null, channel: Channel): boolean | undefined =>
  level?.channels?.[channel]?.enabled ?? level?.all?.enabled;

export function decide(levels: PreferenceLevels, channel: Channel): Verdict {
  const { subscriberGlobal, subscriberWorkflow } = isCritical(levels) ? {} : (levels as Partial<PreferenceLevels>);
  const said: [boolean | undefined, PreferenceLevel, boolean][] = [
    [subscriberWorkflow?.scoped?.[channel], "subscriber_workflow", true],
    [subscriberWorkflow?.plain?.[channel], "subscriber_workflow", false],
    [subscriberGlobal?.scoped?.[channel], "subscriber_global", true],
    [subscriberGlobal?.plain?.[channel], "subscriber_global", false],
    [ofWorkflow(levels.user, channel), "dashboard", false],
    [ofWorkflow(levels.default, channel), "workflow", false],
  ];
  for (const [enabled, level, isScoped] of said) if (enabled !== undefined) return { enabled, level, isScoped };
  return { enabled: true, level: null, isScoped: false };
}

/** The workflow as a whole: subscribers choose channel by channel, so only the workflow's own levels speak about it. */
export const isEnabledAsWhole = (levels: PreferenceLevels): boolean =>
  levels.user?.all?.enabled ?? levels.default.all?.enabled ?? true;

/** Null when the step may run, otherwise the detail that names the level which said no. */
export function filteredBy(levels: PreferenceLevels, channel: Channel): DetailName | null {
  const { enabled, level } = decide(levels, channel);
  return enabled || !level ? null : `filtered_by_${level}`;
}

/** A subscriber's choice as the store has it; without workflow it is the global one. */
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
