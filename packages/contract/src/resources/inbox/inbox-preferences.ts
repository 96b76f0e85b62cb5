// Preferences of the subscriber whose token a request has: for everything (global), or for one workflow.
import { SeverityWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import { named, oneOf, repeated, type Static, Type } from "../../schema.ts";
import {
  CategoryPreference,
  frequencyChoice,
  PreferenceEntry,
  preferenceChoices,
  Schedule,
} from "../subscribers/preferences.ts";
import { SubscriptionPreference } from "../topics/topic-subscriptions.ts";
import { inboxErrors } from "./inbox-notifications.ts";
import { subscriptionChoices } from "./inbox-subscriptions.ts";

// Conditions belong to the rules of topic subscriptions.
const { condition, ...entry } = PreferenceEntry.properties;

const InboxPreference = named("InboxPreference", {
  ...entry,
  schedule: Type.Optional(Schedule),
  timezone: Type.Optional(
    Type.String({
      description:
        "For the global entry: the schedule's time zone, which is the subscriber's or `TIDINGS_DEFAULT_TIMEZONE`",
    }),
  ),
});
export type InboxPreference = Static<typeof InboxPreference>;

const one = { status: 200, schema: named("InboxPreferenceAnswer", { data: InboxPreference }) } as const;
const many = { status: 200, schema: named("InboxPreferencesAnswer", { data: Type.Array(InboxPreference) }) } as const;
const workflowErrors = [...inboxErrors, "WORKFLOW_NOT_FOUND", "CRITICAL_WORKFLOW"] as const;

export const inboxPreferenceOperations = {
  "inbox.listPreferences": operation({
    id: "inbox.listPreferences",
    method: "GET",
    path: "/v1/inbox/preferences",
    summary: "List the subscriber's own preferences",
    description: "The global entry first, then one entry per workflow. Filters apply to the workflows.",
    category: "inbox",
    access: "inbox",
    query: Type.Object({
      criticality: Type.Optional(oneOf(["critical", "nonCritical", "all"], { default: "nonCritical" })),
      tags: Type.Optional(repeated(Type.String(), { maxItems: 100, description: "Workflows with any of these tags" })),
      severity: Type.Optional(repeated(SeverityWord, { description: "Any of these" })),
    }),
    success: many,
    errors: inboxErrors,
  }),
  "inbox.retrieveGlobalPreference": operation({
    id: "inbox.retrieveGlobalPreference",
    method: "GET",
    path: "/v1/inbox/preferences/global",
    summary: "Retrieve the subscriber's own global preference",
    description: "Includes the schedule if there is one.",
    category: "inbox",
    access: "inbox",
    success: one,
    errors: inboxErrors,
  }),
  "inbox.updateGlobalPreference": operation({
    id: "inbox.updateGlobalPreference",
    method: "PATCH",
    path: "/v1/inbox/preferences",
    summary: "Update the subscriber's own global preference",
    description: "The given channels are merged into the stored ones; `schedule` is replaced as a whole.",
    category: "inbox",
    access: "inbox",
    body: named("InboxGlobalPreferenceIn", { ...preferenceChoices, schedule: Type.Optional(Schedule) }),
    success: one,
    errors: inboxErrors,
  }),
  "inbox.listCategoryPreferences": operation({
    id: "inbox.listCategoryPreferences",
    method: "GET",
    path: "/v1/inbox/preferences/categories",
    summary: "List the subscriber's own preferences for categories",
    description: "The categories with workflows, in their order.",
    category: "inbox",
    access: "inbox",
    success: {
      status: 200,
      schema: named("InboxCategoryPreferences", { data: Type.Array(CategoryPreference) }),
    },
    errors: inboxErrors,
  }),
  "inbox.updateCategoryPreference": operation({
    id: "inbox.updateCategoryPreference",
    method: "PATCH",
    path: "/v1/inbox/preferences/categories/{categoryId}",
    summary: "Update the subscriber's own preference for a category",
    description: "The given channels are merged into the stored ones.",
    category: "inbox",
    access: "inbox",
    params: Type.Object({ categoryId: Type.String({ description: "Identifier" }) }),
    body: named("InboxCategoryPreferenceIn", preferenceChoices),
    success: { status: 200, schema: named("InboxCategoryPreference", { data: CategoryPreference }) },
    errors: [...inboxErrors, "CATEGORY_NOT_FOUND", "REQUIRED_CATEGORY"],
  }),
  "inbox.bulkUpdatePreferences": operation({
    id: "inbox.bulkUpdatePreferences",
    method: "PATCH",
    path: "/v1/inbox/preferences/bulk",
    summary: "Update the subscriber's own preferences for up to 100 workflows",
    description:
      "All or nothing. The given channels are merged into the stored ones; if a workflow appears twice, the last " +
      "item wins. With `subscriptionIdentifier`, which must be the same in all items, the preferences of that topic " +
      "subscription are changed instead: `enabled` or `condition`.",
    category: "inbox",
    access: "inbox",
    body: named("InboxPreferencesBulkIn", {
      preferences: Type.Array(
        named("InboxPreferenceBulkItem", {
          workflowId: Type.String({ minLength: 1 }),
          ...preferenceChoices,
          ...frequencyChoice,
          subscriptionIdentifier: Type.Optional(
            Type.String({
              minLength: 1,
              description: "Identifier or internal id of the subscriber's own topic subscription",
            }),
          ),
          ...subscriptionChoices,
        }),
        { minItems: 1, maxItems: 100 },
      ),
    }),
    success: {
      status: 200,
      schema: named("InboxPreferencesBulkAnswer", {
        data: Type.Array(Type.Union([InboxPreference, SubscriptionPreference])),
      }),
    },
    errors: [...workflowErrors, "SUBSCRIPTION_NOT_FOUND"],
  }),
  "inbox.updateWorkflowPreference": operation({
    id: "inbox.updateWorkflowPreference",
    method: "PATCH",
    path: "/v1/inbox/preferences/{workflowId}",
    summary: "Update the subscriber's own preference for a workflow",
    description: "The given channels are merged into the stored ones.",
    category: "inbox",
    access: "inbox",
    params: Type.Object({ workflowId: Type.String({ description: "Internal id, identifier or slug" }) }),
    body: named("InboxPreferenceIn", { ...preferenceChoices, ...frequencyChoice }),
    success: one,
    errors: workflowErrors,
  }),
};
