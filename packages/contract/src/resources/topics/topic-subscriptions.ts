// Topic subscriptions: who belongs to a topic, and for which workflows. A subscription carries rules in order; the
// first one that matches a workflow decides whether the topic's events of that workflow reach the subscriber.
import { contextKeysQuery, cursorList, cursorQuery, WorkflowRef } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { subscriberPath } from "../subscribers/subscribers.ts";
import {
  SubscriptionPatch,
  SubscriptionRuleIn,
  SubscriptionsDelete,
  SubscriptionsIn,
} from "./topic-subscription-input.ts";
import { Topic, topicPath } from "./topics.ts";

export const SubscriberRef = named("SubscriberRef", {
  _id: Type.String(),
  subscriberId: Type.String({ description: "The id your system uses" }),
  avatar: Type.Optional(nullableString()),
  firstName: Type.Optional(nullableString()),
  lastName: Type.Optional(nullableString()),
  email: Type.Optional(nullableString()),
});
export type SubscriberRef = Static<typeof SubscriberRef>;

const TopicRef = named("TopicRef", { _id: Type.String(), key: Type.String(), name: Type.Optional(Type.String()) });

const contextKeys = Type.Optional(Type.Array(Type.String(), { description: "Sorted `<type>:<id>` keys" }));

export const TopicSubscription = named("TopicSubscription", {
  _id: Type.String(),
  identifier: Type.String(),
  createdAt: isoTime("When the subscription was created"),
  topic: Topic,
  subscriber: SubscriberRef,
  contextKeys,
});
export type TopicSubscription = Static<typeof TopicSubscription>;

export const SubscriptionPreference = named("SubscriptionPreference", {
  subscriptionId: Type.String({ description: "Internal id of the subscription" }),
  workflow: Type.Optional(WorkflowRef),
  enabled: Type.Boolean(),
  condition: Type.Optional(openObject({ description: "JSON Logic; takes precedence over `enabled`" })),
});
export type SubscriptionPreference = Static<typeof SubscriptionPreference>;

const preferences = Type.Optional(
  Type.Array(SubscriptionPreference, {
    description: "One per workflow that a rule matches, and one without a workflow per rule that matches none",
  }),
);

const DeletedSubscription = named("DeletedSubscription", {
  _id: Type.String(),
  identifier: Type.Optional(Type.String()),
  topic: TopicRef,
  subscriber: SubscriberRef,
  contextKeys,
  createdAt: isoTime("When the subscription was created"),
  updatedAt: isoTime("Last change"),
});
export type DeletedSubscription = Static<typeof DeletedSubscription>;

export const Subscription = named("Subscription", {
  ...DeletedSubscription.properties,
  name: Type.Optional(Type.String()),
  preferences,
});
export type Subscription = Static<typeof Subscription>;

export const SubscriptionDetails = named("SubscriptionDetails", {
  id: Type.String({ description: "Internal id" }),
  identifier: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  preferences,
  rules: Type.Optional(
    Type.Array(SubscriptionRuleIn, {
      description: "As stored, in order; `preferences` of an update replaces them",
    }),
  ),
  contextKeys,
});

const SubscriptionError = named("SubscriptionError", {
  subscriberId: Type.String({ description: "`unknown` when the entry did not name one" }),
  code: Type.String(),
  message: Type.String(),
});
export type SubscriptionError = Static<typeof SubscriptionError>;

/** Counts of entries, not of subscriptions: one entry may delete several. */
const counts = named("SubscriptionCounts", {
  totalCount: Type.Integer(),
  successful: Type.Integer(),
  failed: Type.Integer(),
});

const subscriptionPath = Type.Object({
  topicKey: Type.String(),
  identifier: Type.String({ description: "Identifier or internal id of the subscription" }),
});

const listQuery = {
  ...cursorQuery,
  orderBy: Type.Optional(oneOf(["createdAt", "updatedAt", "identifier"], { default: "createdAt" })),
};

const TopicSubscriptionList = cursorList("TopicSubscriptionList", TopicSubscription);

export const topicSubscriptionOperations = {
  "topicSubscriptions.list": operation({
    id: "topicSubscriptions.list",
    method: "GET",
    path: "/v2/topics/{topicKey}/subscriptions",
    isFromReplica: true,
    summary: "List the subscriptions of a topic",
    category: "configuration",
    params: topicPath,
    query: Type.Object({
      ...listQuery,
      subscriberId: Type.Optional(Type.String({ description: "Exact" })),
      contextKeys: contextKeysQuery,
    }),
    success: { status: 200, schema: TopicSubscriptionList },
    errors: ["TOPIC_NOT_FOUND"],
  }),
  "topicSubscriptions.create": operation({
    id: "topicSubscriptions.create",
    method: "POST",
    path: "/v2/topics/{topicKey}/subscriptions",
    summary: "Subscribe up to 100 subscribers to a topic",
    description:
      "The topic is created if it does not exist. Entries are checked one by one: failures are listed in `errors`, " +
      "and the status is still 201. An existing subscription is returned unchanged.",
    category: "configuration",
    role: "support",
    params: topicPath,
    body: SubscriptionsIn,
    success: {
      status: 201,
      schema: named("SubscriptionsCreated", {
        data: Type.Array(Subscription),
        meta: counts,
        errors: Type.Optional(Type.Array(SubscriptionError)),
      }),
    },
    errors: [],
  }),
  "topicSubscriptions.delete": operation({
    id: "topicSubscriptions.delete",
    method: "DELETE",
    path: "/v2/topics/{topicKey}/subscriptions",
    summary: "Remove up to 100 subscribers or subscriptions from a topic",
    description:
      "Entries are checked one by one: failures are listed in `errors`, and the status is still 200. `data` contains " +
      "every deleted subscription and may have more items than `meta.successful`, which counts entries.",
    category: "configuration",
    role: "support",
    params: topicPath,
    body: SubscriptionsDelete,
    success: {
      status: 200,
      schema: named("SubscriptionsDeleted", {
        data: Type.Array(DeletedSubscription),
        meta: counts,
        errors: Type.Optional(Type.Array(SubscriptionError)),
      }),
    },
    errors: ["TOPIC_NOT_FOUND"],
  }),
  "topicSubscriptions.retrieve": operation({
    id: "topicSubscriptions.retrieve",
    method: "GET",
    path: "/v2/topics/{topicKey}/subscriptions/{identifier}",
    summary: "Retrieve a topic subscription",
    category: "configuration",
    params: subscriptionPath,
    success: { status: 200, schema: SubscriptionDetails },
    errors: ["TOPIC_NOT_FOUND", "SUBSCRIPTION_NOT_FOUND"],
  }),
  "topicSubscriptions.update": operation({
    id: "topicSubscriptions.update",
    method: "PATCH",
    path: "/v2/topics/{topicKey}/subscriptions/{identifier}",
    summary: "Update a topic subscription",
    description:
      "Only the given fields are changed; `preferences` are replaced as a whole, and an empty list clears them.",
    category: "configuration",
    role: "support",
    params: subscriptionPath,
    body: SubscriptionPatch,
    success: { status: 200, schema: Subscription },
    errors: ["TOPIC_NOT_FOUND", "SUBSCRIPTION_NOT_FOUND"],
  }),
  "subscribers.listSubscriptions": operation({
    id: "subscribers.listSubscriptions",
    method: "GET",
    path: "/v2/subscribers/{subscriberId}/subscriptions",
    isFromReplica: true,
    summary: "List the topic subscriptions of a subscriber",
    category: "configuration",
    params: subscriberPath,
    query: Type.Object({
      ...listQuery,
      key: Type.Optional(Type.String({ description: "Topic key, exact" })),
      contextKeys: contextKeysQuery,
    }),
    success: { status: 200, schema: TopicSubscriptionList },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
};
