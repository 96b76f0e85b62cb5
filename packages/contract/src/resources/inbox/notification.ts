// A subscriber's in-app messages as an inbox shows them, and the filters that select them. The customer's server and
// the subscriber's browser see the same.
import { ChannelWord, contextKeysQuery, SeverityWord, severities, WorkflowRef } from "../../common.ts";
import { isoTime, named, nullableString, oneOf, openObject, repeated, type Static, Type } from "../../schema.ts";

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
  expiresAt: Type.Optional(Type.String({ description: "When it disappears; absent when it does not expire" })),
  deliveredAt: Type.Optional(
    Type.Array(Type.String(), { description: "When it was delivered, and when it returned from a snooze" }),
  ),
  createdAt: isoTime("When the message was created"),
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

const tag = Type.String({ minLength: 1, maxLength: 255 });
const tagList = Type.Array(tag, { maxItems: 100 });

/** Tags of the workflow: a list means any of them. */
const Tags = Type.Union(
  [
    tagList,
    Type.Object({ or: tagList }),
    Type.Object({ and: Type.Array(Type.Object({ or: tagList }), { minItems: 1, maxItems: 20 }) }),
    Type.Array(tagList, { maxItems: 20 }),
  ],
  {
    description:
      "Tags of the workflow: a list or `{or: [...]}` for any of them; `{and: [{or: [...]}, ...]}` or a list of lists for one of each group",
  },
);

const data = Type.Union([Type.String(), openObject()], {
  description: "Members that `data` of the notification must have, with equal values: an object or its JSON",
});

const contextKeys = Type.Optional(
  Type.Array(Type.String(), { maxItems: 5, description: "Exact set of `<type>:<id>` keys; an empty list: no context" }),
);

const time = (bound: string) =>
  Type.Optional(
    Type.Number({ minimum: 0, maximum: 8.64e15, description: `Created ${bound} this time (milliseconds)` }),
  );

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

const flags = {
  read: flag("true: only read ones; false: only unread ones"),
  seen: flag("true: only seen ones; false: only unseen ones"),
  archived: flag("true: only archived ones; without it they are left out"),
  snoozed: flag("true: only snoozed ones; without it they are left out"),
  createdGte: time("at or after"),
  createdLte: time("at or before"),
};

/** One filter of a count. */
export const NotificationFilter = named("NotificationFilter", {
  ...flags,
  tags: Type.Optional(Tags),
  data: Type.Optional(data),
  severity: Type.Optional(Type.Union([oneOf(severities), Type.Array(oneOf(severities), { maxItems: 10 })])),
  contextKeys,
});
export type NotificationFilter = Static<typeof NotificationFilter>;

/** Filters of one count. */
export const maxNotificationFilters = 30;

/** Counting stops here: an inbox shows 99+. */
export const maxNotificationCount = 100;

export const notificationListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  after: Type.Optional(Type.String({ description: "Id of the last notification of the previous page" })),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      default: 0,
      description: "Number of notifications to skip; prefer `after`",
    }),
  ),
  ...flags,
  tags: Type.Optional(
    Type.Unsafe<(string | string[])[]>({
      type: "array",
      maxItems: 100,
      items: { type: ["string", "array"], items: { type: "string" } },
      description: "Tags of the workflow, any of them; `tags[0][]=a&tags[1][]=b` for one of each group",
    }),
  ),
  data: Type.Optional(
    Type.String({ description: "JSON object: members that `data` of the notification must have, with equal values" }),
  ),
  severity: Type.Optional(repeated(SeverityWord, { description: "Any of these" })),
  contextKeys: contextKeysQuery,
});

export const notificationCountQuery = Type.Object({
  filters: Type.String({
    description: `JSON list of 1 to ${maxNotificationFilters} filters, each with the members of \`NotificationFilter\``,
  }),
});

export const InboxNotificationPage = named("InboxNotificationPage", {
  data: Type.Array(SubscriberNotification),
  hasMore: Type.Boolean({ description: "More notifications follow this page" }),
  filter: openObject({ description: "The filter of the request" }),
});

export const NotificationCount = named("NotificationCount", {
  count: Type.Integer({ description: `Counted up to ${maxNotificationCount}` }),
  filter: openObject({ description: "The given filter" }),
});

/** Which notifications a request about many of them is for. */
export const NotificationSelection = named("NotificationSelection", {
  tags: Type.Optional(Tags),
  data: Type.Optional(data),
  contextKeys,
});
export type NotificationSelection = Static<typeof NotificationSelection>;

export const NotificationsSeenIn = named("NotificationsSeenIn", {
  notificationIds: Type.Optional(
    Type.Array(Type.String(), { maxItems: 1_000, description: "Unknown ids are ignored; default: all that match" }),
  ),
  ...NotificationSelection.properties,
});

/** A mark of many at once that can be undone. */
export const NotificationsMarkIn = named("NotificationsMarkIn", {
  mark: oneOf(["read", "archived"], { description: "`archived` includes read" }),
  only: Type.Optional(oneOf(["read"], { description: "Only those that are read" })),
  ...NotificationSelection.properties,
});

export const NotificationsMarked = named("NotificationsMarked", {
  markedAt: isoTime("The time of the mark, by which it can be undone"),
  count: Type.Integer({ description: "Notifications that changed" }),
});

export const NotificationsUndoIn = named("NotificationsUndoIn", {
  markedAt: isoTime("`markedAt` of the response to the mark"),
});

export const SnoozeIn = named("SnoozeIn", {
  snoozeUntil: Type.String({
    description:
      "At least 3 minutes and at most 90 days ahead (`TIDINGS_MAX_SNOOZE_DAYS`), ISO 8601; a request that arrives up " +
      "to 60 seconds late is accepted",
  }),
});

/** Summaries and descriptions of the operations on notifications, wherever they are served. */
export const notificationTexts = {
  list: { summary: "List the notifications of an inbox", description: "Newest first. Listing marks nothing as seen." },
  count: {
    summary: "Count the notifications of an inbox",
    description: `One count per filter, in the order of the filters, each up to ${maxNotificationCount}.`,
  },
  read: {
    summary: "Mark a notification as read",
    description: "It is also marked as seen. A snoozed notification is refused.",
  },
  unread: {
    summary: "Mark a notification as unread",
    description: "It is also unarchived. A snoozed notification is refused.",
  },
  archive: {
    summary: "Archive a notification",
    description: "It is also marked as read and seen. A snoozed notification is refused.",
  },
  unarchive: { summary: "Unarchive a notification", description: "It stays read." },
  snooze: {
    summary: "Snooze an in-app message",
    description:
      "It is hidden from the feed and its counts, and returns unread and unseen at the given time. Snoozing it again " +
      "changes the time.",
  },
  unsnooze: {
    summary: "Unsnooze a message",
    description:
      "Restores the state it had when it was snoozed, read or unread. A message that is not snoozed does not change.",
  },
  complete: { summary: "Complete an action of a notification", description: "Records that the button was pressed." },
  revert: { summary: "Revert an action of a notification", description: "The button can be pressed again." },
  delete: { summary: "Delete a notification", description: "It is deleted permanently." },
  seen: {
    summary: "Mark notifications as seen",
    description: "Those with the given ids, or all that match and are neither archived nor snoozed.",
  },
  readAll: { summary: "Mark all notifications as read", description: "Snoozed ones do not change." },
  archiveAll: { summary: "Archive all notifications", description: "Snoozed ones do not change." },
  archiveRead: { summary: "Archive all notifications that are read", description: "Snoozed ones do not change." },
  markMany: {
    summary: "Mark all notifications as read or archived, with undo",
    description:
      "Like the separate operations for each mark, and returns the time of the mark. Snoozed ones do not change.",
  },
  undoMany: {
    summary: "Undo marking all notifications",
    description:
      "Notifications that were marked at this time, and not since, return to their earlier state: unread if they " +
      "were unread, and out of the archive. A time at which nothing was marked has no effect. While a test clock is " +
      "stopped, all marks of that time are undone.",
  },
  deleteAll: { summary: "Delete all notifications", description: "Includes archived and snoozed ones." },
} as const;
