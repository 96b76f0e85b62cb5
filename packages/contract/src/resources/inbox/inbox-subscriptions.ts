// Topic subscriptions of the subscriber whose token a request has, and their rules.
import { operation } from "../../operation.ts";
import { named, openObject, repeated, Type } from "../../schema.ts";
import { SubscriptionPatch, subscriptionRules } from "../topics/topic-subscription-input.ts";
import { SubscriptionDetails, SubscriptionPreference } from "../topics/topic-subscriptions.ts";
import { topicNameRule, topicPath } from "../topics/topics.ts";
import { inboxErrors } from "./inbox-notifications.ts";

const identifier = Type.String({ description: "Identifier or internal id of the subscription" });
const path = Type.Object({ ...topicPath.properties, identifier });
const Answer = named("InboxSubscriptionAnswer", { data: SubscriptionDetails });
const missing = [...inboxErrors, "SUBSCRIPTION_NOT_FOUND"] as const;

/** What a subscriber chooses for a workflow within a topic subscription. */
export const subscriptionChoices = {
  enabled: Type.Optional(Type.Boolean()),
  condition: Type.Optional(openObject({ jsonLogic: true, maxJsonBytes: 65_536, description: "JSON Logic" })),
};

export const inboxSubscriptionOperations = {
  "inbox.listSubscriptions": operation({
    id: "inbox.listSubscriptions",
    method: "GET",
    path: "/v1/inbox/topics/{topicKey}/subscriptions",
    summary: "List the subscriber's own subscriptions to a topic",
    description: "Empty when the topic does not exist.",
    category: "inbox",
    access: "inbox",
    params: topicPath,
    success: {
      status: 200,
      schema: named("InboxSubscriptionsAnswer", { data: Type.Array(SubscriptionDetails) }),
    },
    errors: inboxErrors,
  }),
  "inbox.createSubscription": operation({
    id: "inbox.createSubscription",
    method: "POST",
    path: "/v1/inbox/topics/{topicKey}/subscriptions",
    summary: "Subscribe to a topic",
    description:
      "The topic is created if it does not exist. If the subscriber is already subscribed, the subscription is " +
      "returned unchanged.",
    category: "inbox",
    access: "inbox",
    params: topicPath,
    body: named("InboxSubscriptionIn", {
      identifier: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
      name: SubscriptionPatch.properties.name,
      topic: Type.Optional(
        Type.Object({
          name: Type.Optional(Type.String({ ...topicNameRule, description: "Name of the topic, if it is created" })),
        }),
      ),
      preferences: subscriptionRules,
    }),
    success: { status: 201, schema: Answer },
    errors: inboxErrors,
  }),
  "inbox.retrieveSubscription": operation({
    id: "inbox.retrieveSubscription",
    method: "GET",
    path: "/v1/inbox/topics/{topicKey}/subscriptions/{identifier}",
    summary: "Retrieve the subscriber's own topic subscription",
    description: "Returns 204 if there is none.",
    category: "inbox",
    access: "inbox",
    params: path,
    query: Type.Object({
      workflowIds: Type.Optional(repeated(Type.String(), { maxItems: 100, description: "Preferences for these" })),
      tags: Type.Optional(
        repeated(Type.String(), { maxItems: 100, description: "Preferences for workflows with these" }),
      ),
    }),
    success: { status: 200, also: 204, schema: Answer },
    errors: inboxErrors,
  }),
  "inbox.updateSubscription": operation({
    id: "inbox.updateSubscription",
    method: "PATCH",
    path: "/v1/inbox/topics/{topicKey}/subscriptions/{identifier}",
    summary: "Update the subscriber's own topic subscription",
    description: "Only the given fields are changed; `preferences` are replaced as a whole.",
    category: "inbox",
    access: "inbox",
    params: path,
    body: SubscriptionPatch,
    success: { status: 200, schema: Answer },
    errors: missing,
  }),
  "inbox.deleteSubscription": operation({
    id: "inbox.deleteSubscription",
    method: "DELETE",
    path: "/v1/inbox/topics/{topicKey}/subscriptions/{identifier}",
    summary: "Unsubscribe from a topic",
    category: "inbox",
    access: "inbox",
    params: path,
    success: { status: 204 },
    errors: missing,
  }),
  "inbox.updateSubscriptionPreference": operation({
    id: "inbox.updateSubscriptionPreference",
    method: "PATCH",
    path: "/v1/inbox/subscriptions/{identifier}/preferences/{workflowId}",
    summary: "Update a topic subscription's preference for a workflow",
    description: "If subscriptions in different topics have the same identifier, the oldest one is updated.",
    category: "inbox",
    access: "inbox",
    params: Type.Object({
      identifier,
      workflowId: Type.String({ description: "Internal id, identifier or slug" }),
    }),
    body: named("InboxSubscriptionPreferenceIn", subscriptionChoices),
    success: { status: 200, schema: named("InboxSubscriptionPreferenceAnswer", { data: SubscriptionPreference }) },
    errors: [...missing, "WORKFLOW_NOT_FOUND", "CRITICAL_WORKFLOW"],
  }),
};
