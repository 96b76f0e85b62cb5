// All words of the widget. A page replaces any of them with the property `labels`.
import type { Channel } from "../client/types.ts";
import type { laterLabels } from "../later/later-labels.ts";
import { bellLabels } from "./bell-labels.ts";
import { toastLabels } from "./toast-labels.ts";

const ownLabels = {
  ...bellLabels,
  ...toastLabels,
  close: "Close",
  views: { inbox: "Inbox", unread: "Unread", archived: "Archive", snoozed: "Snoozed" },
  view: "Show",
  all: "All",
  more: "More actions",
  markAllRead: "Mark all as read",
  archiveAllRead: "Archive read",
  archiveAll: "Archive all",
  unread: "Unread",
  severity: { high: "Urgent", medium: "Important", low: "Minor", none: "" },
  markRead: "Mark as read",
  markUnread: "Mark as unread",
  archive: "Archive",
  unarchive: "Move to inbox",
  snooze: "Snooze",
  unsnooze: "Unsnooze",
  remove: "Delete",
  snoozeUntil: { hour: "In an hour", tomorrow: "Tomorrow", week: "Next week" },
  snoozeOwn: "Pick a date and time",
  snoozedUntil: (time: string) => `Until ${time}`,
  undo: "Undo",
  undone: { archive: "Archived", snooze: "Snoozed", delete: "Deleted", read: "Marked as read" },
  loading: "Loading",
  retry: "Try again",
  failed: "This could not be saved. Please try again.",
  offline: "You're offline. We'll update when you're back.",
  unreachable: "Cannot reach notifications. Trying again…",
  errorTitle: "Notifications aren't available right now",
  errorText: "Please try again in a moment.",
  empty: {
    inbox: ["You are all caught up", "New notifications appear here."],
    unread: ["Nothing unread", "You have read everything."],
    archived: ["The archive is empty", "Archived notifications are kept here."],
    snoozed: ["Nothing snoozed", "Snoozed notifications wait here for their time."],
  } as Record<"inbox" | "unread" | "archived" | "snoozed", readonly [title: string, text: string]>,
  preferences: "Preferences",
  back: "Back",
  channels: { in_app: "In-app", email: "Email", sms: "SMS", push: "Push", chat: "Chat" } as Record<Channel, string>,
};

export type Labels = typeof ownLabels & typeof laterLabels;

/** Without the words of what is loaded later: they come with it. */
export const englishLabels = ownLabels as Labels;

/** The words of a page over those of the widget, one by one: of a group, a page may give some. Words that are not known here stay. */
export function mergeLabels<T>(words: T, given: unknown): T {
  if (typeof words !== "object" || words === null) return (given ?? words) as T;
  const own = Object(given) as Record<string, unknown>;
  const merged = Object.entries(words).map(([name, word]) => [name, mergeLabels(word, own[name])]);
  return (Array.isArray(words) ? merged.map(([, word]) => word) : { ...own, ...Object.fromEntries(merged) }) as T;
}
