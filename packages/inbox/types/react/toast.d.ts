// Generated from packages/inbox/src by `npm run generate`. Do not edit.
import { type ReactElement } from "react";
import type { Inbox } from "../client/create-inbox.js";
import type { InboxNotification, InboxOptions, Redirect } from "../client/types.js";
import type { ToastLabels } from "../toast/toast-element.js";
export type ToastProps = Partial<Pick<InboxOptions, "url" | "applicationIdentifier" | "subscriberId" | "subscriberHash" | "context" | "contextHash" | "token" | "getToken">> & {
    placement?: "top-start" | "top" | "top-end" | "bottom-start" | "bottom" | "bottom-end";
    /** Seconds; 0: until it is dismissed. */
    duration?: number;
    /** Messages shown at once; others wait. */
    max?: number;
    theme?: "light" | "dark" | "auto";
    labels?: Partial<ToastLabels>;
    className?: string;
    dir?: "ltr" | "rtl";
    lang?: string;
    /** Before a link is followed. `event.preventDefault()` leaves that to you. */
    onNavigate?: (event: CustomEvent<Redirect & {
        notification: InboxNotification;
    }>) => void;
    /** Before a message is shown. `event.preventDefault()` prevents it. */
    onToast?: (event: CustomEvent<InboxNotification>) => void;
};
/** `useInbox` gives the client of the nearest provider. */
export declare function createToast(useInbox: () => Inbox | null): (props: ToastProps) => ReactElement;
