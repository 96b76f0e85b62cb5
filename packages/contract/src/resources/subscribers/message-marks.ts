// What happened to a subscriber's messages on its screen: seen, read, and the buttons that were pressed.
import { countCap } from "../../common.ts";
import { operation } from "../../operation.ts";
import { named, oneOf, openObject, type Static, Type } from "../../schema.ts";
import { Message } from "../events/messages.ts";
import { subscriberPath } from "./subscribers.ts";

export const messageMarks = ["read", "seen", "unread", "unseen"] as const;
export type MessageMark = (typeof messageMarks)[number];

const MarkWord = oneOf(messageMarks, {
  title: "MessageMark",
  description: "`read` implies seen, `unseen` implies unread",
});

export const messageActions = ["primary", "secondary"] as const;

export const MessageActionIn = named("MessageActionIn", {
  status: oneOf(["pending", "done"]),
  payload: Type.Optional(openObject({ description: "Stored with the message as the result of the action" })),
});
export type MessageActionIn = Static<typeof MessageActionIn>;

export const messageMarkOperations = {
  "subscribers.markMessages": operation({
    id: "subscribers.markMessages",
    method: "POST",
    path: "/v1/subscribers/{subscriberId}/messages/mark-as",
    summary: "Mark messages as seen, read, unread or unseen",
    description: "All or nothing: if one message is unknown, none are changed.",
    category: "configuration",
    role: "support",
    params: subscriberPath,
    body: named("MessageMarkIn", {
      messageId: Type.Union([
        Type.String({ minLength: 1 }),
        Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 1000 }),
      ]),
      markAs: MarkWord,
    }),
    success: { status: 201, schema: Type.Array(Message) },
    errors: ["SUBSCRIBER_NOT_FOUND", "MESSAGE_NOT_FOUND", "NOTIFICATION_SNOOZED"],
  }),
  "subscribers.markAllMessages": operation({
    id: "subscribers.markAllMessages",
    method: "POST",
    path: "/v1/subscribers/{subscriberId}/messages/mark-all",
    summary: "Mark all of a subscriber's in-app messages",
    description: "Returns the number of messages that changed.",
    category: "configuration",
    role: "support",
    params: subscriberPath,
    body: named("MessageMarkAllIn", {
      markAs: MarkWord,
      feedIdentifier: Type.Optional(
        Type.Union([Type.String(), Type.Array(Type.String())], {
          description: "Only messages of these feeds; messages have no feed, so this matches none",
        }),
      ),
    }),
    success: { status: 201, schema: Type.Number() },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
  "subscribers.markMessageAction": operation({
    id: "subscribers.markMessageAction",
    method: "POST",
    path: "/v1/subscribers/{subscriberId}/messages/{messageId}/actions/{type}",
    summary: "Record that a button of a message was pressed",
    description: "`type` is `primary` or `secondary`.",
    category: "configuration",
    role: "support",
    params: Type.Object({ ...subscriberPath.properties, messageId: Type.String(), type: Type.String() }),
    body: MessageActionIn,
    success: { status: 201, schema: Message },
    errors: ["SUBSCRIBER_NOT_FOUND", "MESSAGE_NOT_FOUND", "ACTION_NOT_FOUND"],
  }),
  "subscribers.countUnseen": operation({
    id: "subscribers.countUnseen",
    method: "GET",
    path: "/v1/subscribers/{subscriberId}/notifications/unseen",
    summary: "Count a subscriber's unseen in-app messages",
    category: "configuration",
    params: subscriberPath,
    query: Type.Object({
      seen: Type.Optional(Type.Boolean({ default: false, description: "true counts seen messages instead" })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: countCap, default: 100, description: "Counting stops here" }),
      ),
    }),
    success: { status: 200, schema: named("UnseenCount", { count: Type.Integer() }) },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
};
