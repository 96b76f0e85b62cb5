// Generated from packages/inbox/src by `npm run generate`. Do not edit.
import type { Inbox } from "../client/create-inbox.js";
import type { InboxNotification, InboxOptions } from "../client/types.js";
import { toastLabels } from "../ui/toast-labels.js";
export type ToastLabels = typeof toastLabels;
/** The properties of `<tidings-toast>`. */
export type TidingsToastElement = HTMLElement & {
    /** The client whose messages are shown, instead of those of the page's elements. */
    inbox: Inbox | null;
    /** Called whenever a token is needed, when the attributes define a separate inbox. */
    getToken: InboxOptions["getToken"];
    labels: Partial<ToastLabels>;
    /** Shows a message. */
    show: (notification: InboxNotification) => void;
    /** Removes all messages. */
    clear: () => void;
};
export type ToastOptions = {
    defaultUrl: string;
    openInbox: (options: InboxOptions) => Promise<Inbox>;
    loadWords: (locale: string) => Promise<Partial<ToastLabels> | null>;
};
/** A function, because `HTMLElement` does not exist where pages are rendered on a server. */
export declare function createToastClass({ defaultUrl, openInbox, loadWords }: ToastOptions): CustomElementConstructor;
