// What the service sends to an inbox, by the contract. Types alone, which cost the script nothing. The published types
// (types.ts) name the part of them that pages use: where the contract changes, assigning one to the other is a type
// error.
import type { Output, SubscriberNotification } from "@tidings/contract";

export type Session = Output<"inbox.openSession">["data"];
export type NotificationPage = Output<"inbox.listNotifications">;
export type NotificationCounts = Output<"inbox.countNotifications">;
/** The response to every mark of one notification. */
export type ChangedNotification = Output<"inbox.readNotification">;
/** A deletion of many has no response. */
export type MarkedNotifications = Output<"inbox.markNotifications"> | undefined;
export type PreferenceList = Output<"inbox.listPreferences">;
export type CategoryList = Output<"inbox.listCategoryPreferences">;
export type AttentionList = Output<"inbox.retrieveAttention">;

/** The data of the stream's events, by name (docs/live.md). */
export type StreamData = {
  notification: SubscriberNotification;
  /** Null: more has changed than is sent. */
  changed: { notification: SubscriberNotification | null };
  removed: { ids: string[]; count: number };
  counts: { unread: NonNullable<Session["unreadCount"]>; unseen: number };
};
