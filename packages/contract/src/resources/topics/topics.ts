// Topics: named groups of subscribers. Who belongs to one is in topic-subscriptions.ts.
import { cursorList, cursorQuery, identifiers } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type } from "../../schema.ts";

/** A topic key follows the rule of subscriber ids and is shorter. */
export const topicKeyRule = { ...identifiers.subscriberId, maxLength: 100 } as const;
export const topicNameRule = { minLength: 1, maxLength: 100 } as const;

export const Topic = named("Topic", {
  _id: Type.String(),
  key: Type.String({ description: "Unique in the environment" }),
  name: Type.Optional(Type.String()),
  createdAt: Type.Optional(isoTime("When the topic was created")),
  updatedAt: Type.Optional(isoTime("Last change")),
});
export type Topic = Static<typeof Topic>;

export const topicPath = Type.Object({ topicKey: Type.String() });

export const topicOperations = {
  "topics.list": operation({
    id: "topics.list",
    method: "GET",
    path: "/v2/topics",
    summary: "List topics",
    category: "configuration",
    query: Type.Object({
      ...cursorQuery,
      orderBy: Type.Optional(oneOf(["createdAt", "updatedAt"], { default: "createdAt" })),
      key: Type.Optional(Type.String({ description: "Exact" })),
      name: Type.Optional(Type.String({ description: "Part of the name, ignoring case" })),
    }),
    success: { status: 200, schema: cursorList("TopicList", Topic) },
    errors: [],
  }),
  "topics.create": operation({
    id: "topics.create",
    method: "POST",
    path: "/v2/topics",
    summary: "Create or update a topic",
    description:
      "Returns 201 if the topic is new, or 200 if the key exists; a `name` then replaces the topic's name. With " +
      "`failIfExists`, an existing key is refused.",
    category: "configuration",
    query: Type.Object({ failIfExists: Type.Optional(Type.Boolean()) }),
    body: named("TopicIn", {
      key: Type.String(topicKeyRule),
      name: Type.Optional(Type.String(topicNameRule)),
    }),
    success: { status: 201, also: 200, schema: Topic },
    errors: ["TOPIC_EXISTS"],
  }),
  "topics.retrieve": operation({
    id: "topics.retrieve",
    method: "GET",
    path: "/v2/topics/{topicKey}",
    summary: "Retrieve a topic",
    category: "configuration",
    params: topicPath,
    success: { status: 200, schema: Topic },
    errors: ["TOPIC_NOT_FOUND"],
  }),
  "topics.update": operation({
    id: "topics.update",
    method: "PATCH",
    path: "/v2/topics/{topicKey}",
    summary: "Rename a topic",
    description: "The key cannot be changed.",
    category: "configuration",
    params: topicPath,
    body: named("TopicPatch", { name: Type.String({ ...topicNameRule, description: "Display name" }) }),
    success: { status: 200, schema: Topic },
    errors: ["TOPIC_NOT_FOUND"],
  }),
  "topics.delete": operation({
    id: "topics.delete",
    method: "DELETE",
    path: "/v2/topics/{topicKey}",
    summary: "Delete a topic",
    description: "Its subscriptions are deleted with it; the subscribers are not.",
    category: "configuration",
    params: topicPath,
    success: { status: 200, schema: named("TopicDeleted", { acknowledged: Type.Boolean() }) },
    errors: ["TOPIC_NOT_FOUND"],
  }),
  "topics.retrieveSubscriber": operation({
    id: "topics.retrieveSubscriber",
    method: "GET",
    path: "/v1/topics/{topicKey}/subscribers/{externalSubscriberId}",
    summary: "Check whether a subscriber belongs to a topic",
    category: "configuration",
    params: Type.Object({ topicKey: Type.String(), externalSubscriberId: Type.String() }),
    success: {
      status: 200,
      schema: named("TopicSubscriber", {
        _organizationId: Type.String(),
        _environmentId: Type.String(),
        _subscriberId: Type.String(),
        _topicId: Type.String(),
        topicKey: Type.String(),
        externalSubscriberId: Type.String(),
      }),
    },
    errors: ["TOPIC_NOT_FOUND", "SUBSCRIBER_NOT_FOUND", "SUBSCRIPTION_NOT_FOUND"],
  }),
};
