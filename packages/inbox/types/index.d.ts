// Generated from packages/inbox/src by `npm run generate`. Do not edit.
export { type AttentionChange, requestAttention } from "./client/attention.js";
export { createInbox, type Inbox } from "./client/create-inbox.js";
export * from "./client/types.js";
export { defineInbox, defineToast } from "./define-on-request.js";
export type { ActionEvent, InboxTab, NavigateEvent, TidingsInboxElement, TidingsInboxEvents, } from "./element-types.js";
export type { InboxHeader, InboxView, ItemRenderer, SlotContent, SlotMount, SlotRenderer, Slots, } from "./slots.js";
export type { TidingsToastElement, ToastLabels } from "./toast/toast-element.js";
export type { Labels } from "./ui/labels.js";
