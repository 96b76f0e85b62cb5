// Generated from packages/inbox/src by `npm run generate`. Do not edit.
import { type ForwardRefExoticComponent, type ReactElement, type ReactNode, type RefAttributes } from "react";
import { type Inbox as InboxClient } from "../client/create-inbox.js";
import type { Counts, InboxNotification, InboxOptions, InboxState } from "../client/types.js";
import type { ActionEvent, InboxTab, NavigateEvent, TidingsInboxElement } from "../element-types.js";
import type { GivenLabels } from "../ui/labels.js";
import { type SlotProps } from "./slots.js";
import { type ToastProps } from "./toast.js";
export type { ActionEvent, InboxTab, NavigateEvent, TidingsInboxElement } from "../element-types.js";
export type { InboxHeader, InboxView } from "../slots.js";
export type { SlotProps } from "./slots.js";
export type { ToastProps } from "./toast.js";
export type InboxProps = Partial<InboxOptions> & SlotProps & {
    mode?: "popover" | "inline";
    theme?: "light" | "dark" | "auto";
    /** Where the panel opens, and its distance from the bell in pixels. */
    placement?: "bottom-start" | "bottom-end" | "top-start" | "top-end" | "auto";
    offset?: number;
    /** The unread count in front of the title of the page. */
    titleBadge?: boolean;
    /** Colours, corners and font of the brand that the session has. */
    branded?: boolean;
    /** `default`, or the address of a sound for new messages. */
    sound?: string;
    /** Path of the service worker, for the switch "Notify me in this browser". */
    worker?: string;
    /** Hosts that images in messages may come from. */
    imageHosts?: string[];
    tabs?: InboxTab[];
    labels?: GivenLabels;
    className?: string;
    dir?: "ltr" | "rtl";
    lang?: string;
    /** Before a link is followed. `event.preventDefault()` leaves that to you. */
    onNavigate?: (event: NavigateEvent) => void;
    /** Before a button press is recorded. `event.preventDefault()` prevents it. */
    onAction?: (event: ActionEvent) => void;
    onNotification?: (notification: InboxNotification) => void;
    onCounts?: (counts: Counts) => void;
    /** A custom icon: `<svg slot="bell">`. */
    children?: ReactNode;
};
/**
 * The widget. Inside an `<InboxProvider>` it shows the provider's inbox, otherwise the one its props define. A `ref` is
 * the element, with `show()` and `hide()`.
 */
export declare const Inbox: ForwardRefExoticComponent<InboxProps & RefAttributes<TidingsInboxElement>>;
/** Opens one inbox for the hooks and components below it. When the ids change, another one is opened. */
export declare function InboxProvider({ children, ...options }: InboxOptions & {
    children?: ReactNode;
}): ReactElement;
/** The client of the nearest `<InboxProvider>`; null while it is opened, as in the first render and on a server. */
export declare const useInbox: () => InboxClient | null;
export type NotificationList = Pick<InboxState, "notifications" | "hasMore" | "newCount" | "error"> & {
    phase: InboxState["list"];
    /** Contains the functions that change the list. */
    inbox: InboxClient | null;
};
/** The list, which is read by the first component that uses it, with functions that change it. */
export declare function useNotifications(): NotificationList;
/** Unread messages, in total and by severity; null before the first response. */
export declare const useCounts: () => Counts | null;
/** `connecting`, `live`, `offline` or `error`. */
export declare const useInboxStatus: () => InboxState["status"];
/** Preferences and schedule, which are read by the first component that uses them. */
export declare function usePreferences(): {
    preferences: import("../index.js").Preference[] | null;
    updatePreference: ((workflowId: string | null, channels: import("../index.js").PreferenceChannels) => Promise<void>) | undefined;
    updateSchedule: ((schedule: import("../index.js").Schedule) => Promise<void>) | undefined;
    updateDigestFrequency: ((workflowId: string, digestFrequency: import("../index.js").DigestFrequency | null) => Promise<void>) | undefined;
};
/**
 * Shows new messages of the nearest `<InboxProvider>`, of the inbox its props define, or of the page's `<Inbox>`
 * elements.
 */
export declare const Toast: (props: ToastProps) => ReactElement;
