// Generated from packages/inbox/src by `npm run generate`. Do not edit.
export { createInbox, type Inbox } from "./client/create-inbox.js";
export * from "./client/types.js";
export type { ActionEvent, InboxTab, NavigateEvent, TidingsInboxElement, TidingsInboxEvents, } from "./element-types.js";
export type { InboxHeader, InboxView, ItemRenderer, SlotContent, SlotMount, SlotRenderer, Slots, } from "./slots.js";
export type { TidingsToastElement, ToastLabels } from "./toast/toast-element.js";
export type { Labels } from "./ui/labels.js";
/**
 * Defines `<tidings-inbox>`. This call loads the user interface: a page that only uses `createInbox` does not load it.
 * An element without `url` talks to the service that this module came from.
 */
export declare function defineInbox(): Promise<void>;
/**
 * Defines `<tidings-toast>`, which shows new messages from the page's `<tidings-inbox>` elements or from its own inbox.
 */
export declare function defineToast(): Promise<void>;
