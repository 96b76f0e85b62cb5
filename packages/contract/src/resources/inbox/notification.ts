// A subscriber's in-app messages as an inbox shows them, and the filters that choose among them. The customer's server and the
// browser of the subscriber see the same.
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
  Type.Optional(Type.Number({ minimum: 0, maximum: 8.64e15, description: `Made ${bound} this time (milliseconds)` }));

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
  after: Type.Optional(Type.String({ description: "Id of the last notification of the page before" })),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, default: 0, description: "Notifications left out; prefer `after`" }),
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
  filter: openObject({ description: "The filter as it was given" }),
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
    Type.Array(Type.String(), { maxItems: 1_000, description: "Unknown ids are left out; without it, all that match" }),
  ),
  ...NotificationSelection.properties,
});

/** A mark of many at once that can be taken back. */
export const NotificationsMarkIn = named("NotificationsMarkIn", {
  mark: oneOf(["read", "archived"], { description: "`archived` includes read" }),
  only: Type.Optional(oneOf(["read"], { description: "Only those that are read" })),
  ...NotificationSelection.properties,
});

export const NotificationsMarked = named("NotificationsMarked", {
  markedAt: isoTime("The time of the mark, which takes it back"),
  count: Type.Integer({ description: "Notifications that have changed" }),
});

export const NotificationsUndoIn = named("NotificationsUndoIn", {
  markedAt: isoTime("`markedAt` of the answer to the mark"),
});

export const SnoozeIn = named("SnoozeIn", {
  snoozeUntil: Type.String({
    description:
      "At least 3 minutes and at most 90 days ahead (`TIDINGS_MAX_SNOOZE_DAYS`), ISO 8601; up to 60 seconds of the 3 " +
      "minutes may pass before the request arrives",
  }),
});

/** What can be said about one notification: summary and description of the operations, wherever they are served. */
export const notificationTexts = {
  list: { summary: "List the notifications of an inbox", description: "Newest first. Listing marks nothing as seen." },
  count: {
    summary: "Count the notifications of an inbox",
    description: `One count per filter, in the order of the filters, each up to ${maxNotificationCount}.`,
  },
  read: { summary: "Mark a notification as read", description: "It is seen as well. A snoozed one is refused." },
  unread: { summary: "Mark a notification as unread", description: "It is unarchived. A snoozed one is refused." },
  archive: { summary: "Archive a notification", description: "It is read and seen as well. A snoozed one is refused." },
  unarchive: { summary: "Take a notification out of the archive", description: "It stays read." },
  snooze: {
    summary: "Snooze an in-app message",
    description:
      "It is left out of the feed and its counts, and comes back unread and unseen at its time. Snoozing it again " +
      "changes the time.",
  },
  unsnooze: {
    summary: "Bring a snoozed message back before its time",
    description: "As it was when it was snoozed, read or not. One that is not snoozed stays as it is.",
  },
  complete: { summary: "Say that a button of a notification was pressed", description: "The action is completed." },
  revert: { summary: "Take back that a button was pressed", description: "The action is open again." },
  delete: { summary: "Delete a notification", description: "It is deleted for good." },
  seen: {
    summary: "Mark notifications as seen",
    description: "Those with the given ids, or all that match and are neither archived nor snoozed.",
  },
  readAll: { summary: "Mark all notifications as read", description: "Snoozed ones stay as they are." },
  archiveAll: { summary: "Archive all notifications", description: "Snoozed ones stay as they are." },
  archiveRead: { summary: "Archive all notifications that are read", description: "Snoozed ones stay as they are." },
  markMany: {
    summary: "Mark all notifications as read or archived, with a way back",
    description: "As the operations for one mark; the answer has the time of the mark. Snoozed ones stay as they are.",
  },
  undoMany: {
    summary: "Take back a mark of all notifications",
    description:
      "Those that were marked at this time, and not since, are as they were: unread where they were unread, and out of the " +
      "archive. A time at which nothing was marked changes nothing. Where a test clock stands still, all marks of that time " +
      "are taken back.",
  },
  deleteAll: { summary: "Delete all notifications", description: "Archived and snoozed ones included." },
} as const;
