// A subscriber's in-app messages as an inbox shows them, one at a time: `notificationId` is the id of the message.
import { ChannelWord, SeverityWord, WorkflowRef } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, nullableString, openObject, type Static, Type } from "../../schema.ts";
import { subscriberPath } from "../subscribers/subscribers.ts";

const Redirect = named("NotificationRedirect", {
  url: Type.String(),
  target: Type.Optional(Type.String()),
});

const Action = named("NotificationAction", {
  label: Type.String(),
  isCompleted: Type.Boolean(),
  redirect: Type.Optional(Redirect),
});

export const SubscriberNotification = named("SubscriberNotification", {
  id: Type.String({ description: "Id of the message" }),
  transactionId: Type.String(),
  subject: Type.Optional(Type.String()),
  body: Type.String(),
  to: named("NotificationRecipient", {
    id: Type.String({ description: "Internal id" }),
    subscriberId: Type.String(),
    firstName: Type.Optional(Type.String()),
    lastName: Type.Optional(Type.String()),
    avatar: Type.Optional(Type.String()),
  }),
  isRead: Type.Boolean(),
  isSeen: Type.Boolean(),
  isArchived: Type.Boolean(),
  isSnoozed: Type.Boolean(),
  snoozedUntil: Type.Optional(nullableString({ description: "When it comes back; null when it is not snoozed" })),
  deliveredAt: Type.Optional(Type.Array(Type.String(), { description: "When it was stored, and when it came back" })),
  createdAt: isoTime("When the message was made"),
  readAt: Type.Optional(Type.String()),
  firstSeenAt: Type.Optional(Type.String()),
  archivedAt: Type.Optional(Type.String()),
  avatar: Type.Optional(Type.String()),
  primaryAction: Type.Optional(Action),
  secondaryAction: Type.Optional(Action),
  channelType: ChannelWord,
  tags: Type.Optional(Type.Array(Type.String())),
  data: Type.Optional(openObject()),
  redirect: Type.Optional(Redirect),
  workflow: Type.Optional(WorkflowRef),
  severity: SeverityWord,
});
export type SubscriberNotification = Static<typeof SubscriberNotification>;

const path = Type.Object({
  ...subscriberPath.properties,
  notificationId: Type.String({ description: "Id of an in-app message of the subscriber" }),
});

export const subscriberNotificationOperations = {
  "subscriberNotifications.snooze": operation({
    id: "subscriberNotifications.snooze",
    method: "PATCH",
    path: "/v2/subscribers/{subscriberId}/notifications/{notificationId}/snooze",
    summary: "Snooze an in-app message",
    description:
      "It is left out of the feed and its counts, and comes back unread and unseen at its time. Snoozing it again " +
      "changes the time.",
    category: "configuration",
    params: path,
    body: named("SnoozeIn", {
      snoozeUntil: Type.String({
        description:
          "At least 3 minutes and at most 90 days ahead (`TIDINGS_MAX_SNOOZE_DAYS`), ISO 8601; up to 60 seconds of the 3 " +
          "minutes may pass before the request arrives",
      }),
    }),
    success: { status: 200, schema: SubscriberNotification },
    errors: ["SUBSCRIBER_NOT_FOUND", "NOTIFICATION_NOT_FOUND"],
  }),
  "subscriberNotifications.unsnooze": operation({
    id: "subscriberNotifications.unsnooze",
    method: "PATCH",
    path: "/v2/subscribers/{subscriberId}/notifications/{notificationId}/unsnooze",
    summary: "Bring a snoozed message back before its time",
    description: "As it was when it was snoozed, read or not. One that is not snoozed stays as it is.",
    category: "configuration",
    params: path,
    success: { status: 200, schema: SubscriberNotification },
    errors: ["SUBSCRIBER_NOT_FOUND", "NOTIFICATION_NOT_FOUND"],
  }),
};
