// Generated from packages/inbox/src by `npm run generate`. Do not edit.
import type { InboxFilter, InboxNotification, InboxOptions, InboxState } from "./types.js";
/** The client of one inbox. */
export type Inbox = ReturnType<typeof createInbox>;
/**
 * Opens an inbox and keeps it up to date until `close()`.
 *
 * ```js
 * const inbox = createInbox({ url, applicationIdentifier: "development", subscriberId: "ada" });
 * inbox.subscribe(() => render(inbox.getState()));
 * await inbox.load();
 * ```
 */
export declare function createInbox(options: InboxOptions): {
    read: (id: string) => Promise<InboxNotification>;
    unread: (id: string) => Promise<InboxNotification>;
    archive: (id: string) => Promise<InboxNotification>;
    unarchive: (id: string) => Promise<InboxNotification>;
    snooze: (id: string, until: Date) => Promise<InboxNotification>;
    unsnooze: (id: string) => Promise<InboxNotification>;
    complete: (id: string, actionType: import("./types.js").ActionType) => Promise<InboxNotification>;
    revert: (id: string, actionType: import("./types.js").ActionType) => Promise<InboxNotification>;
    remove: (id: string) => Promise<void>;
    undo(): Promise<void>;
    seen(ids: string[]): Promise<void>;
    markAllRead: (tags?: string[]) => Promise<void>;
    archiveAll: (tags?: string[]) => Promise<void>;
    archiveAllRead: (tags?: string[]) => Promise<void>;
    removeAll: (tags?: string[]) => Promise<void>;
    loadPreferences: () => Promise<import("./types.js").Preference[]>;
    updatePreference: (workflowId: string | null, channels: import("./types.js").PreferenceChannels) => Promise<void>;
    updateCategoryPreference: (categoryId: string, channels: import("./types.js").PreferenceChannels) => Promise<void>;
    updateSchedule: (schedule: import("./types.js").Schedule) => Promise<void>;
    updateDigestFrequency: (workflowId: string, digestFrequency: import("./types.js").DigestFrequency | null) => Promise<void>;
    getState: () => InboxState;
    /** Calls the listener after every change of the state; returns the function that ends it. */
    subscribe: (listener: () => void) => () => void;
    /** Calls the listener for every new message; returns the function that ends it. */
    onNotification: (listener: (notification: InboxNotification) => void) => (() => void);
    /** Reads the first page into `state.notifications`. Later changes arrive automatically. */
    load: () => Promise<void>;
    /** Reads the next page. Does nothing when there is none, or while one is on its way. */
    loadMore: () => Promise<void>;
    /** Reads the list and the counts again. */
    refresh: () => Promise<void>;
    /** Chooses which messages the list shows, and reads them. */
    setFilter: (filter: InboxFilter) => Promise<void>;
    /** Unread messages with any of the tags, for each list of tags. */
    countUnread: (lists: string[][]) => Promise<number[]>;
    /** true: new messages are counted in `state.newCount` and shown by `showNew()`; false: they are shown at once. */
    holdNew: (isWanted: boolean) => void;
    /** Shows the messages that were held. */
    showNew: () => void;
    /** Another request to `/v1/inbox`, such as `request("/web-push")`, with the token of this inbox. */
    request: <T>(path: string, call?: import("./types.js").Call) => Promise<T>;
    /** Ends the connection. Deletions that wait for an undo are sent. */
    close: () => void;
};
