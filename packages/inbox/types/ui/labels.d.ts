// Generated from packages/inbox/src by `npm run generate`. Do not edit.
import type { Channel } from "../client/types.js";
import type { laterLabels } from "../later/later-labels.js";
declare const ownLabels: {
    title: string;
    bell: (unread: number) => string;
    newMessages: (count: number) => string;
    toasts: string;
    dismiss: string;
    close: string;
    views: {
        inbox: string;
        unread: string;
        archived: string;
        snoozed: string;
    };
    view: string;
    all: string;
    more: string;
    markAllRead: string;
    archiveAllRead: string;
    archiveAll: string;
    unread: string;
    severity: {
        high: string;
        medium: string;
        low: string;
        none: string;
    };
    markRead: string;
    markUnread: string;
    archive: string;
    unarchive: string;
    snooze: string;
    unsnooze: string;
    remove: string;
    snoozeUntil: {
        hour: string;
        tomorrow: string;
        week: string;
    };
    snoozeOwn: string;
    snoozedUntil: (time: string) => string;
    undo: string;
    undone: {
        archive: string;
        snooze: string;
        delete: string;
        read: string;
    };
    loading: string;
    retry: string;
    failed: string;
    offline: string;
    unreachable: string;
    errorTitle: string;
    errorText: string;
    empty: Record<"inbox" | "unread" | "archived" | "snoozed", readonly [title: string, text: string]>;
    preferences: string;
    back: string;
    channels: Record<Channel, string>;
};
export type Labels = typeof ownLabels & typeof laterLabels;
type SomeOf<Words> = Words extends string | readonly string[] | ((...values: never[]) => string) ? Words : {
    [Name in keyof Words]?: SomeOf<Words[Name]>;
};
/** Words that a page replaces: any of them, and any of a group. */
export type GivenLabels = SomeOf<Labels>;
/** Without the words of what is loaded later: they come with it. */
export declare const englishLabels: Labels;
/**
 * Merges a page's words over the widget's, one by one: a page may replace some words of a group. Unknown words are
 * kept.
 */
export declare function mergeLabels<T>(words: T, given: unknown): T;
export {};
