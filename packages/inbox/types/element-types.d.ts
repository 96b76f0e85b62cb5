// Generated from packages/inbox/src by `npm run generate`. Do not edit.
import type { Inbox } from "./client/create-inbox.js";
import type { ActionType, Counts, InboxNotification, InboxOptions, Redirect } from "./client/types.js";
import type { Slots } from "./slots.js";
import type { GivenLabels } from "./ui/labels.js";
/** A tab of the list: messages of workflows with any of the tags; all messages without tags. */
export type InboxTab = {
    label: string;
    tags?: string[];
};
/** The properties and methods of `<tidings-inbox>`, in addition to the functions for custom content. */
export type TidingsInboxElement = HTMLElement & {
    [Name in keyof Slots]: Slots[Name] | null;
} & {
    /** Words to replace, by name. */
    labels: GivenLabels;
    /** Tabs by tags; also the attribute `tabs` as JSON. */
    tabs: InboxTab[];
    /** Called whenever a token is needed. */
    getToken: InboxOptions["getToken"];
    /** The client of this inbox; one that is set is used instead of the attributes, and is not closed. */
    inbox: Inbox | null;
    /** Opens the panel of the bell. */
    show: () => void;
    /** Closes the panel of the bell. */
    hide: () => void;
};
/** Before a link is followed. `preventDefault()` leaves that to the page. */
export type NavigateEvent = CustomEvent<Redirect & {
    notification: InboxNotification;
}>;
/** Before a button press is recorded. `preventDefault()` prevents it. */
export type ActionEvent = CustomEvent<{
    type: ActionType;
    notification: InboxNotification;
}>;
/** The events of `<tidings-inbox>`, by name. */
export type TidingsInboxEvents = {
    navigate: NavigateEvent;
    action: ActionEvent;
    notification: CustomEvent<InboxNotification>;
    counts: CustomEvent<Counts>;
};
