// What a subscriber wants to receive: choices per channel, for everything (global) or for one workflow, optionally for
// a set of contexts only; and a weekly schedule of the hours in which messages may be delivered.
import { ChannelWord, channels, contextKeysQuery, WorkflowRef } from "../../common.ts";
import { type DigestFrequency, digestFrequencies } from "../../frequencies.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableOpenObject, oneOf, type Static, Type } from "../../schema.ts";
import { ContextMap } from "../topics/contexts.ts";
import { subscriberPath } from "./subscribers.ts";

const choice = Type.Optional(Type.Boolean());

/** One choice per channel. */
export const preferenceChoices = { email: choice, sms: choice, in_app: choice, chat: choice, push: choice };

export const PreferenceChannels = named("PreferenceChannels", preferenceChoices);
export type PreferenceChannels = Static<typeof PreferenceChannels>;

/** A name that is not a channel is refused: a choice without effect would look like a real one. */
export const PreferenceChannelsIn = named("PreferenceChannelsIn", preferenceChoices, {
  propertyNames: { enum: channels },
});

const nullableFrequency = (description: string) =>
  Type.Optional(
    Type.Unsafe<DigestFrequency | null>({ type: ["string", "null"], enum: [...digestFrequencies, null], description }),
  );

/** Members of a workflow whose digest steps let subscribers choose. */
const frequencyShown = {
  digestFrequency: nullableFrequency(
    "How often the subscriber wants the digest of the workflow; null without a choice. Absent if the workflow offers none",
  ),
  digestFrequencies: Type.Optional(
    Type.Array(oneOf(digestFrequencies), { description: "What the workflow lets subscribers choose from" }),
  ),
};

/** A choice of the subscriber for a workflow. */
export const frequencyChoice = {
  digestFrequency: nullableFrequency(
    "How often the subscriber wants the digest of the workflow, if it offers this; null: as the workflow decides",
  ),
};

export const preferenceEntryLevels = ["global", "template"] as const;

export const PreferenceEntry = named("PreferenceEntry", {
  level: oneOf(preferenceEntryLevels),
  workflow: Type.Optional(WorkflowRef),
  enabled: Type.Boolean({ description: "The workflow as a whole" }),
  channels: PreferenceChannels,
  condition: Type.Optional(nullableOpenObject({ description: "JSON Logic" })),
  categoryId: Type.Optional(Type.String({ description: "The category of the workflow" })),
  ...frequencyShown,
});
export type PreferenceEntry = Static<typeof PreferenceEntry>;

export const weekDays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

const clockTime = Type.String({
  pattern: "^(0[1-9]|1[0-2]):[0-5][0-9] (AM|PM)$",
  description: "`hh:mm AM` or `hh:mm PM`",
});

const ScheduleDay = named("ScheduleDay", {
  isEnabled: Type.Boolean({ description: "false closes the day" }),
  hours: Type.Optional(
    Type.Array(named("ScheduleHours", { start: clockTime, end: clockTime }), {
      maxItems: 24,
      description: "Without hours, the day is open all day; an `end` at or before `start` extends into the next day",
    }),
  ),
});

const day = Type.Optional(ScheduleDay);

export const Schedule = named("Schedule", {
  isEnabled: Type.Boolean(),
  weeklySchedule: Type.Optional(
    named("WeeklySchedule", {
      monday: day,
      tuesday: day,
      wednesday: day,
      thursday: day,
      friday: day,
      saturday: day,
      sunday: day,
    }),
  ),
});
export type Schedule = Static<typeof Schedule>;

export const overrideSources = ["subscriber", "template", "workflowOverride"] as const;

const WorkflowPreferenceItem = named("SubscriberWorkflowPreference", {
  enabled: Type.Boolean(),
  channels: PreferenceChannels,
  overrides: Type.Array(
    named("PreferenceOverride", {
      channel: ChannelWord,
      source: oneOf(overrideSources, {
        description: "What decided: the subscriber, the workflow, or a choice for these contexts",
      }),
    }),
  ),
  workflow: named("PreferenceWorkflow", {
    slug: Type.String(),
    identifier: Type.String(),
    name: Type.String(),
    updatedAt: Type.Optional(isoTime("Last change of the workflow")),
  }),
  updatedAt: Type.Optional(isoTime("Last change of the subscriber's choice for this workflow")),
  categoryId: Type.Optional(Type.String({ description: "The category of the workflow" })),
  ...frequencyShown,
});
export type SubscriberWorkflowPreference = Static<typeof WorkflowPreferenceItem>;

/** A category as a subscriber sees it. */
export const CategoryPreference = named("CategoryPreference", {
  categoryId: Type.String(),
  name: Type.String(),
  description: Type.String(),
  required: Type.Boolean({ description: "true: it cannot be switched off" }),
  channels: PreferenceChannels,
  updatedAt: Type.Optional(isoTime("Last change of the subscriber's choice for this category")),
});
export type CategoryPreference = Static<typeof CategoryPreference>;

export const SubscriberPreferences = named("SubscriberPreferences", {
  global: named("GlobalPreference", {
    enabled: Type.Boolean(),
    channels: PreferenceChannels,
    schedule: Type.Optional(Schedule),
  }),
  workflows: Type.Array(WorkflowPreferenceItem),
  categories: Type.Optional(
    Type.Array(CategoryPreference, {
      description: "The categories with workflows, in their order; absent if there are none",
    }),
  ),
});
export type SubscriberPreferences = Static<typeof SubscriberPreferences>;

const workflowId = Type.String({ minLength: 1, description: "Internal id, identifier or slug" });
const context = Type.Optional(ContextMap);

export const preferenceOperations = {
  "subscribers.retrievePreferences": operation({
    id: "subscribers.retrievePreferences",
    method: "GET",
    path: "/v2/subscribers/{subscriberId}/preferences",
    summary: "Retrieve a subscriber's preferences",
    description:
      "Values are resolved: they show what applies to a channel when an event arrives, at whichever level it was " +
      "decided. `global` shows the channels that the environment's workflows have steps for.",
    category: "configuration",
    params: subscriberPath,
    query: Type.Object({
      criticality: Type.Optional(oneOf(["critical", "nonCritical", "all"], { default: "nonCritical" })),
      contextKeys: contextKeysQuery,
    }),
    success: { status: 200, schema: SubscriberPreferences },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
  "subscribers.updatePreferences": operation({
    id: "subscribers.updatePreferences",
    method: "PATCH",
    path: "/v2/subscribers/{subscriberId}/preferences",
    summary: "Update a subscriber's preferences",
    description:
      "For one workflow, for one category, or globally. The given channels are merged into the stored ones; " +
      "`schedule` is replaced as a whole and only exists globally, `digestFrequency` only for a workflow.",
    category: "configuration",
    role: "support",
    params: subscriberPath,
    body: named("PreferencesPatch", {
      channels: Type.Optional(PreferenceChannelsIn),
      workflowId: Type.Optional(workflowId),
      categoryId: Type.Optional(
        Type.String({ minLength: 1, description: "Identifier of a category; not together with `workflowId`" }),
      ),
      schedule: Type.Optional(Schedule),
      ...frequencyChoice,
      context,
    }),
    success: { status: 200, schema: SubscriberPreferences },
    errors: [
      "SUBSCRIBER_NOT_FOUND",
      "WORKFLOW_NOT_FOUND",
      "CRITICAL_WORKFLOW",
      "CATEGORY_NOT_FOUND",
      "REQUIRED_CATEGORY",
    ],
  }),
  "subscribers.bulkUpdatePreferences": operation({
    id: "subscribers.bulkUpdatePreferences",
    method: "PATCH",
    path: "/v2/subscribers/{subscriberId}/preferences/bulk",
    summary: "Update up to 100 of a subscriber's workflow preferences",
    description:
      "All or nothing. The given channels are merged into the stored ones; if a workflow appears twice, the last " +
      "item wins.",
    category: "configuration",
    role: "support",
    params: subscriberPath,
    body: named("PreferencesBulkIn", {
      preferences: Type.Array(
        named("PreferenceIn", { workflowId, channels: PreferenceChannelsIn, ...frequencyChoice }),
        {
          minItems: 1,
          maxItems: 100,
        },
      ),
      context,
    }),
    success: { status: 200, schema: Type.Array(PreferenceEntry) },
    errors: ["SUBSCRIBER_NOT_FOUND", "WORKFLOW_NOT_FOUND", "CRITICAL_WORKFLOW"],
  }),
  "preferences.updateMany": operation({
    id: "preferences.updateMany",
    method: "POST",
    path: "/v2/preferences/bulk",
    summary: "Update a preference for up to 500 subscribers",
    description:
      "Sets the same channels for each subscriber, for one workflow, or globally without `workflowId`. The given " +
      "channels are merged into the stored ones. Unknown subscribers are listed and do not affect the others.",
    category: "configuration",
    body: named("PreferencesOfManyIn", {
      subscriberIds: Type.Array(Type.String(), { minItems: 1, maxItems: 500 }),
      workflowId: Type.Optional(workflowId),
      channels: PreferenceChannelsIn,
    }),
    success: {
      status: 200,
      schema: named("PreferencesOfManyResult", {
        updated: Type.Integer({ description: "Subscribers" }),
        notFound: Type.Array(Type.String(), { description: "Unknown subscriber ids" }),
      }),
    },
    errors: ["WORKFLOW_NOT_FOUND", "CRITICAL_WORKFLOW"],
  }),
};
