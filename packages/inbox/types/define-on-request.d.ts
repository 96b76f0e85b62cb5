// Generated from packages/inbox/src by `npm run generate`. Do not edit.
/**
 * Defines `<tidings-inbox>`. This loads the user interface: a page that only uses `createInbox` does not load it.
 * An element without `url` talks to the service that this module came from.
 */
export declare function defineInbox(): Promise<void>;
/**
 * Defines `<tidings-toast>`, which shows new messages from the page's `<tidings-inbox>` elements or from its own inbox.
 */
export declare function defineToast(): Promise<void>;
