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
  failed: "Your change couldn't be saved. Please try again.",
  offline: "You're offline. We'll update when you're back.",
  unreachable: "Notifications can't be reached. Retrying…",
  errorTitle: "Notifications aren't available right now",
  errorText: "Please try again in a moment.",
  empty: {
    inbox: ["You're all caught up", "New notifications appear here."],
    unread: ["Nothing unread", "You have read everything."],
    archived: ["The archive is empty", "Archived notifications are kept here."],
    snoozed: ["Nothing snoozed", "Snoozed notifications wait here until they are due."],
  } as Record<"inbox" | "unread" | "archived" | "snoozed", readonly [title: string, text: string]>,
  preferences: "Preferences",
  back: "Back",
  channels: { in_app: "In-app", email: "Email", sms: "SMS", push: "Push", chat: "Chat" } as Record<Channel, string>,
};

export type Labels = typeof ownLabels & typeof laterLabels;

type SomeOf<Words> = Words extends string | readonly string[] | ((...values: never[]) => string)
  ? Words
  : { [Name in keyof Words]?: SomeOf<Words[Name]> };

/** Words that a page replaces: any of them, and any of a group. */
export type GivenLabels = SomeOf<Labels>;

/** Without the words of what is loaded later: they come with it. */
export const englishLabels = ownLabels as Labels;

/**
 * Merges a page's words over the widget's, one by one: a page may replace some words of a group. Unknown words are
 * kept.
 */
export function mergeLabels<T>(words: T, given: unknown): T {
  if (typeof words !== "object" || words === null) return (given ?? words) as T;
  const own = Object(given) as Record<string, unknown>;
  const merged = Object.entries(words).map(([name, word]) => [name, mergeLabels(word, own[name])]);
  return (Array.isArray(words) ? merged.map(([, word]) => word) : { ...own, ...Object.fromEntries(merged) }) as T;
}
