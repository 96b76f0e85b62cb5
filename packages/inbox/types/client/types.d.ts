// Generated from packages/inbox/src by `npm run generate`. Do not edit.
/** How important a notification is. */
export type Severity = "high" | "medium" | "low" | "none";
/** The address that a click leads to. */
export type Redirect = {
    url?: string;
    target?: string;
};
/** A button of a notification. */
export type NotificationAction = {
    label: string;
    isCompleted: boolean;
    redirect?: Redirect;
};
/** Which button: the first or the second one. */
export type ActionType = "primary" | "secondary";
/** A message of the inbox, as the API shows it. */
export type InboxNotification = {
    id: string;
    transactionId?: string;
    /** Text. */
    subject?: string;
    /** HTML: sanitise it before it becomes part of a page. */
    body: string;
    isRead: boolean;
    isSeen: boolean;
    isArchived: boolean;
    isSnoozed: boolean;
    snoozedUntil?: string | null;
    /** When it disappears. */
    expiresAt?: string;
    createdAt: string;
    readAt?: string;
    archivedAt?: string;
    avatar?: string;
    primaryAction?: NotificationAction;
    secondaryAction?: NotificationAction;
    tags?: string[];
    data?: Record<string, unknown>;
    redirect?: Redirect;
    workflow?: {
        id: string;
        identifier: string;
        name: string;
        critical: boolean;
        tags?: string[];
    };
    severity: Severity;
};
/** Unread and unseen messages. The server stops counting at 100. */
export type Counts = {
    total: number;
    severity: Record<Severity, number>;
    unseen: number;
};
/** Which messages the list shows. Archived and snoozed ones are shown only when they are asked for. */
export type InboxFilter = {
    /** Messages of workflows with any of these tags. */
    tags?: string[];
    archived?: boolean;
    snoozed?: boolean;
    /** Only unread messages. */
    unread?: boolean;
};
export type Channel = "in_app" | "email" | "sms" | "push" | "chat";
/** One choice per channel; channels that no workflow uses are absent. */
export type PreferenceChannels = Partial<Record<Channel, boolean>>;
/** What the subscriber wants to receive: for everything (`global`), or for one workflow. */
export type DigestFrequency = "instant" | "hourly" | "daily" | "weekly";
export type Preference = {
    level: "global" | "template";
    enabled: boolean;
    channels: PreferenceChannels;
    workflow?: {
        id: string;
        identifier: string;
        name: string;
        critical: boolean;
        tags?: string[];
    };
    /** The category of the workflow. */
    categoryId?: string;
    /** How often its digest is sent; null without a choice. Absent if the workflow offers none. */
    digestFrequency?: DigestFrequency | null;
    /** What the workflow offers. */
    digestFrequencies?: DigestFrequency[];
    schedule?: Schedule;
    /** The schedule's time zone; only in the global entry. */
    timezone?: string;
};
/** A group of workflows, in which the subscriber chooses channels together. */
export type CategoryPreference = {
    categoryId: string;
    name: string;
    description: string;
    /** It cannot be switched off. */
    required: boolean;
    channels: PreferenceChannels;
};
/** At most so many messages in an hour, a day or a week. */
export type AttentionLimit = {
    limit: number;
    unit: "hour" | "day" | "week";
};
/** How many messages of a channel the subscriber wants at most. */
export type ChannelAttention = {
    channel: Channel;
    /** false: the environment has no budget for the channel at present, so the own limit has no effect. */
    offered: boolean;
    /** The budgets of the environment, which apply as well. */
    environment: {
        classes: ("transactional" | "promotional")[];
        limit: number;
        window: {
            amount: number;
            unit: "hour" | "day" | "week";
        };
    }[];
    own: AttentionLimit | null;
    /** Lower limits that a form can offer, including the own one. */
    choices: AttentionLimit[];
};
export type WeekDay = "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
/** Times are `hh:mm AM` or `hh:mm PM`. */
export type ScheduleDay = {
    isEnabled: boolean;
    hours?: {
        start: string;
        end: string;
    }[];
};
/** The hours in which messages may be delivered. */
export type Schedule = {
    isEnabled: boolean;
    weeklySchedule?: Partial<Record<WeekDay, ScheduleDay>>;
};
/**
 * `connecting`: no response yet. `live`: changes arrive at once, or by polling where a proxy blocks streams. `offline`:
 * the service cannot be reached; the client tries again automatically. `error`: the session was refused.
 */
export type InboxStatus = "connecting" | "live" | "offline" | "error";
/**
 * The last change that can be undone: of one message, or of many at once, which are identified by the time of the
 * change.
 */
export type Undoable = {
    kind: "archive" | "snooze" | "delete";
    notification: InboxNotification;
} | {
    kind: "archive" | "read";
    markedAt: string;
    count: number;
};
export type InboxState = {
    status: InboxStatus;
    /** Why the session was refused, or the list could not be read. */
    error: {
        code: string;
        message: string;
    } | null;
    /** The loaded part of the list, newest first. */
    notifications: InboxNotification[];
    /** Older messages can be loaded. */
    hasMore: boolean;
    /** `none`: not asked for yet. */
    list: "none" | "loading" | "loading-more" | "ready";
    /** New messages that are kept out of the list until `showNew()`. */
    newCount: number;
    filter: InboxFilter;
    /** Null until the first response. */
    counts: Counts | null;
    /** For the `undo()` of the last change; null when there is nothing to undo. */
    undoable: Undoable | null;
    /** The global entry first; null until they have been read. */
    preferences: Preference[] | null;
    /** In their order; absent until they have been read. */
    categories?: CategoryPreference[];
    /** Whether this is a development environment; null until a session is open. */
    isDevelopment: boolean | null;
    /** The brand as values of the variables `--tidings-*`, by name without the prefix; null if there is none. */
    theme: Readonly<Record<string, string>> | null;
    /** The longest snooze; 0 when snoozing is switched off. */
    maxSnoozeHours: number;
};
export type InboxOptions = {
    /** Address of Tidings, such as `https://notify.example.com`. */
    url: string;
    /** Identifier or id of the environment. Needed unless there is a token. */
    applicationIdentifier?: string;
    /** Needed unless there is a token; with a token, it lets the tabs of a browser share one connection. */
    subscriberId?: string;
    /** Hex HMAC-SHA256 of `subscriberId` under an API key, computed by your server. */
    subscriberHash?: string;
    /** Only messages with exactly these contexts. */
    context?: Record<string, unknown>;
    /** The hash of the canonical JSON of `context`. */
    contextHash?: string;
    /** A token that your server got from `POST /v2/inbox/tokens`. */
    token?: string;
    /** Called for a first token and whenever a token has ended (15 minutes). */
    getToken?: () => Promise<string> | string;
    /** Messages of a page, 1 to 100. */
    pageSize?: number;
    /** false: every tab has its own connection. */
    shareConnection?: boolean;
    /** How long a deletion waits for an undo. */
    undoMs?: number;
    fetch?: typeof fetch;
};
/** A request to `/v1/inbox`. */
export type Call = {
    method?: string;
    body?: unknown;
    signal?: AbortSignal;
    headers?: Record<string, string>;
};
/** Something that arrived from the service. All values are absolute: applying an event twice does no harm. */
export type LiveEvent = {
    kind: "notification";
    notification: InboxNotification;
} | {
    kind: "changed";
    notification: InboxNotification;
} | {
    kind: "removed";
    ids: string[];
} | {
    kind: "counts";
    counts: Counts;
}
/** More has changed than was sent: lists and counts have to be read again. */
 | {
    kind: "resync";
};
/** An error of the service, or of the connection to it (`code` is `UNREACHABLE`). */
export declare class InboxError extends Error {
    readonly code: string;
    readonly status: number;
    constructor(status: number, code: string, message: string);
}
