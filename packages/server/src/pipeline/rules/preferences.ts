// Which level decides whether a channel step runs. Levels, weakest first: the workflow's definition, its preferences in
// the dashboard, the defaults of its category, the subscriber's global preferences, those for the category, those for
// this workflow. A level without a value for a channel leaves the decision to the next weaker one; without any value
// the channel is enabled. A preference for the event's contexts comes before the same preference without context. A
// required category ignores the subscriber; a critical workflow ignores its category too.
import type { Channel, DigestFrequency, PreferenceChannels, WorkflowPreference } from "@tidings/contract";
import type { CategoryRule } from "../../store/subscribers/categories.ts";
import type { DetailName } from "./details.ts";

type PreferenceLevel =
  | "workflow"
  | "dashboard"
  | "category"
  | "subscriber_global"
  | "subscriber_category"
  | "subscriber_workflow";

/** The subscriber's preferences on one level, strongest first: for the event's contexts, then without context. */
type SubscriberChoices = { scoped?: PreferenceChannels; plain?: PreferenceChannels };

/** What is decided without the subscriber. */
type OwnLevels = {
  user: WorkflowPreference | null;
  default: WorkflowPreference;
  category?: CategoryRule | null;
};

export type PreferenceLevels = OwnLevels & {
  subscriberGlobal?: SubscriberChoices;
  subscriberCategory?: SubscriberChoices;
  subscriberWorkflow?: SubscriberChoices;
};

/** `level` is null when no level has a value; `isScoped`: a preference for the event's contexts decided. */
export type PreferenceDecision = { enabled: boolean; level: PreferenceLevel | null; isScoped: boolean };

const isCriticalWorkflow = ({ user, default: own }: OwnLevels): boolean =>
  user?.all?.readOnly ?? own.all?.readOnly ?? false;

/** Subscribers cannot change or switch off a critical workflow, and no workflow of a required category. */
export const isCritical = (levels: OwnLevels): boolean =>
  isCriticalWorkflow(levels) || (levels.category?.required ?? false);

const workflowValue = (level: WorkflowPreference | null, channel: Channel): boolean | undefined =>
  level?.channels?.[channel]?.enabled ?? level?.all?.enabled;

const noChoices: Pick<PreferenceLevels, "subscriberGlobal" | "subscriberCategory" | "subscriberWorkflow"> = {};

export function decidePreference(levels: PreferenceLevels, channel: Channel): PreferenceDecision {
  const { subscriberGlobal, subscriberCategory, subscriberWorkflow } = isCritical(levels) ? noChoices : levels;
  const category = isCriticalWorkflow(levels) ? null : levels.category;
  return (
    decide("subscriber_workflow", subscriberWorkflow?.scoped?.[channel], true) ??
    decide("subscriber_workflow", subscriberWorkflow?.plain?.[channel]) ??
    decide("subscriber_category", subscriberCategory?.scoped?.[channel], true) ??
    decide("subscriber_category", subscriberCategory?.plain?.[channel]) ??
    decide("subscriber_global", subscriberGlobal?.scoped?.[channel], true) ??
    decide("subscriber_global", subscriberGlobal?.plain?.[channel]) ??
    decide("category", category?.channels[channel]) ??
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

/** A subscriber's preference as stored, for a workflow or a category; without either it is the global one. */
export type StoredChoice = { workflow_id: string | null; context_keys: string[]; channels: PreferenceChannels };

/** The preference for one workflow, category or everything, for these contexts; undefined without one. */
export const choiceFor = <Row extends StoredChoice>(
  stored: readonly Row[],
  id: string | null,
  contextKeys: readonly string[],
): Row | undefined => {
  const key = contextKeys.join();
  return stored.find((row) => row.workflow_id === id && row.context_keys.join() === key);
};

/** How often the subscriber wants digests of a workflow: the choice for these contexts, then that without context. */
export const chosenFrequency = (
  stored: readonly (StoredChoice & { digest_frequency: DigestFrequency | null })[],
  workflowId: string,
  contextKeys: readonly string[],
): DigestFrequency | null =>
  choiceFor(stored, workflowId, contextKeys)?.digest_frequency ??
  choiceFor(stored, workflowId, [])?.digest_frequency ??
  null;

/** All levels for one workflow and one set of contexts. `contextKeys` are sorted, as records store them. */
export function withChoices(
  levels: OwnLevels,
  stored: readonly StoredChoice[],
  workflowId: string | null,
  contextKeys: readonly string[],
): PreferenceLevels {
  if (stored.length === 0) return levels;
  const choices = (id: string | null): SubscriberChoices => ({
    scoped: contextKeys.length === 0 ? undefined : choiceFor(stored, id, contextKeys)?.channels,
    plain: choiceFor(stored, id, [])?.channels,
  });
  return {
    ...levels,
    subscriberGlobal: choices(null),
    subscriberCategory: levels.category ? choices(levels.category.id) : undefined,
    subscriberWorkflow: workflowId === null ? undefined : choices(workflowId),
  };
}
